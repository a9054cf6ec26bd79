from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from memory.remembered import ids, log, message

from agentmem.app.searching import search
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.memory import recalled
from agentmem.memory.stores.index import NAME


def test_a_person_gets_the_whole_answer_though_another_process_makes_the_index(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places.root)
    rows = (message(f"m{n}", f"gateway {'words ' * 200}{n}") for n in range(400))
    log(places, "s1", message("first", "the gateway in rack 7"), *rows)
    finder = recalled.Finder(places, Clock())
    finder.catch_up(0.0)
    finder.close()
    log(
        places,
        "s2",
        message("second", "the gateway in rack 7 again"),
        *(message(f"n{n}", "x " * 900) for n in range(300)),
    )
    other = sqlite3.connect(places.shared / NAME, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    letting_go = threading.Timer(0.6, other.execute, ("COMMIT",))
    letting_go.start()
    env = {"AGENTMEM_HOME": str(places.home), "HOME": str(Path(places.home).parent)}
    page = search(recalled.Wanted("gateway in rack 7", "sessions", most=2), env)
    letting_go.join()
    other.close()
    assert sorted(ids(page.hits)) == ["first", "second"] and page.notes == ()

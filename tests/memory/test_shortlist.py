from __future__ import annotations

import json
import os
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.read.selection import Wanted, remembered
from agentmem.memory.stores import shortlist
from agentmem.memory.stores.shortlist import Shortlist

WIDE = Wanted(200_000)


def filled(places: Places) -> Path:
    places.shared.mkdir()
    places.memory_file.write_text("".join(f"- fact {at} ^m{at:012x}\n" for at in range(400)))
    return places.shared / shortlist.NAME


def test_what_was_chosen_is_kept_and_gives_the_same(places: Places) -> None:
    path = filled(places)
    first = remembered(places, WIDE)
    kept = path.read_bytes()
    assert remembered(places, WIDE) == first
    assert path.read_bytes() == kept
    path.unlink()
    assert remembered(places, WIDE) == first


def test_another_memory_window_cap_or_ledger_is_another_choice(places: Places) -> None:
    path = filled(places)
    remembered(places, WIDE)
    keys = [json.loads(path.read_text())["key"]]
    for change in (
        lambda: remembered(places, Wanted(100_000)),
        lambda: remembered(places, Wanted(200_000, {"Facts": 100})),
        lambda: (places.memory_file.write_text(places.memory_file.read_text() + "- more\n"), remembered(places, WIDE)),
        lambda: (places.ledger.parent.mkdir(), places.ledger.write_text("{}\n"), remembered(places, WIDE)),
    ):
        change()
        keys.append(json.loads(path.read_text())["key"])
    assert len(set(keys)) == 5


def test_a_choice_that_came_along_with_a_repository_is_not_taken(places: Places) -> None:
    path = filled(places)
    first = remembered(places, WIDE)
    held = json.loads(path.read_text())
    held["rows"] = [[[0, 7, False]]]
    path.write_text(json.dumps(held))
    assert remembered(places, WIDE) == first
    for odd in ("", "[]", "{", '{"key":"x"}', "nul"):
        path.write_text(odd)
        assert remembered(places, WIDE) == first
    path.unlink()
    os.mkfifo(path)
    assert remembered(places, WIDE) == first


def test_a_kept_choice_is_read_with_its_key_alone(tmp_path: Path) -> None:
    path, chosen = tmp_path / "s.json", Shortlist((((0, 3, True),), ()), ("a note",))
    shortlist.write(path, "k", chosen, b"secret")
    assert shortlist.read(path, "k", b"secret") == chosen
    assert shortlist.read(path, "other", b"secret") is None
    assert shortlist.read(path, "k", b"another") is None
    assert shortlist.read(tmp_path / "none.json", "k", b"secret") is None
    shortlist.write(tmp_path / "no" / "folder.json", "k", chosen, b"secret")

from __future__ import annotations

import multiprocessing
import os
import resource
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from memory.remembered import ids, log, message

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read.recall.finder import Finder, Wanted
from agentmem.memory.stores.index import NAME, Index


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_text("hello")


def _link(path: Path) -> None:
    path.symlink_to(path.parent / "gone" / "index.sqlite")


def _link_to_a_file(path: Path) -> None:
    (path.parent.parent / "other.txt").write_text("hello")
    path.symlink_to(path.parent.parent / "other.txt")


@pytest.mark.parametrize("put", [_folder, _link, _link_to_a_file])
def test_something_else_in_its_place_is_left_alone_and_a_search_answers(
    places: Places, clock: Clock, put: Callable[[Path], None]
) -> None:
    places.memory_file.write_text("- the gateway is in rack 7\n")
    log(places, "s1", message("m1", "the gateway listens on 8080"))
    path = places.shared / NAME
    put(path)
    finder = Finder(places, clock)
    page = finder.find(Wanted("gateway"))
    assert [hit.kind for hit in page.hits] == ["fact", "session"]
    (note,) = page.notes
    assert note.startswith(f"{path} cannot be kept (") and note.endswith("): each search reads all files again")
    log(places, "s1", message("m2", "the gateway again"))
    assert finder.catch_up(0.5)  # what was read is read on
    assert sorted(ids(finder.find(Wanted("gateway", "sessions")).hits)) == ["m1", "m2"]
    finder.close()
    assert sorted(ids(finder.find(Wanted("gateway", "sessions")).hits)) == ["m1", "m2"]
    finder.close()
    assert path.is_symlink() or (path / "kept").read_text() == "hello"
    if (other := places.root / "other.txt").exists():
        assert other.read_text() == "hello"


def test_a_place_that_cannot_be_made_is_no_failure(places: Places, clock: Clock) -> None:
    places.memory_file.write_text("- the gateway is in rack 7\n")
    if places.shared.exists():
        places.shared.rmdir()
    places.shared.write_text("a file")
    finder = Finder(places, clock)
    page = finder.find(Wanted("gateway", "facts"))
    assert [hit.text for hit in page.hits] == ["the gateway is in rack 7"] and len(page.notes) == 1
    finder.close()


def test_what_another_process_keeps_is_read_beside_it_until_it_lets_go(places: Places, clock: Clock) -> None:
    log(places, "s1", message("m1", "the gateway"))
    other = sqlite3.connect(places.shared / NAME, isolation_level=None)
    other.execute("CREATE TABLE a(x)")
    other.execute("BEGIN EXCLUSIVE")
    finder = Finder(places, clock)
    page = finder.find(Wanted("gateway"))
    assert ids(page.hits) == ["m1"] and page.notes == ()
    other.execute("COMMIT")
    other.close()
    assert finder.catch_up()
    assert ids(finder.find(Wanted("gateway")).hits) == ["m1"]
    finder.close()
    kept = Index(places.shared / NAME)
    assert kept.totals("said").pieces == 1
    kept.close()


def _on_a_full_disk(root: str, out: multiprocessing.Queue[object]) -> None:
    base = Path(root)
    places = Places(base, base, base / "home", base / ".agent")
    most = (places.shared / NAME).stat().st_size + 4_096
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    finder = Finder(places, Clock())
    page = finder.find(Wanted("gateway word299", "sessions", most=1))
    out.put((ids(page.hits), page.notes))
    finder.close()


def test_a_full_disk_costs_neither_the_answer_nor_the_index(tmp_path: Path) -> None:
    places = Places(tmp_path, tmp_path, tmp_path / "home", tmp_path / ".agent")
    log(places, "s1", message("m0", "the gateway"))
    finder = Finder(places, Clock())
    finder.catch_up()
    finder.close()
    inode = (places.shared / NAME).stat().st_ino
    log(places, "s2", *(message(f"m{n}", f"gateway word{n} " + f"x{n}y " * 400) for n in range(1, 300)))
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    child = context.Process(target=_on_a_full_disk, args=(str(tmp_path), out))
    child.start()
    found, notes = out.get(timeout=60)
    child.join(60)
    assert found == ["m299"] and len(notes) == 1
    assert (places.shared / NAME).stat().st_ino == inode
    kept = Index(places.shared / NAME)
    assert kept.totals("said").pieces == 1
    kept.close()


def test_a_damaged_index_does_not_keep_a_turn_waiting(places: Places, clock: Clock) -> None:
    for number in range(6):
        log(places, f"s{number}", *(message(f"m{number}-{n}", "gateway " * 300) for n in range(80)))
    (places.shared / NAME).write_bytes(b"no database" * 999)
    finder = Finder(places, clock)
    page = finder.find(Wanted("gateway"), 0.0)
    assert page.hits and page.notes  # the end of what is not read yet was scanned
    assert finder.catch_up()
    assert finder.find(Wanted("gateway")).notes == ()
    finder.close()


def test_what_was_deleted_a_moment_ago_is_read_again(places: Places, clock: Clock) -> None:
    log(places, "s1", message("m1", "the gateway"))
    finder = Finder(places, clock)
    assert ids(finder.find(Wanted("gateway")).hits) == ["m1"]
    os.unlink(places.shared / NAME)
    assert ids(finder.find(Wanted("gateway")).hits) == ["m1"]
    finder.close()

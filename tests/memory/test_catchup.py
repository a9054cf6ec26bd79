from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from memory.remembered import log, message

from agentmem.domain.places import Places
from agentmem.memory.read.recall import catchup, corpus
from agentmem.memory.stores.index import NAME, Index

PADDING = "x" * 1_500_000  # three lines of it are more than one reading takes


@pytest.fixture
def index(places: Places) -> Iterator[Index]:
    found = Index(places.shared / NAME)
    yield found
    found.close()


def refs(places: Places) -> list[str]:
    base = sqlite3.connect(places.shared / NAME)
    found = [str(row[0]) for row in base.execute("SELECT ref FROM turn ORDER BY id")]
    base.close()
    return found


def in_slices(index: Index, places: Places, most: int = 12) -> int:
    """How many looks of no time at all it takes until the index is whole."""
    for number in range(1, most):
        if catchup.catch_up(index, corpus.files(places), seconds=0.0):
            return number
    return most


def long_log(places: Places, *last: dict[str, object]) -> Path:
    rows = [message(f"m{number}", f"gateway {number} {PADDING}") for number in range(6)]
    return log(places, "s1", *rows, *last)


def strike(own: str, target: str) -> dict[str, object]:
    return {"type": "strike", "id": own, "of": target, "targets": [{"entry": target}]}


def test_a_long_log_with_a_strike_at_its_end_is_read_in_slices(places: Places, index: Index) -> None:
    long_log(places, strike("x1", "m1"), message("m6", "the last"))
    assert in_slices(index, places) < 12
    assert refs(places) == ["m0", "m2", "m3", "m4", "m5", "m6"]


def test_what_was_brought_back_is_read_in_slices_too(places: Places, index: Index) -> None:
    long_log(places, strike("x1", "m1"), {"type": "expand", "id": "x2", "of": "x1"})
    assert in_slices(index, places) < 12
    assert refs(places) == ["m0", "m1", "m2", "m3", "m4", "m5"]


@pytest.mark.parametrize("struck", ["m0", "m5"])
def test_what_is_struck_between_two_slices_is_not_held(places: Places, index: Index, struck: str) -> None:
    long_log(places, strike("x1", "m1"))
    assert not catchup.catch_up(index, corpus.files(places), seconds=0.0)
    log(places, "s1", strike("x2", struck))
    assert in_slices(index, places) < 12
    assert refs(places) == [own for own in ("m0", "m2", "m3", "m4", "m5") if own != struck]


def test_after_a_line_of_megabytes_reading_goes_on(places: Places, index: Index) -> None:
    log(places, "s1", message("m1", "one"))
    assert catchup.catch_up(index, corpus.files(places))
    log(places, "s1", message("m2", "y" * (catchup._READ + 9)), message("m3", "three"))
    assert catchup.catch_up(index, corpus.files(places))
    log(places, "s1", message("m4", "four"))
    assert catchup.catch_up(index, corpus.files(places))
    assert refs(places) == ["m1", "m3", "m4"]


def test_scenes_hold_what_is_read_on(places: Places, index: Index) -> None:
    for number in range(70):
        log(places, "s1", message(f"m{number}", f"word{number} gateway"))
        if number % 20 == 0:
            assert catchup.catch_up(index, corpus.files(places))
    assert catchup.catch_up(index, corpus.files(places))
    (source,) = index.sources().values()
    assert index.scenes("gateway") == {source.id: 3}
    assert [index.scenes(f"word{number}")[source.id] for number in range(70)] == [1] * 70


def test_a_damaged_line_is_no_failure(places: Places, index: Index) -> None:
    odd = [
        {"type": "message", "id": "a", "role": [], "content": "x"},
        {"type": "message", "id": "b", "role": "user", "content": [{"type": "text", "text": "x", "origin": []}]},
        {"type": "message", "id": "c", "role": "user", "content": [{"type": "text", "text": 7}, "said", 9]},
        {"type": "message", "id": "d\ud800", "role": "user", "content": "half \ud83d of a sign"},
        {"type": [], "id": "e"},
        {"type": "recall", "id": "f", "facts": [[], 3, "m1"]},
    ]
    path = log(places, "s1")
    import json

    with path.open("a") as file:
        file.writelines(json.dumps(one, separators=(",", ":")) + "\n" for one in odd)
    assert catchup.catch_up(index, corpus.files(places))
    assert refs(places) == ["b", "c", "d\ufffd"]
    assert index.uses(["m1"]) == {"m1": (1, "")}


def test_a_look_of_a_moment_waits_no_longer_than_that(places: Places, index: Index) -> None:
    log(places, "s1", message("m1", "one"))
    other = sqlite3.connect(places.shared / NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert not catchup.catch_up(index, corpus.files(places), seconds=0.0)
    assert index._db.execute("PRAGMA busy_timeout").fetchone() == (0,)
    other.execute("COMMIT")
    other.close()
    assert catchup.catch_up(index, corpus.files(places))
    assert index._db.execute("PRAGMA busy_timeout").fetchone() == (200,)


def test_a_long_file_of_knowledge_is_read_in_slices(places: Places, index: Index) -> None:
    docs = places.root / "docs"
    docs.mkdir()
    parts = [f"# Part {n}\n\ngateway {n} {'words of it ' * 800}\n" for n in range(60)]
    (docs / "long.md").write_text("".join(parts))
    looks = 1
    while not catchup.catch_up(index, corpus.files(places, ["docs"]), seconds=0.0):
        looks += 1
        assert looks < 40
    assert looks > 5
    held = [ref for ref in refs(places) if ref.startswith("long.md:")]
    sliced, counted = index.totals("kept"), len(held)
    assert len(set(held)) == counted == 120  # heading and text
    index.drop(index.sources()[str(docs / "long.md")])
    assert catchup.catch_up(index, corpus.files(places, ["docs"])) and refs(places) == held
    assert index.totals("kept") == sliced


def test_a_file_of_knowledge_that_changes_between_two_slices_is_read_anew(places: Places, index: Index) -> None:
    docs = places.root / "docs"
    docs.mkdir()
    path = docs / "long.md"
    path.write_text("".join(f"# Part {n}\n\ngateway {n} {'words of it ' * 800}\n" for n in range(30)))
    assert not catchup.catch_up(index, corpus.files(places, ["docs"]), seconds=0.0)
    path.write_text("# Only\n\nlunch\n")
    assert catchup.catch_up(index, corpus.files(places, ["docs"]))
    assert refs(places) == ["long.md:0"] and index.totals("kept").pieces == 1


def test_what_is_gone_is_forgotten_in_slices(places: Places, index: Index) -> None:
    for number in range(8):
        log(places, f"s{number}", message(f"m{number}", "gateway"))
    assert catchup.catch_up(index, corpus.files(places))
    for path in places.sessions.iterdir():
        path.unlink()
    log(places, "s8", message("m8", "gateway"))
    assert not catchup.catch_up(index, corpus.files(places), seconds=0.0)
    assert refs(places) == [*(f"m{number}" for number in range(8)), "m8"]  # what is new comes first
    assert 2 < in_slices(index, places) < 12
    assert refs(places) == ["m8"] and index.totals("said").pieces == 1

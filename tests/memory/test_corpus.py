from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read.recall import corpus
from agentmem.memory.read.recall.finder import Finder, Wanted


def found(places: Places, clock: Clock, query: str, *knowledge: str) -> list[str]:
    finder = Finder(places, clock, knowledge)
    try:
        return [hit.text for hit in finder.find(Wanted(query, most=1)).hits]
    finally:
        finder.close()


def test_a_file_that_is_no_utf8_is_found_where_it_says_so(places: Places, clock: Clock) -> None:
    docs = places.root / "docs"
    docs.mkdir()
    sections = [f"# Part {n}\n\ngateway number{n} {'é' * 60} end{n}\n\n" for n in range(40)]
    (docs / "old.md").write_bytes("".join(sections).encode("latin-1"))
    (text,) = found(places, clock, "number30", "docs")
    assert text.startswith("# Part 30\n\ngateway number30 \ufffd") and text.endswith(" end30")


def test_a_day_file_that_is_no_utf8_is_found_where_it_says_so(places: Places, clock: Clock) -> None:
    day = places.root / "memory" / "2026-11-30.md"
    day.parent.mkdir(exist_ok=True)
    blocks = [f"## 09:{n:02d} Gateway number{n}\nDid: {'é' * 60} end{n}\n" for n in range(40)]
    day.write_bytes("".join(blocks).encode("latin-1"))
    (text,) = found(places, clock, "number30")
    assert text.startswith("## 09:30 Gateway number30\nDid: ") and text.endswith(" end30")


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(
            [b"# Head\n", b"\n\n", b"word ", b"\xe9\xff", "é東".encode(), b"\r\n", b"## Two\r\n", b"x" * 700]
        ),
        max_size=30,
    ),
    start=st.integers(0, 2_000),
)
def test_places_are_those_of_the_file(parts: list[bytes], start: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("law")
    places = Places(root, root, root / "home", root / ".agent")
    path = root / "docs" / "a.md"
    path.parent.mkdir()
    data = b"".join(parts)
    path.write_bytes(data)
    (file,) = corpus.files(places, ["docs"])
    every = list(corpus.records(file))
    for one in every:
        assert data[one.place : one.place + one.size].decode("utf-8", "replace").strip() == one.text
    assert list(corpus.records(file, start)) == [one for one in every if one.place >= start]


def test_what_is_no_folder_below_the_root_is_told(places: Places, clock: Clock, tmp_path: Path) -> None:
    (places.root / "docs").mkdir()
    (places.root / "one.md").write_text("gateway")
    (places.root / "out").symlink_to(tmp_path.parent)
    finder = Finder(places, clock, ("docs", "gone", "../other", "one.md", "out", ".agent"))
    notes = finder.find(Wanted("gateway")).notes
    finder.close()
    assert [note.split(": ")[1].split(" is no folder below the root")[0] for note in notes] == [
        "gone", "../other", "one.md", "out", ".agent",
    ]  # fmt: skip

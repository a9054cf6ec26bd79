from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmem.workspace.excerpt import WIDTH, Line, excerpt
from agentmem.workspace.search import Spot


def shown(path: Path, data: bytes, line: int, column: int, offset: int, context: int = 0) -> list[Line]:
    path.write_bytes(data)
    file = os.open(path, os.O_RDONLY)
    try:
        return excerpt(file, Spot("f", line, column, offset), context)
    finally:
        os.close(file)


def test_lines_around(tmp_path: Path) -> None:
    data = b"one\r\ntwo\nthree\nfour\nfive"
    assert shown(tmp_path / "f", data, 3, 2, 9, 1) == [
        Line(2, "two", False),
        Line(3, "three", True),
        Line(4, "four", False),
    ]
    assert [line.number for line in shown(tmp_path / "f", data, 3, 2, 9, 9)] == [1, 2, 3, 4, 5]
    assert shown(tmp_path / "f", data, 5, 1, 20, 2)[-1] == Line(5, "five", True)
    assert shown(tmp_path / "f", b"a\nb\n", 2, 1, 2, 3) == [Line(1, "a", False), Line(2, "b", True)]
    assert shown(tmp_path / "f", b"\n\nb\n\n\n", 3, 1, 2, 1) == [
        Line(2, "", False),
        Line(3, "b", True),
        Line(4, "", False),
    ]


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"x" * 2_000_000 + b"foo" + b"y" * 2_000_000, 2_000_000),
        (b"foo" + b"y" * 2_000_000, 0),
        (b"x" * 2_000_000 + b"foo", 2_000_000),
        ("é".encode() * 5_000 + b"foo" + "あ".encode() * 5_000, 10_000),
        (b"x" * 300 + b"foo" + b"y" * 400, 300),
        (b"x" * 499 + b"foo\nnext", 499),
    ],
)
def test_a_long_line_is_a_window_around_the_match(tmp_path: Path, data: bytes, at: int) -> None:
    (line,) = shown(tmp_path / "f", data, 1, at + 1, 0)
    assert len(line.text) <= WIDTH
    assert "foo" in line.text
    assert line.text.startswith("…") == (at > 0)
    assert line.text.endswith("…") == (not data.split(b"\n")[0].endswith(b"foo"))
    assert "\ufffd" not in line.text


def test_a_line_of_the_width_is_whole(tmp_path: Path) -> None:
    assert shown(tmp_path / "f", b"x" * WIDTH + b"\n", 1, 1, 0) == [Line(1, "x" * WIDTH, True)]
    assert shown(tmp_path / "f", b"x" * (WIDTH + 1), 1, WIDTH, 0)[0].text[0] == "…"


def test_long_neighbours_are_cut(tmp_path: Path) -> None:
    data = b"a" * 30_000 + b"\nfoo\n" + b"b" * 30_000
    before, line, after = shown(tmp_path / "f", data, 2, 1, 30_001, 1)
    assert (len(before.text), line.text, len(after.text)) == (WIDTH, "foo", WIDTH)
    assert shown(tmp_path / "f", b"foo" + b"x" * 5_000_000 + b"\nnext", 1, 1, 0, 1)[1:] == []


def test_a_file_that_shrank_meanwhile_is_no_trouble(tmp_path: Path) -> None:
    assert shown(tmp_path / "f", b"", 9, 4, 1_000, 1) == [Line(9, "", True)]

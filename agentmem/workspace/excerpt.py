"""Excerpt: a matching line and what stands around it, read from the file in small pieces however large it is."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentmem.workspace.plain import plain
from agentmem.workspace.search import Spot

WIDTH = 500
"""Characters shown of a line; of a longer one a window around the match."""

_BEFORE_MATCH = 150
_REACH = 4 * WIDTH
_AROUND = 16_384
_BLOCK = 65_536
_LONGEST = 4_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is shown, without its end."""

    number: int
    text: str
    matched: bool


def excerpt(file: int, spot: Spot, context: int) -> list[Line]:
    """The line of a match with `context` lines before and after it; `file` is a descriptor open for reading. What has
    changed since the search may give other lines, never an error."""
    lines = [Line(spot.line, _window(file, spot), True)]
    if context:
        before = _before(file, spot.offset)[-context:]
        lines[:0] = [Line(spot.line - len(before) + at, _cut(line), False) for at, line in enumerate(before)]
        after = _after(file, spot.offset + spot.column - 1)[:context]
        lines += [Line(spot.line + 1 + at, _cut(line), False) for at, line in enumerate(after)]
    return lines


def _window(file: int, spot: Spot) -> str:
    """The line, or of a long one WIDTH characters around the match, with marks where it goes on."""
    match = spot.offset + spot.column - 1
    begin = max(spot.offset, match - _REACH)
    data = os.pread(file, match - begin + _REACH, begin)
    left = _text(data[: match - begin])
    rest, line_end, _ = data[match - begin :].partition(b"\n")
    right = _text(rest)
    goes_on = not line_end and len(data) == match - begin + _REACH
    if begin == spot.offset and not goes_on and len(left) + len(right) <= WIDTH:
        return left + right
    shown_left = left if begin == spot.offset and len(left) <= _BEFORE_MATCH else "…" + left[-_BEFORE_MATCH + 1 :]
    room = WIDTH - len(shown_left)
    return shown_left + (right if len(right) <= room and not goes_on else right[: room - 1] + "…")


def _before(file: int, offset: int) -> list[bytes]:
    """The lines that end at `offset`, as far back as is read at once."""
    begin = max(0, offset - _AROUND)
    return os.pread(file, offset - begin, begin).split(b"\n")[:-1]


def _after(file: int, at: int) -> list[bytes]:
    """The lines after the one that `at` lies in, as far as is read at once; none after a very long line."""
    stop = at + _LONGEST
    while at < stop and (block := os.pread(file, _BLOCK, at)):
        line_end = block.find(b"\n")
        if line_end >= 0:
            data = os.pread(file, _AROUND, at + line_end + 1)
            lines = data.split(b"\n")
            return lines if lines[-1] else lines[:-1]
        at += len(block)
    return []


def _cut(line: bytes) -> str:
    text = _text(line)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _text(data: bytes) -> str:
    return plain(data.removesuffix(b"\r")).text

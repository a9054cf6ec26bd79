"""Stretch: a log read from some byte on, and searches backwards through the rest that keep nothing of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agentmem import regular

_BLOCK = 1 << 18


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor to read with. Raises `OSError`."""
    handle = regular.opened(path)
    try:
        yield handle
    finally:
        os.close(handle)


def size(handle: int) -> int:
    """The file's size in bytes."""
    return os.fstat(handle).st_size


def head(handle: int, most: int) -> bytes:
    """The first `most` bytes."""
    return os.pread(handle, most, 0)


def lines_from(handle: int, start: int) -> Iterator[bytes]:
    """The lines from byte `start` (the first of a line) on, each with its ``\\n`` if it has one."""
    with open(handle, "rb", buffering=_BLOCK, closefd=False) as file:
        file.seek(start)
        yield from file


def line_at(handle: int, at: int) -> bytes | None:
    """The line that begins at byte `at`, None where none begins."""
    if at < 0 or (at > 0 and os.pread(handle, 1, at - 1) != b"\n"):
        return None
    return next(lines_from(handle, at), None)


def line_start(handle: int, at: int) -> int:
    """Where the line begins that holds byte `at`."""
    return next((found + 1 for found in backwards(handle, (b"\n",), at)), 0)


def backwards(handle: int, needles: Sequence[bytes], end: int) -> Iterator[int]:
    """Where a needle begins, the last one before byte `end` first. A needle that reaches over `end` does not count."""
    most = max(map(len, needles))
    while end > 0:
        start = max(0, end - _BLOCK)
        block = os.pread(handle, end - start, start)
        # What begins in the overlap was found in the block after this one, or reaches over the end.
        yield from (start + at for at in _found(block, needles))
        if start == 0:
            return
        end = start + most - 1


def _found(block: bytes, needles: Sequence[bytes]) -> Iterator[int]:
    at = {needle: block.rfind(needle) for needle in needles}
    while (last := max(at.values())) >= 0:
        yield last
        for needle, place in at.items():
            if place == last:
                at[needle] = block.rfind(needle, 0, last + len(needle) - 1)


def count_lines(handle: int, end: int) -> int:
    """How many lines end before byte `end`."""
    count = at = 0
    while at < end:
        block = os.pread(handle, min(_BLOCK * 4, end - at), at)
        if not block:
            break
        count += block.count(b"\n")
        at += len(block)
    return count

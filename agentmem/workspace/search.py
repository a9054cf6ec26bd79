"""Search: the lines that match in the files of a tree, found by ripgrep where it is installed, else in Python.

Both are given the same files in the same order and the same pattern in their own words, so they give the same answers;
ripgrep's own settings, ignore rules and version stay out of the game. Both are processes of their own, so a search can
be stopped at any moment.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem import regular
from agentmem.domain.cancel import Cancel
from agentmem.programs import find_program
from agentmem.workspace import scan
from agentmem.workspace.glob import Wanted
from agentmem.workspace.pattern import Pattern
from agentmem.workspace.process import Command, Ended, run
from agentmem.workspace.walk import Found, Ground, walk

LIMIT = 30.0
"""Seconds a search may take."""

How = Literal["exit", "enough", "timeout", "cancelled"]

_FIRST_BATCH = 1_000
_NEXT_BATCH = 4_000
_BATCH_BYTES = 250_000
_RG = (
    *("--no-config", "--no-ignore", "--threads=1", "--text", "--mmap", "--encoding=none", "--color=never"),
    *("--no-heading", "--with-filename", "--null", "--line-number", "--column", "--byte-offset", "--max-columns=1"),
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A matching line: `path` from the ground's root, `line` from 1, `column` of the first match in bytes from 1, and
    the `offset` of the line's first byte in the file."""

    path: str
    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True)
class Means:
    """What a search runs with: the environment (its PATH says whether there is ripgrep), the cancel token, and a limit
    in seconds."""

    env: Mapping[str, str]
    cancel: Cancel
    limit: float = LIMIT


@dataclass(frozen=True, slots=True)
class Done:
    """How a search ended. `how` is "exit" when it saw everything, "enough" when the taker had enough; `unread` counts
    files and directories that could not be read; `error` says why there is no answer."""

    how: How
    unread: int = 0
    error: str | None = None


class _Stopped(Exception):
    """The search is over before it saw everything."""

    def __init__(self, how: How, error: str | None = None) -> None:
        super().__init__(how)
        self.how: How = how
        self.error = error


def find_paths(ground: Ground, means: Means, take: Callable[[Found], object]) -> Done:
    """Give everything below the ground to `take`, in order."""
    watch = _Watch(means)
    try:
        for found in watch.walked(ground):
            take(found)
    except _Stopped as stopped:
        return Done(stopped.how, watch.unread)
    return Done("exit", watch.unread)


def find_lines(ground: Ground, pattern: Pattern, only: str | None, means: Means, take: Callable[[Spot], bool]) -> Done:
    """Give each matching line below the ground to `take`, in order, until it says it has enough. `only` is a glob that
    the searched files must fit, from the ground's base. Binary files (a NUL byte in the first 64 KiB) are passed
    over."""
    watch = _Watch(means)
    wanted = Wanted(only) if only is not None else None
    depth = len(ground.start)
    files = (
        "/".join(found.names)
        for found in watch.walked(ground)
        if found.kind == "file" and (wanted is None or wanted.matches(found.names[depth:]))
    )
    return _search(ground.root, files, pattern, watch, take)


def find_lines_of(root: str, name: str, pattern: Pattern, means: Means, take: Callable[[Spot], bool]) -> Done:
    """As `find_lines`, in the one file `name` in the directory `root`, ignored or not."""
    return _search(root, iter((name,)), pattern, _Watch(means), take)


def is_binary(path: str) -> bool:
    """Whether a file holds a NUL byte in its first 64 KiB; one that cannot be read counts as text."""
    try:
        with os.fdopen(regular.opened(path), "rb") as file:
            return b"\0" in file.read(scan.BINARY_BYTES)
    except OSError:
        return False


class _Watch:
    """Time and the cancel token of one search, and what it could not read."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.unread = 0
        self._until = time.monotonic() + means.limit

    def left(self) -> float:
        """Seconds left. Raises `_Stopped` when there are none or the search is cancelled."""
        left = self._until - time.monotonic()
        if self.means.cancel.cancelled:
            raise _Stopped("cancelled")
        if left <= 0:
            raise _Stopped("timeout")
        return left

    def walked(self, ground: Ground) -> Iterator[Found]:
        """What lies below the ground, looking at the clock on the way."""
        for count, found in enumerate(walk(ground, self._count)):
            if count % 64 == 0:
                self.left()
            yield found
        self.left()

    def _count(self, path: str, error: OSError) -> None:
        self.unread += 1


def _search(root: str, files: Iterator[str], pattern: Pattern, watch: _Watch, take: Callable[[Spot], bool]) -> Done:
    """Search batch by batch, so that the first matches are there before the whole tree was walked."""
    rg = find_program("rg", watch.means.env) if pattern.rust is not None else None
    try:
        for batch in _batches(files):
            if rg is not None and not _ask(_rg(rg, pattern), root, batch, watch, take):
                rg = None
            if rg is None and not _ask(_python(pattern), root, batch, watch, take):
                raise _Stopped("exit", "the search process could not be run")
    except _Stopped as stopped:
        return Done(stopped.how, watch.unread, stopped.error)
    return Done("exit", watch.unread)


def _batches(files: Iterator[str]) -> Iterator[list[str]]:
    """Files in lots that a command line can hold."""
    batch: list[str] = []
    size, most = 0, _FIRST_BATCH
    for path in files:
        batch.append(path)
        size += len(os.fsencode(path)) + 12
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size, most = [], 0, _NEXT_BATCH
    if batch:
        yield batch


def _rg(program: str, pattern: Pattern) -> tuple[str, ...]:
    case = "--ignore-case" if pattern.ignore_case else "--case-sensitive"
    return (program, *_RG, case, f"--regexp={pattern.rust}", "--")


def _python(pattern: Pattern) -> tuple[str, ...]:
    order = {"python": pattern.python, "whole": pattern.rust is not None, "ignore_case": pattern.ignore_case}
    return (sys.executable, "-I", "-S", scan.__file__, json.dumps(order))


def _ask(argv: tuple[str, ...], root: str, batch: list[str], watch: _Watch, take: Callable[[Spot], bool]) -> bool:
    """Search a batch; False when the program failed before it gave an answer. Raises `_Stopped`."""
    spots, complaints = _Spots(root, take), _Complaints()
    files = (f"./{path}" for path in batch)
    try:
        command = Command((*argv, *files), Path(root), watch.means.env, watch.left())
        ended: Ended = run(command, watch.means.cancel, spots.add, complaints.add)
    except OSError:
        return False
    if ended.how == "exit" and ended.code not in (0, 1) and not spots.count and not complaints.unread:
        return False
    watch.unread += complaints.unread
    if ended.how != "exit":
        raise _Stopped(ended.how)
    return True


class _Complaints:
    """What a search says on its standard error; `unread` counts the lines that tell of a file it cannot read."""

    def __init__(self) -> None:
        self.unread = 0
        self._rest = b""

    def add(self, piece: bytes) -> bool:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self.unread += sum(b"(os error" in line for line in lines)
        return False


def _spot(path: str, numbers: list[bytes]) -> Spot:
    """ripgrep gives no column for an empty match at the end of a file without a last line feed."""
    if len(numbers) == 4 and numbers[2].isdigit():
        return Spot(path, int(numbers[0]), int(numbers[1]), int(numbers[2]))
    return Spot(path, int(numbers[0]), 1, int(numbers[1]))


class _Spots:
    """Reads `path NUL line:column:offset:text LF …`, and passes on what lies in text files."""

    def __init__(self, root: str, take: Callable[[Spot], bool]) -> None:
        self.count = 0
        self._take = take
        self._root = root
        self._rest = b""
        self._last: tuple[bytes, str, bool] = (b"", "", False)

    def add(self, piece: bytes) -> bool:
        self._rest += piece
        return any(self._take(spot) for spot in self._spots())

    def _spots(self) -> Iterator[Spot]:
        at, data = 0, self._rest
        try:
            while (nul := data.find(b"\0", at)) >= 0 and (end := data.find(b"\n", nul)) >= 0:
                raw, numbers = data[at:nul], data[nul + 1 : end].split(b":", 3)
                at = end + 1
                self.count += 1
                path, wanted = self._file(raw)
                if wanted:
                    yield _spot(path, numbers)
        finally:
            self._rest = data[at:]

    def _file(self, raw: bytes) -> tuple[str, bool]:
        """The path from the root, and whether it is a text file."""
        if self._last[0] != raw:
            path = os.fsdecode(raw.removeprefix(b"./"))
            self._last = (raw, path, not is_binary(os.path.join(self._root, path)))
        return self._last[1], self._last[2]

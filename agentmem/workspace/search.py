"""Search: the files of a tree and the lines in them that match, by ripgrep where it is installed, else in Python.

Both ways give the same answers in the same order; ripgrep is asked in words that leave its own settings, global ignore
files and version out of the game. Both are processes of their own, so each search can be stopped at any moment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.workspace.glob import Wanted
from agentmem.workspace.pattern import Pattern
from agentmem.workspace.process import Command, Ended, find_program, run
from agentmem.workspace.walk import Ground

LIMIT = 30.0
"""Seconds a search may take."""

_MOST_SIBLINGS = 1_500
_RG = ("--no-config", "--hidden", "--sort=path", "--color=never", "--no-ignore-global", "--no-ignore-exclude")
_RG_LINES = ("--no-heading", "--with-filename", "--line-number", "--column", "--byte-offset", "--max-columns=1")
_WORKER = "import sys; sys.path[:] = sys.argv[2:]; from agentmem.workspace.scan import main; main(sys.argv[1])"


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

    how: str
    unread: int = 0
    error: str | None = None


def find_files(ground: Ground, means: Means, take: Callable[[str], bool]) -> Done:
    """Give each file below the ground to `take`, as its path from the root, until it says it has enough."""
    return _search(_rg(ground, means, ("--files", "--null")), _order(ground), ground, means, _Paths(take))


def find_lines(ground: Ground, pattern: Pattern, only: str | None, means: Means, take: Callable[[Spot], bool]) -> Done:
    """Give each matching line to `take`, until it says it has enough. `only` is a glob that the searched files must
    fit, from the ground's base. Binary files (a NUL byte in the first 64 KiB) are passed over."""
    whole = pattern.rust is not None
    order = {"python": pattern.python, "whole": whole, "ignore_case": pattern.ignore_case, "glob": only}
    rg = None
    if pattern.rust is not None:
        rg = _rg(ground, means, (*_lines_options(pattern, only), "--null", f"--regexp={pattern.rust}"))
    return _search(rg, {**_order(ground), **order}, ground, means, _Spots(ground, only, take))


def find_lines_of(root: str, name: str, pattern: Pattern, means: Means, take: Callable[[Spot], bool]) -> Done:
    """As `find_lines`, in the one regular file `name` in the directory `root`, ignored or not."""
    ground = Ground(root)
    order = {"python": pattern.python, "whole": pattern.rust is not None, "ignore_case": pattern.ignore_case}
    rg = find_program("rg", means.env) if pattern.rust is not None else None
    argv = None
    if rg is not None:
        options = (*_RG, *_lines_options(pattern, None), "--null", "--text", "--no-ignore")
        argv = (rg, *options, f"--regexp={pattern.rust}", "--", f"./{name}")
    return _search(argv, {**_order(ground), **order, "file": name}, ground, means, _Spots(ground, None, take))


def _search(
    rg: tuple[str, ...] | None, order: Mapping[str, Any], ground: Ground, means: Means, records: _Paths | _Spots
) -> Done:
    """Ask ripgrep; ask Python when there is none, or when it fails before it has said anything."""
    if rg is not None:
        ended, complaints = _ask(rg, ground, means, records)
        if ended is not None and (ended.code != 2 or records.count or not complaints.refused):
            return Done(ended.how, complaints.count)
    argv = (sys.executable, "-I", "-S", "-c", _WORKER, json.dumps(order), *_import_path())
    ended, complaints = _ask(argv, ground, means, records)
    if ended is None or (ended.how == "exit" and ended.code != 0):
        return Done(
            "exit", error=complaints.text.decode("utf-8", "replace").strip()[-500:] or "it could not be started"
        )
    return Done(ended.how, complaints.count)


def _ask(
    argv: tuple[str, ...], ground: Ground, means: Means, records: _Paths | _Spots
) -> tuple[Ended | None, _Complaints]:
    complaints = _Complaints()
    try:
        command = Command(argv, Path(ground.root), means.env, means.limit)
        return run(command, means.cancel, records.add, complaints.add), complaints
    except (OSError, ValueError):
        return None, complaints


def _order(ground: Ground) -> dict[str, Any]:
    return {"root": ground.root, "start": ground.start, "ignored": ground.ignored}


def _import_path() -> list[str]:
    """Where a bare interpreter finds this package and the standard library."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [own, *(path for path in sys.path if os.path.isabs(path))]


def _rg(ground: Ground, means: Means, options: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command line, None without ripgrep or when it cannot be told to look where we want.

    It always searches from the root, so that all .gitignore files from there on count and none above; what is beside
    the way down to the base is excluded name by name (a positive glob would bring ignored files back).
    """
    program = find_program("rg", means.env)
    beside = _beside(ground)
    if program is None or beside is None:
        return None
    excluded = tuple(f"--glob=!/{_escaped(name)}" for name in beside)
    ignore: tuple[str, ...] = ("--no-ignore",)
    if not ground.ignored:
        ignore = ("--no-ignore-dot", "--no-ignore-parent")
        if not os.path.exists(os.path.join(ground.root, ".git")):
            ignore += ("--no-require-git",)
    return (program, *_RG, *ignore, "--glob=!.git", *excluded, *options, "--", "./")


def _lines_options(pattern: Pattern, only: str | None) -> tuple[str, ...]:
    case = "--ignore-case" if pattern.ignore_case else "--case-sensitive"
    options: tuple[str, ...] = (*_RG_LINES, case, "--no-mmap", "--encoding=none")
    if only is not None and only.startswith("*.") and only[2:].isascii() and only[2:].isalnum():
        options += (f"--type-add=wanted:{only}", "--type=wanted")
    return options


def _beside(ground: Ground) -> list[str] | None:
    """What lies beside the way from the root to the base, as paths from the root; None when it is too much to name."""
    found: list[str] = []
    for depth, name in enumerate(ground.start):
        try:
            names = os.listdir(os.path.join(ground.root, *ground.start[:depth]))
        except OSError:
            return None
        found += ["/".join((*ground.start[:depth], other)) for other in names if other != name]
        if len(found) > _MOST_SIBLINGS:
            return None
    return found


def _escaped(path: str) -> str:
    """A path as a glob that matches it alone."""
    return "".join("\\" + letter if letter in "\\*?[]{}! #" else letter for letter in path)


class _Complaints:
    """What a search says on its standard error: a line for each thing it cannot read, or why it does not search."""

    def __init__(self) -> None:
        self.count = 0
        self.text = b""

    def add(self, piece: bytes) -> bool:
        self.count += piece.count(b"\n")
        self.text = (self.text + piece)[-4_000:]
        return False

    @property
    def refused(self) -> bool:
        """True when ripgrep did not search at all: it did not take an option or the pattern."""
        return b"(os error" not in self.text


class _Paths:
    """Reads `path NUL path NUL …`."""

    def __init__(self, take: Callable[[str], bool]) -> None:
        self.count = 0
        self._take = take
        self._rest = b""

    def add(self, piece: bytes) -> bool:
        *paths, self._rest = (self._rest + piece).split(b"\0")
        for path in paths:
            self.count += 1
            if self._take(_path(path)):
                return True
        return False


class _Spots:
    """Reads `path NUL line:column:offset:text LF …`, and passes on what lies in text files that fit the glob."""

    def __init__(self, ground: Ground, only: str | None, take: Callable[[Spot], bool]) -> None:
        self.count = 0
        self._take = take
        self._ground = ground
        self._only = Wanted(only) if only is not None else None
        self._rest = b""
        self._last: tuple[bytes, str, bool] = (b"", "", False)

    def add(self, piece: bytes) -> bool:
        self._rest += piece
        return any(self._take(spot) for spot in self._spots())

    def _spots(self) -> Iterator[Spot]:
        at = 0
        data = self._rest
        try:
            while (nul := data.find(b"\0", at)) >= 0 and (end := data.find(b"\n", nul)) >= 0:
                raw, numbers = data[at:nul], data[nul + 1 : end].split(b":", 3)
                at = end + 1
                self.count += 1
                path, wanted = self._file(raw)
                if wanted:
                    line, column, offset = (int(number) for number in numbers[:3])
                    yield Spot(path, line, column, offset)
        finally:
            self._rest = data[at:]

    def _file(self, raw: bytes) -> tuple[str, bool]:
        """The path from the root, and whether the file's matches are wanted."""
        if self._last[0] != raw:
            path = _path(raw)
            names = path.split("/")[len(self._ground.start) :]
            wanted = self._only is None or self._only.matches(names)
            self._last = (raw, path, wanted and not is_binary(os.path.join(self._ground.root, path)))
        return self._last[1], self._last[2]


def is_binary(path: str) -> bool:
    """Whether a file holds a NUL byte in its first 64 KiB; one that cannot be read counts as text."""
    try:
        with open(path, "rb") as file:
            return b"\0" in file.read(65_536)
    except OSError:
        return False


def _path(raw: bytes) -> str:
    return os.fsdecode(raw.removeprefix(b"./"))

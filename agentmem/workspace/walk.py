"""Walk: what lies below a directory, in a fixed order, without what .gitignore files leave out.

Honoured are the .gitignore files from `root` down, inside a git repository or not; a repository inside (a directory
that holds `.git`) answers only to its own. Names come in the order of their bytes, directory by directory. `.git` is
never entered, links are told but not followed; pipes, sockets and devices are passed over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from agentmem import regular
from agentmem.workspace.ignore import Ignore

Unreadable = Callable[[str, OSError], None]

_MOST_RULES = 1_000_000


@dataclass(frozen=True, slots=True)
class Ground:
    """Where to look: `start` are the names that lead from the directory `root` to the one that is searched; with
    `ignored` also what .gitignore leaves out."""

    root: str
    start: tuple[str, ...] = ()
    ignored: bool = False

    @property
    def base(self) -> str:
        """The directory that is searched."""
        return os.path.join(self.root, *self.start)


@dataclass(frozen=True, slots=True)
class Found:
    """What lies there: its names from the root, and what it is."""

    names: tuple[str, ...]
    kind: Literal["file", "folder", "link"]


@dataclass(frozen=True, slots=True)
class _Level:
    """The rules in force in one directory: each with how many names lead from the root to its file, deepest first."""

    rules: tuple[tuple[int, Ignore], ...] = ()

    def entered(self, folder: str, depth: int, has_git: bool, has_ignore: bool) -> _Level:
        """The rules in force in `folder`, `depth` names below the root."""
        rules = () if has_git else self.rules
        own = _ignore_of(folder) if has_ignore else None
        return _Level(((depth, own), *rules) if own else rules)

    def ignores(self, names: Sequence[str], directory: bool) -> bool:
        """Whether the entry, named from the root, is left out."""
        for depth, ignore in self.rules:
            verdict = ignore.verdict(names[depth:], directory)
            if verdict is not None:
                return verdict
        return False


def walk(ground: Ground, unreadable: Unreadable) -> Iterator[Found]:
    """What lies below the ground, a directory before what is in it. `unreadable` is told of directories that cannot be
    listed."""
    above = _above(ground)
    if above is None:
        return
    levels = [above]
    waiting = [_entries(ground, ground.start, levels, unreadable)]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            levels.pop()
            continue
        yield found
        if found.kind == "folder":
            levels.append(levels[-1])
            waiting.append(_entries(ground, found.names, levels, unreadable))


def _above(ground: Ground) -> _Level | None:
    """The rules in force around the directory that is searched; None when they leave it out."""
    level = _Level()
    for depth, name in enumerate(ground.start):
        if name == ".git":
            return None
        if not ground.ignored:
            folder = os.path.join(ground.root, *ground.start[:depth])
            has_git = os.path.lexists(os.path.join(folder, ".git"))
            level = level.entered(folder, depth, has_git, has_ignore=True)
            if level.ignores(ground.start[: depth + 1], True):
                return None
    return level


def _entries(ground: Ground, names: tuple[str, ...], levels: list[_Level], unreadable: Unreadable) -> Iterator[Found]:
    """The kept entries of a directory in order. At the end of `levels` its own rules take the place of those around."""
    folder = os.path.join(ground.root, *names)
    try:
        with os.scandir(folder) as listing:
            entries = {entry.name: entry for entry in listing}
    except OSError as error:
        unreadable(folder, error)
        return
    if not ground.ignored:
        levels[-1] = levels[-1].entered(folder, len(names), ".git" in entries, ".gitignore" in entries)
    level = levels[-1]
    for name in sorted(entries, key=os.fsencode):
        kind = _kind(entries[name])
        path = (*names, name)
        if name != ".git" and kind is not None and not level.ignores(path, kind == "folder"):
            yield Found(path, kind)


def _kind(entry: os.DirEntry[str]) -> Literal["file", "folder", "link"] | None:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else None


def _ignore_of(folder: str) -> Ignore | None:
    """The rules of a directory's own .gitignore; as for git, a link is none."""
    path = os.path.join(folder, ".gitignore")
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with os.fdopen(regular.opened(path), "rb") as file:
            return Ignore(file.read(_MOST_RULES)) or None
    except OSError:
        return None

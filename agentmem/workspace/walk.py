"""Walk: the files below a directory in a fixed order, without what .gitignore files leave out.

Honoured are the .gitignore files from `root` down; a repository inside (a directory that holds `.git`) answers only to
its own. Names come in the order of their bytes, directory by directory. `.git` is never entered, links are not
followed, and only regular files are given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentmem.workspace.ignore import Ignore

Unreadable = Callable[[str, OSError], None]


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


def walk(ground: Ground, unreadable: Unreadable) -> Iterator[tuple[str, ...]]:
    """The files, each as its names from the root. `unreadable` is told of directories that cannot be listed."""
    above = _above(ground)
    if above is None:
        return
    waiting = [_entries(ground, ground.start, above, unreadable)]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
        elif isinstance(found, _Folder):
            waiting.append(_entries(ground, found.names, found.level, unreadable))
        else:
            yield found


@dataclass(frozen=True, slots=True)
class _Folder:
    """A directory to enter, and the rules in force around it."""

    names: tuple[str, ...]
    level: _Level


def _above(ground: Ground) -> _Level | None:
    """The rules in force around the directory that is searched; None when they leave it out."""
    level = _Level()
    for depth, name in enumerate(ground.start):
        if name == ".git":
            return None
        if not ground.ignored:
            folder = os.path.join(ground.root, *ground.start[:depth])
            has_git = os.path.exists(os.path.join(folder, ".git"))
            level = level.entered(folder, depth, has_git, has_ignore=True)
            if level.ignores(ground.start[: depth + 1], True):
                return None
    return level


def _entries(
    ground: Ground, names: tuple[str, ...], around: _Level, unreadable: Unreadable
) -> Iterator[tuple[str, ...] | _Folder]:
    """The kept files and directories of a directory in order."""
    folder = os.path.join(ground.root, *names)
    try:
        with os.scandir(folder) as listing:
            entries = {entry.name: entry for entry in listing}
    except OSError as error:
        unreadable(folder, error)
        return
    level = around
    if not ground.ignored:
        level = around.entered(folder, len(names), ".git" in entries, ".gitignore" in entries)
    for name in sorted(entries, key=os.fsencode):
        directory = entries[name].is_dir(follow_symlinks=False)
        if name == ".git" or not (directory or entries[name].is_file(follow_symlinks=False)):
            continue
        path = (*names, name)
        if not level.ignores(path, directory):
            yield _Folder(path, level) if directory else path


def _ignore_of(folder: str) -> Ignore | None:
    try:
        with open(os.path.join(folder, ".gitignore"), "rb") as file:
            return Ignore(file.read()) or None
    except OSError:
        return None

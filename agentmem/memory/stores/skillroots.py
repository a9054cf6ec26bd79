"""Skill roots: the folders that skills are read from, in a fixed order, and the files below each.

A folder that holds a SKILL.md is a skill, and what lies below it belongs to it. A folder of skills may hold folders of
skills. Depth and number of folders are bounded; a link is followed to a skill wherever it lies, to a folder of skills
only within its root.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.domain.skill import Found, Level
from agentmem.memory.stores import skillplaces
from agentmem.memory.stores.skillfile import NAME

DEEPEST = 6
MOST_FOLDERS = 10_000

_OTHERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that skills are read from."""

    path: str
    level: Level


@dataclass(frozen=True, slots=True)
class Spot:
    """A skill's file: `mark` is what a cache knows it by (device, inode, size, time of change)."""

    path: str
    root: Root
    mark: tuple[int, int, int, int]


def built_in() -> str:
    """Where the skills lie that ship with agentmem: in an installed package, or beside a checkout's."""
    package = Path(__file__).resolve().parents[2]
    shipped = package / "builtin_skills"
    return str(shipped if shipped.is_dir() else package.parent / "skills")


def roots(places: Places) -> tuple[Root, ...]:
    """The roots that are there, the first one first: the project's, the person's, the built-in one. A folder of the
    person's that is also the project's counts as the person's."""
    shipped = [Root(built_in(), "built-in")] if os.path.isdir(built_in()) else []
    others = [*(Root(path, "user") for path in skillplaces.person(places)), *shipped]
    theirs = {os.path.realpath(one.path) for one in others}
    own = [path for path in skillplaces.project(places) if os.path.realpath(path) not in theirs]
    return (*(Root(path, "project") for path in own), *others)


def walk(root: Root) -> Iterator[Spot | Found]:
    """The skills' files below a root, and what is not followed with the reason; breadth first, by name."""
    return _Walk(root).run()


class _Walk:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._real = os.path.realpath(root.path)
        self._seen = {self._real}
        self._left = MOST_FOLDERS
        self._waiting: deque[tuple[str, int]] = deque([(root.path, 0)])

    def run(self) -> Iterator[Spot | Found]:
        while self._waiting:
            folder, depth = self._waiting.popleft()
            if self._left <= 0:
                yield self._not(folder, f"more than {MOST_FOLDERS:,} folders: this one and what follows was not read")
                return
            self._left -= 1
            try:
                with os.scandir(folder) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError as error:
                yield self._not(folder, f"the folder cannot be read: {error.strerror}")
                continue
            files = [entry for entry in entries if entry.name.upper() == NAME.upper()]
            if files:
                yield from self._skill(files)
            if not files or folder == self._root.path:
                yield from self._below(entries, depth)

    def _skill(self, files: list[os.DirEntry[str]]) -> Iterator[Spot | Found]:
        """The file of this name, and those that it outdoes."""
        first, *rest = sorted(files, key=lambda entry: (entry.name != NAME, entry.name))
        if _is_folder(first):
            yield self._not(first.path, "a folder of this name is no skill")
        elif first.is_symlink() and not self._stays(first.path):
            yield self._not(first.path, f"it is a link that leads out, to {os.path.realpath(first.path)}")
        else:
            try:
                mark = os.stat(first.path)
            except OSError as error:
                yield self._not(first.path, error.strerror)
            else:
                yield Spot(first.path, self._root, (mark.st_dev, mark.st_ino, mark.st_size, mark.st_mtime_ns))
        for other in rest:
            yield self._not(other.path, f"{first.name} in the same folder counts")

    def _below(self, entries: list[os.DirEntry[str]], depth: int) -> Iterator[Found]:
        for entry in entries:
            if entry.name in _OTHERS or not _is_folder(entry):
                continue
            if depth == DEEPEST:
                yield self._not(entry.path, f"deeper than {DEEPEST} folders: not read")
            elif not entry.is_symlink():
                self._waiting.append((entry.path, depth + 1))
            elif (real := os.path.realpath(entry.path)) not in self._seen:
                self._seen.add(real)
                if _within(real, self._real) or _holds_skill(entry.path):
                    self._waiting.append((entry.path, depth + 1))
                else:
                    yield self._not(entry.path, f"a link that leads out of {self._root.path}, to {real}: not followed")

    def _stays(self, path: str) -> bool:
        real = os.path.realpath(path)
        return _within(real, self._real) or _within(real, os.path.realpath(os.path.dirname(path)))

    def _not(self, path: str, reason: str | None) -> Found:
        return Found(path, self._root.level, reason=reason or "it cannot be read")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _holds_skill(folder: str) -> bool:
    try:
        return any(name.upper() == NAME.upper() for name in os.listdir(folder))
    except OSError:
        return False


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

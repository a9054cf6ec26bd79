"""Guarded: which files are the agent's memory; no tool writes them, only the gate does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.workspace.paths import folded, folds_case, identities

_FILES = ("MEMORY.md", "AGENT.md")
_FOLDERS = ("memory", "skills")
TRUST, SEEN, HELD = "trust", "skills.seen", "skills.held"
VOUCHED = (TRUST, SEEN, HELD)
"""Files of the person's level that say what they vouched for."""
_LINKS_MOST = 5_000  # files of the memory folders looked through for a hard link


def memory_file(target: Path, places: Places) -> str | None:
    """How a person calls the memory that the resolved `target` belongs to (`MEMORY.md`, `skills/`, `trust`, …), None
    when it is none. Links, hard links, second mounts and, where the disk folds case, other spellings are seen
    through."""
    spots = dict(_memory(places))
    for spot, name in spots.items():
        if target.is_relative_to(spot) or _same_name(target, spot):
            return name
    marks = identities(target)
    for spot, name in spots.items():
        mark = _identity(spot)
        if mark is not None and mark in marks:
            return name
    return _hard_link(target, spots)


def _memory(places: Places) -> Iterator[tuple[Path, str]]:
    """Every place that holds memory, with its name for people: the work tree's, the main one's, the person's."""
    for level in dict.fromkeys((places.root, places.shared.parent, Path(os.path.realpath(places.home)))):
        for name in _FILES:
            yield level / name, name
        for name in _FOLDERS:
            yield level / name, f"{name}/"
    for name in VOUCHED:
        yield Path(os.path.realpath(places.home)) / name, name
    yield places.own, ".agent/"
    yield places.shared, ".agent/"


def _same_name(target: Path, spot: Path) -> bool:
    """Whether `target` is `spot` or below it in other letters of the same names.

    A file such as `memory.md` counts on every disk: a checkout elsewhere may fold it into MEMORY.md. A folder such as
    `Memory/` may be the project's own, and counts where this disk folds it.
    """
    parts = target.parts[: len(spot.parts)]
    if [folded(name) for name in parts] != [folded(name) for name in spot.parts]:
        return False
    if parts[:-1] == spot.parts[:-1] and spot.name not in _FOLDERS:
        return True
    return folds_case(spot.parent)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        mark = os.stat(path)
    except OSError:
        return None
    return mark.st_dev, mark.st_ino


def _hard_link(target: Path, spots: dict[Path, str]) -> str | None:
    """The memory that a file with several names also belongs to."""
    try:
        mark = os.stat(target)
    except OSError:
        return None
    if mark.st_nlink < 2 or os.path.isdir(target):
        return None
    left = _LINKS_MOST
    for spot, name in spots.items():
        for folder, _, files in os.walk(spot):
            left -= len(files)
            if any(_identity(Path(folder, file)) == (mark.st_dev, mark.st_ino) for file in files):
                return name
            if left < 0:
                return None
    return None

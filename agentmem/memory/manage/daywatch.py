"""Daywatch: what happens to the day files past the gate while a command of the agent runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.desk import Desk, Level
from agentmem.memory.read.tellers import sections_of
from agentmem.memory.write.gate import chronicle
from agentmem.regular import Sign, sign


@dataclass(frozen=True, slots=True)
class Days:
    """How the day files of both levels were: of each what tells that it was not touched since, and its sections."""

    files: Mapping[Path, tuple[Sign, frozenset[str]]]


def look(desk: Desk, before: Days | None = None) -> Days:
    """Look at the day files, only at those that changed since `before`. What cannot be read counts as empty."""
    files: dict[Path, tuple[Sign, frozenset[str]]] = {}
    for level in desk.levels:
        for path, now in _listed(level):
            known = before.files.get(path) if before is not None else None
            files[path] = known if known is not None and known[0] == now else (now, _sections(path))
    return Days(files)


def by_tool(desk: Desk, before: Days) -> list[str]:
    """Hold what came into the day files since `before`, while a tool ran; gives the files that it stands in. Raises
    `OSError`, `MemoryBusy`."""
    found: list[str] = []
    for level in desk.levels:
        for path, now in _listed(level):
            known = before.files.get(path)
            if known is not None and known[0] == now:
                continue
            came = _sections(path) - (known[1] if known is not None else frozenset())
            if came and chronicle.hold(sorted(came), level, desk):
                found.append(f"memory/{path.name}" if level.scope == "project" else str(path))
    return found


def since(desk: Desk, levels: list[Level], when: int) -> Days:
    """The day files as far as they were not touched from `when` on (nanoseconds), and those of other levels as they
    are: what a killed command may have written is not in it."""
    found = look(desk)
    own = {level.days for level in levels}
    return Days(
        {path: (was, of) for path, (was, of) in found.files.items() if path.parent not in own or was.changed < when}
    )


def _listed(level: Level) -> Iterator[tuple[Path, Sign]]:
    try:
        names = sorted(os.listdir(level.days))
    except OSError:
        return
    for name in names:
        if not name.endswith(".md"):
            continue
        if (found := sign(level.days / name)) is not None:
            yield level.days / name, found


def _sections(path: Path) -> frozenset[str]:
    try:
        return sections_of(path)
    except OSError:
        return frozenset()

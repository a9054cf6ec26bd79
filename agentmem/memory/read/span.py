"""Span: entries of a branch that its active part no longer holds, read from the log where they stand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from agentmem.domain.entry import Entry
from agentmem.memory.read.growth import Growth
from agentmem.memory.stores import lines, stretch


def between(path: Path, start: str | None, at: int | None, end: str) -> tuple[Entry, ...] | None:
    """The entries from `start` (at byte `at`; None: from the root) to before `end` on the branch that `end` is on, root
    first; None where they are not there. Raises `OSError`."""
    found = through(path, start, at, end)
    return None if found is None else found[:-1]


def through(path: Path, start: str | None, at: int | None, end: str) -> tuple[Entry, ...] | None:
    """The same, with `end` itself."""
    with stretch.opened(path) as handle:
        if at is not None and start is not None and _bears(handle, at, start):
            found = _path(_grown(handle, at, end, partial=True), start, end)
            if found is not None:
                return found
        return _path(_grown(handle, 0, end, partial=False), start, end)


def offsets(path: Path, wanted: Iterable[str]) -> dict[str, int]:
    """Where the entries with these ids stand in the log, the last of each; those not found are left out. Raises
    `OSError`."""
    left = set(wanted)
    found: dict[str, int] = {}
    with stretch.opened(path) as handle:
        end = stretch.size(handle)
        for own in left:
            needle = b'"id":' + json.dumps(own, ensure_ascii=False).encode()
            for place in stretch.backwards(handle, (needle,), end):
                start = stretch.line_start(handle, place)
                if _bears(handle, start, own):
                    found[own] = start
                    break
    return found


def _bears(handle: int, at: int, own: str) -> bool:
    raw = stretch.line_at(handle, at)
    values = lines.parse(raw)[0] if raw is not None else []
    return any(value.get("id") == own and value.get("type") != "session" for value in values)


def _grown(handle: int, at: int, end: str, *, partial: bool) -> dict[str, Entry]:
    """The entries from byte `at` to the one named `end`."""
    growth = Growth("", partial=partial)
    mark = json.dumps(end, ensure_ascii=False).encode()
    for number, raw in enumerate(stretch.lines_from(handle, at), 1):
        for value in lines.parse(raw)[0]:
            growth.take(number, value)
        if mark in raw and growth.entries and growth.entries[-1].id == end:
            break
    return {entry.id: entry for entry in growth.entries}


def _path(entries: dict[str, Entry], start: str | None, end: str) -> tuple[Entry, ...] | None:
    found: list[Entry] = []
    own: str | None = end
    while own is not None:
        if (entry := entries.get(own)) is None:
            return None
        found.append(entry)
        if own == start:
            return tuple(reversed(found))
        own = entry.parent_id
    return tuple(reversed(found)) if start is None else None

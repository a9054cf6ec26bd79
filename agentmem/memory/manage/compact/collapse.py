"""Collapse: stale results become one line each; their records and their places stay.

First those that a later call has overtaken (the file was read again or written, the same call was made again), then the
oldest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, ToolCall
from agentmem.memory.manage.compact import marker
from agentmem.memory.manage.compact.layout import Change, Layout, Room

FORM = "collapse"
LEAST = 400
"""Bytes that collapsing one result must free."""
_MARKING = marker.Marking(FORM, marker.collapsed, LEAST)
_KEEPS = frozenset({"todo"})
_WRITES = frozenset({"write", "edit"})


def collapse(found: Layout, room: Room, want: int) -> Change | None:
    """Collapse results before the protected steps until `want` bytes are freed; None where nothing can be."""
    end = found.protected(room)
    rows = [
        row
        for unit in found.units[:end]
        for row in found.results(unit, shortened=True)
        if row[0].id not in found.brought and row[2].name not in _KEEPS
    ]
    overtaken = _overtaken(found)
    rows.sort(key=lambda row: row[0].id not in overtaken)  # a stable sort: the oldest come first in both
    held = {entry.id: size for entry, size in zip(found.entries, found.sizes, strict=True)}
    return _MARKING.change(((held[row[0].id], *row) for row in rows), found.folder, want)


def _overtaken(found: Layout) -> set[str]:
    """Results that a later call has made stale."""
    latest: dict[str, str] = {}
    stale: set[str] = set()
    for entry, message, call in _rows(found):
        if message.error:
            continue
        for key in _overtakes(call):
            if (before := latest.pop(key, None)) is not None:
                stale.add(before)
        if call.name not in _WRITES:
            latest.update(dict.fromkeys(_overtakes(call), entry.id))
    return stale


def _rows(found: Layout) -> Iterator[tuple[Entry, Message, ToolCall]]:
    for unit in found.units:
        yield from found.results(unit, shortened=True)


def _overtakes(call: ToolCall) -> tuple[str, ...]:
    """What a call's result is about, as keys: two results under one key tell of the same thing."""
    path = call.arguments.get("path")
    if isinstance(path, str) and (call.name in _WRITES or (call.name == "read" and set(call.arguments) == {"path"})):
        return (f"file {path}",)
    return (f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)}",)

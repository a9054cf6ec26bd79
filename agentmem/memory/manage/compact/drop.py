"""Drop: steps whose calls were malformed leave the prompt once a good one followed."""

from __future__ import annotations

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.layout import Change, Layout, Room, Unit

FORM = "drop"
PROSE = 200
"""Characters a malformed step may say and still be dropped."""


def drop(found: Layout, room: Room, want: int) -> Change | None:
    """Drop malformed steps before the protected ones; None where there are none. They are few and small: all go."""
    targets: dict[str, str | None] = {}
    freed = 0
    good: set[str] = set()
    end = found.protected(room)
    for number in range(len(found.units) - 1, -1, -1):
        unit = found.units[number]
        names = _good(found, unit)
        if number < end and not unit.said and (bad := _malformed(found, unit)) is not None:
            if good & bad or (good and None in bad):
                own = {entry.id: None for entry in _messages(found, unit)}
                if not found.brought.isdisjoint(own):
                    continue
                targets |= own
                freed += unit.size
            continue
        good |= names
    return Change(FORM, targets, freed, {}) if targets else None


def _good(found: Layout, unit: Unit) -> set[str]:
    """The tools of a step that a call of it used well."""
    return {call.name for _, message, call in found.results(unit) if not message.error}


def _malformed(found: Layout, unit: Unit) -> set[str | None] | None:
    """The tools that a step called in vain, None among them for one that there is not; None for a step that is sound,
    or that holds more than its calls and their results."""
    entries = _messages(found, unit)
    rows = list(found.results(unit))
    if not rows or len(entries) != 1 + len(rows):
        return None
    head = entries[0].message()
    if head is None or len(head.calls) != len(rows) or len(head.text) > PROSE:
        return None
    kinds = [entry.body.get("malformed") or ("arguments" if call.raw is not None else None) for entry, _, call in rows]
    if not all(kinds):
        return None
    return {None if kind == "tool" else call.name for kind, (_, _, call) in zip(kinds, rows, strict=True)}


def _messages(found: Layout, unit: Unit) -> list[Entry]:
    return [entry for entry in found.entries[unit.start : unit.end] if entry.message() is not None]

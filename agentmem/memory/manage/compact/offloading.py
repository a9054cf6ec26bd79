"""Offload: big results go to files, their ends and where they lie stay in the prompt."""

from __future__ import annotations

from agentmem.memory.manage.compact import marker
from agentmem.memory.manage.compact.layout import Change, Layout, Room
from agentmem.memory.read import weight

FORM = "offload"
BIG = 8_000
"""Bytes from which a result is worth a file."""
_MARKING = marker.Marking(FORM, marker.excerpt, 1)


def offload(found: Layout, room: Room, want: int, *, last: bool = False) -> Change | None:
    """Offload big results, the oldest first, until `want` bytes are freed; None where nothing can be. As a last resort
    the protected steps are taken too, the biggest result first."""
    end = len(found.units) if last else found.protected(room)
    rows = [row for unit in found.units[:end] for row in found.results(unit) if row[0].id not in found.brought or last]
    sized = [(weight.total([message]), entry, message, call) for entry, message, call in rows]
    big = [row for row in sized if row[0] >= (2 * (marker.HEAD + marker.TAIL) if last else BIG)]
    if last:
        big.sort(key=lambda row: -row[0])
    return _MARKING.change(big, found.folder, want)

"""Gauge: the most tokens that a prompt can take, kept as its entries come, so that asking costs the same at any length.

What the provider counted for the last request and its answer, and a token for every byte since; before any count a
token for every byte. It is never too low where the provider's count is right.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.domain.entry import Entry
from agentmem.domain.message import Usage
from agentmem.memory.read import cut, weight


class Gauge:
    """Of one stretch of a branch that only grows; another stretch takes another gauge."""

    def __init__(self, before: str) -> None:
        """`before` is told in place of what a cut took out."""
        self._at = 0
        self._bytes = len(before.encode("utf-8", "replace"))
        self._counted: int | None = None

    def most(self, entries: Sequence[Entry], fixed: int) -> int:
        """The bound for the stretch as it is now; `fixed` bytes stand before its messages."""
        for entry in entries[self._at :]:
            self._take(entry)
        self._at = len(entries)
        return self._bytes + (fixed if self._counted is None else self._counted)

    def _take(self, entry: Entry) -> None:
        if entry.type == "model" or cut.is_cut(entry.type, entry.body) or cut.is_edit(entry.type, entry.body):
            # Another model counts otherwise; what was counted before a cut held other messages.
            self._counted = None
            return
        message = entry.message()
        if message is None:
            return
        usage = Usage.from_json(entry.body.get("usage")) if message.role == "assistant" else Usage()
        if usage.input:
            self._counted, self._bytes = usage.input + usage.output, 0
        else:
            self._bytes += weight.total((message,))

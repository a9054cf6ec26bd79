"""Choosing: which names to give where there is not room for all, by what each brings that does not stand there yet."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from math import inf

from agentmem.memory.manage.compact.sections import size
from agentmem.memory.read.identifiers import Identifier, stands

Within = Mapping[str, tuple[str, ...]]
"""Of a name those that stand in it."""


def choose(
    worth: Mapping[Identifier, float], within: Within, shown: str, room: int, enough: float = inf
) -> list[Identifier]:
    """The names to put beside the text `shown`, in the order in which they were taken, until the `room` (in bytes) is
    full or they bring `enough`.

    A name brings the `worth` of itself and of all that stand within it (a command names its files, a path its
    directories), but for those that stand in the text or in one that was taken before. What brings the most for its
    length is taken first, and takes the place of the pieces of it that were taken before; what stands in the text
    already, as a piece of a longer one too, is not taken.
    """
    left = _Open(worth, within)
    ranked = [(-left.gain(one.text) / cost(one), number, one) for number, one in enumerate(worth)]
    heapq.heapify(ranked)
    taken: dict[str, Identifier] = {}
    while ranked and room > 0 and enough > 0:
        was, number, one = heapq.heappop(ranked)
        if not left.holds(one.text):
            continue
        inner = [piece for piece in within.get(one.text, ()) if piece in taken]
        price = cost(one) - sum(cost(taken[piece]) for piece in inner)
        if price > room:
            continue
        if stands(one.text, shown, whole=False):
            left.close(one.text)
            continue
        gain = left.gain(one.text)
        rank = -gain / max(1, price)
        if rank > was and ranked and rank > ranked[0][0]:  # others were taken that hold its pieces
            heapq.heappush(ranked, (rank, number, one))
            continue
        left.close(one.text)
        for piece in inner:
            del taken[piece]
        taken[one.text] = one
        room -= price
        enough -= gain
    return list(taken.values())


def cost(one: Identifier) -> int:
    """The bytes of a name in a list."""
    return size(one.text) + (3 if one.kind == "decision" else 1)


class _Open:
    """What names are worth that do not stand in the text yet."""

    def __init__(self, worth: Mapping[Identifier, float], within: Within) -> None:
        self._within = within
        self._left: dict[str, float] = {}
        for one, value in worth.items():
            self._left[one.text] = self._left.get(one.text, 0.0) + value

    def holds(self, text: str) -> bool:
        return text in self._left

    def gain(self, text: str) -> float:
        own = self._left.get(text, 0.0)
        inner = self._within.get(text)
        return own if inner is None else own + sum(self._left.get(one, 0.0) for one in inner)

    def close(self, text: str) -> None:
        """A name that stands there now, with all that stands in it."""
        for one in (text, *self._within.get(text, ())):
            self._left.pop(one, None)

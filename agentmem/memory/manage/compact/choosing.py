"""Choosing: which names to give where there is not room for all, by what each brings that does not stand there yet."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf

from agentmem.memory.read.contained import pieces
from agentmem.memory.read.identifiers import Identifier, stands
from agentmem.memory.read.kinds import Memo, named


def choose(
    worth: Mapping[Identifier, float], shown: str, cost: Callable[[Identifier], int], room: int, enough: float = inf
) -> list[Identifier]:
    """The names to put beside the text `shown`, in the order in which they were taken, until the `room` is full or they
    bring `enough`.

    A name brings the `worth` of itself and of all that stand within it (a command names its files, a path its
    directories), but for those that stand in the text or in one that was taken before. What brings the most for its
    `cost` is taken first; what stands in the text already, as a piece of a longer one too, is not taken.
    """
    all_ = _Worths(worth)
    ranked = [(-all_.gain(one.text) / cost(one), number, one) for number, one in enumerate(worth)]
    heapq.heapify(ranked)
    taken: list[Identifier] = []
    while ranked and room > 0 and enough > 0:
        was, number, one = heapq.heappop(ranked)
        if all_.open(one.text) and stands(one.text, shown, whole=False):
            all_.close(one.text)
        gain, price = all_.gain(one.text), cost(one)
        if not all_.open(one.text) or price > room:
            continue
        if -gain / price > was and ranked and -gain / price > ranked[0][0]:  # others were taken that hold its pieces
            heapq.heappush(ranked, (-gain / price, number, one))
            continue
        all_.close(one.text)
        taken.append(one)
        room -= price
        enough -= gain
    return taken


class _Worths:
    """What names are worth that do not stand in the text yet."""

    def __init__(self, worth: Mapping[Identifier, float]) -> None:
        self._left: dict[str, float] = {}
        for one, value in worth.items():
            self._left[one.text] = self._left.get(one.text, 0.0) + value
        self._within: dict[str, Sequence[str]] = {}
        memo = Memo()
        for one in worth:
            self._within[one.text] = tuple(self._inside(one, memo))

    def _inside(self, one: Identifier, memo: Memo) -> Iterator[str]:
        """The known names that stand in one, the one left out."""
        found: Iterator[str] = pieces(one.text)
        if one.kind in ("command", "error", "decision"):
            parts = [text for _, text in named(one.text, memo)]
            found = chain(parts, *(pieces(part) for part in parts))
        return (text for text in dict.fromkeys(found) if text in self._left and text != one.text)

    def open(self, text: str) -> bool:
        return text in self._left

    def gain(self, text: str) -> float:
        left = self._left
        return left.get(text, 0.0) + sum(left[one] for one in self._within[text] if one in left)

    def close(self, text: str) -> None:
        """A name that stands there now, with all that stands in it."""
        for one in (text, *self._within[text]):
            self._left.pop(one, None)

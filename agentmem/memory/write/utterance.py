"""Utterance: one sentence as somebody said it, and which runs of words in it are clauses that stand by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentmem.memory.write import preamble
from agentmem.memory.write.clause import Word

_FAR = 12  # words between two of a claim that are looked at
_IS = frozenset(["is", "are", "am"])
_NO_MEMBER = frozenset(["and", "but", "&", "i", "we", "you", "it"])
_FIRST = frozenset(["i", "my", "we", "our"])


@dataclass(frozen=True, slots=True)
class Utterance:
    """The words of a sentence. What was found out of a place in it is kept, as a claim asks for many runs."""

    words: Sequence[Word]
    _known: dict[tuple[str, int, int], bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def content(self) -> list[str]:
        """The words that say something by themselves."""
        return [word.text for word in self.words if not word.glue]

    def ends(self, told: Sequence[str], start: int) -> set[int]:
        """Where runs of a claim that begin at one of its words may end, as far as this sentence says them."""
        here = {at for at, word in enumerate(self.words) if word.text == told[start] and self._opens(at)}
        ends: set[int] = set()
        for end in range(start + 1, len(told) + 1):
            if any(self._closes(at) for at in here):
                ends.add(end)
            if end == len(told) or not here:
                break
            here = {to for at in here for to in self._next(at, told[end])}
        return ends

    def _next(self, at: int, wanted: str) -> Iterator[int]:
        """Where the next word of a run may stand."""
        for to in range(at + 1, min(len(self.words), at + 2 + _FAR)):
            if self.words[to].text == wanted and self._passes(at + 1, to):
                yield to

    def _passes(self, start: int, end: int) -> bool:
        """Whether the words between two of a run may be left out."""
        if (known := self._known.get(("between", start, end))) is None:
            known = self._known["between", start, end] = _may_pass(self.words, start, end)
        return known

    def _opens(self, at: int) -> bool:
        """Whether a clause may begin at a word."""
        if (known := self._known.get(("begins", at, at))) is None:
            known = self._known["begins", at, at] = _opens(self.words, at)
        return known

    def _closes(self, at: int) -> bool:
        """Whether a clause may end at a word."""
        if (known := self._known.get(("ends", at, at))) is None:
            known = self._known["ends", at, at] = _closes(self.words, at)
        return known


def _may_pass(words: Sequence[Word], start: int, end: int) -> bool:
    between = words[start:end]
    if preamble.filling(between) or (
        preamble.stressing(between) and preamble.doubtful([word.text for word in words[:start]])
    ):
        return True
    if between[0].edge == "(" and words[end].edge == ")":
        return preamble.behind(between)
    # The other members of a list, when the last of them is joined by a word.
    joined = _joined(words, end) or (words[end].edge == "," and any(map(_adds, words[end:])))
    return joined and preamble.listed(between)


def _adds(word: Word) -> bool:
    """Whether a word may be the last member of a list, and no new subject."""
    return word.edge == "&" and word.text not in _NO_MEMBER


def _joined(words: Sequence[Word], at: int) -> bool:
    """Whether a joining word stands before a word, or before what is said of the same with it ("and are")."""
    while words[at].edge != "&" and words[at - 1].text in _IS:
        at -= 1
    return words[at].edge == "&"


def _opens(words: Sequence[Word], at: int) -> bool:
    """Whether a clause may begin at a word."""
    starts = range(at, max(-1, at - _FAR), -1)
    edges = (edge for edge in starts if edge == 0 or (words[edge].edge and words[edge].edge != "."))
    before = preamble.introduces if words[at].text in _FIRST else preamble.before
    return any(
        preamble.asks_along(words[edge:at]) and (edge == 0 or before(words[:edge], words[edge].edge)) for edge in edges
    )


def _closes(words: Sequence[Word], at: int) -> bool:
    """Whether a clause may end at a word."""
    edges = (edge for edge in range(at + 1, len(words)) if words[edge].edge)
    ends = (edge for edge in (*edges, len(words)) if edge <= at + _FAR)
    return any(
        preamble.thanks(words[at + 1 : edge])
        and preamble.behind(words[edge:])
        and (words[edge - 1].text != "but" or edge - 1 == at or preamble.contrasts(words[edge:]))
        for edge in ends
    )

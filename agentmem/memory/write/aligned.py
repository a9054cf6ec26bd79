"""Aligned: whether a claim is made of clauses as somebody said them, so that true words do not make a false sentence.

"Delete the old logs. Keep the production database." holds each word of "delete the production database", but nobody
said it; nor does "Ana reports to Bob" say that Bob reports to Ana, nor "the tests could run on sqlite" that they do.
A claim's words stand in the order they were said, in clauses of which nothing was left out but what means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentmem.memory.write import clause, preamble, statement
from agentmem.memory.write.utterance import Utterance

_TURNS = 40  # content words of a claim whose parts may have changed places
_PLACES = frozenset(
    ["in", "on", "at", "for", "during", "before", "after", "from", "to", "with", "by", "per", "under", "within"]
) | {"when", "whenever", "while", "if", "unless", "until", "once"}
_HEADS = frozenset(["only", "not", "never", "even", "except", "also", "nor", "or", "but", "than"])  # of such a part


def aligned(claim: str, said: Sequence[str]) -> list[int] | None:
    """The places in `said` of the sentences that a claim is made of, in the claim's order; None where it is not. Of
    equals the latest is taken."""
    pieces = map(preamble.stripped, statement.pieces(claim))
    told = [word for piece in pieces for word in Utterance(clause.words(piece)).content]
    if not told:
        return None
    holding = _holding(said, frozenset(told))
    found = _runs(told, holding)
    if found is None:
        found = next((whole for turned in _turns(told) if (whole := _whole(turned, holding)) is not None), None)
    return found


def restates(claim: str, said: str, held: frozenset[str]) -> bool:
    """Whether one sentence says all of a claim of one sentence, its parts in either order. Words of `held` count,
    though they say nothing by themselves: who it is of must be told."""
    told = [word.text for word in clause.words(claim) if not word.glue or word.text in held]
    one = Utterance(clause.words(said) if told else [])
    return any(len(turned) in one.ends(turned, 0) for turned in (told, *_turns(told)))


Holding = dict[str, list[tuple[int, Utterance]]]


def _holding(said: Sequence[str], told: frozenset[str]) -> Holding:
    """The sentences that hold a word of the claim, the latest first."""
    out: Holding = {}
    for at in reversed(range(len(said))):
        one = Utterance([] if told.isdisjoint(clause.content(said[at])) else clause.words(said[at]))
        for word in told.intersection(one.content):
            out.setdefault(word, []).append((at, one))
    return out


def _runs(told: Sequence[str], holding: Holding) -> list[int] | None:
    """The claim cut into runs of two words and more, each a clause of one sentence; a sentence of one word counts
    beside the one that stands next to it."""
    ways: dict[int, list[int]] = {len(told): []}
    for start in reversed(range(len(told))):
        best: tuple[int, int] | None = None
        for at, one in holding.get(told[start], ()):
            ends = [end for end in one.ends(told, start) if end in ways]
            if start + 1 in ends and len(told) > 1 and not _beside(told, start, (at, one), ways, holding):
                ends.remove(start + 1)
            if ends and (best is None or max(ends) > best[0]):
                best = max(ends), at
        if best is not None:
            ways[start] = [best[1], *ways[best[0]]]
    return ways.get(0)


def _beside(
    told: Sequence[str], start: int, one: tuple[int, Utterance], ways: dict[int, list[int]], holding: Holding
) -> bool:
    """Whether a word of the claim is a sentence of its own that stands next to what the claim says before or after."""
    at, here = one
    if len(here.content) > 1:
        return False
    if following := ways[start + 1]:
        return following[0] == at + 1
    before = [
        content for other, held in holding.get(told[start - 1], ()) if other == at - 1 and (content := held.content)
    ]
    return bool(before) and before[0][-1] == told[start - 1]


def _whole(told: Sequence[str], holding: Holding) -> list[int] | None:
    """The one sentence that says all of it."""
    found = holding.get(told[0], ())
    return next(([at] for at, one in found if len(told) in one.ends(told, 0)), None)


def _turns(told: Sequence[str]) -> Iterator[list[str]]:
    """The claim with its parts in the other order, where one says where, when or for what."""
    for at in range(1, len(told)) if len(told) <= _TURNS else ():
        if (told[at] in _PLACES or told[0] in _PLACES) and told[at - 1] not in _HEADS:
            yield [*told[at:], *told[:at]]

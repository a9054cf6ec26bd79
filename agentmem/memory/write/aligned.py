"""Aligned: whether a claim is made of clauses as somebody said them, so that true words do not make a false sentence.

"Delete the old logs. Keep the production database." holds each word of "delete the production database", but nobody
said it; nor does "Ana reports to Bob" say that Bob reports to Ana, nor "the tests could run on sqlite" that they do.
A claim's words stand in the order they were said, in clauses of which nothing was left out but what means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentmem.memory.write import clause, preamble, statement
from agentmem.memory.write.clause import Word

_FAR = 12  # words between two of a claim that are looked at
_TURNS = 40  # content words of a claim whose parts may have changed places
_PLACES = frozenset(
    ["in", "on", "at", "for", "during", "before", "after", "from", "to", "with", "by", "per", "under", "within"]
) | {"when", "whenever", "while", "if", "unless", "until", "once"}
_IS = frozenset(["is", "are", "am"])
_NO_MEMBER = frozenset(["and", "but", "&", "i", "we", "you", "it"])
_FIRST = frozenset(["i", "my", "we", "our"])
_HEADS = frozenset(["only", "not", "never", "even", "except", "also", "nor", "or", "but", "than"])  # of such a part


def aligned(claim: str, said: Sequence[str]) -> list[int] | None:
    """The places in `said` of the sentences that a claim is made of, in the claim's order; None where it is not. Of
    equals the latest is taken."""
    told = [word for piece in statement.pieces(claim) for word in _content(clause.words(preamble.stripped(piece)))]
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
    words = clause.words(said) if told else []
    return any(len(turned) in _ends(turned, 0, words) for turned in (told, *_turns(told)))


Holding = dict[str, list[tuple[int, list[Word]]]]


def _holding(said: Sequence[str], told: frozenset[str]) -> Holding:
    """The sentences that hold a word of the claim, the latest first."""
    out: Holding = {}
    for at in reversed(range(len(said))):
        words = [] if told.isdisjoint(clause.content(said[at])) else clause.words(said[at])
        for word in told.intersection(_content(words)):
            out.setdefault(word, []).append((at, words))
    return out


def _content(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words if not word.glue]


def _runs(told: Sequence[str], holding: Holding) -> list[int] | None:
    """The claim cut into runs of two words and more, each a clause of one sentence; a sentence of one word counts
    beside the one that stands next to it."""
    ways: dict[int, list[int]] = {len(told): []}
    for start in reversed(range(len(told))):
        best: tuple[int, int] | None = None
        for at, words in holding.get(told[start], ()):
            ends = [end for end in _ends(told, start, words) if end in ways]
            if start + 1 in ends and len(told) > 1 and not _beside(told, start, (at, words), ways, holding):
                ends.remove(start + 1)
            if ends and (best is None or max(ends) > best[0]):
                best = max(ends), at
        if best is not None:
            ways[start] = [best[1], *ways[best[0]]]
    return ways.get(0)


def _beside(
    told: Sequence[str], start: int, one: tuple[int, list[Word]], ways: dict[int, list[int]], holding: Holding
) -> bool:
    """Whether a word of the claim is a sentence of its own that stands next to what the claim says before or after."""
    at, words = one
    if len(_content(words)) > 1:
        return False
    if following := ways[start + 1]:
        return following[0] == at + 1
    before = [
        content for other, held in holding.get(told[start - 1], ()) if other == at - 1 and (content := _content(held))
    ]
    return bool(before) and before[0][-1] == told[start - 1]


def _whole(told: Sequence[str], holding: Holding) -> list[int] | None:
    """The one sentence that says all of it."""
    found = holding.get(told[0], ())
    return next(([at] for at, words in found if len(told) in _ends(told, 0, words)), None)


def _turns(told: Sequence[str]) -> Iterator[list[str]]:
    """The claim with its parts in the other order, where one says where, when or for what."""
    for at in range(1, len(told)) if len(told) <= _TURNS else ():
        if (told[at] in _PLACES or told[0] in _PLACES) and told[at - 1] not in _HEADS:
            yield [*told[at:], *told[:at]]


def _ends(told: Sequence[str], start: int, words: Sequence[Word]) -> set[int]:
    """Where runs that begin at a word of the claim may end, as far as one sentence says them."""
    here = {at for at, word in enumerate(words) if word.text == told[start] and _opens(words, at)}
    ends: set[int] = set()
    for end in range(start + 1, len(told) + 1):
        if any(_closes(words, at) for at in here):
            ends.add(end)
        if end == len(told) or not here:
            break
        here = {to for at in here for to in _next(words, at, told[end])}
    return ends


def _next(words: Sequence[Word], at: int, wanted: str) -> Iterator[int]:
    """Where the next word of a run may stand."""
    for to in range(at + 1, min(len(words), at + 2 + _FAR)):
        if words[to].text == wanted and _may_pass(words, at + 1, to):
            yield to


def _may_pass(words: Sequence[Word], start: int, end: int) -> bool:
    between = words[start:end]
    if preamble.filling(between) or (preamble.stressing(between) and preamble.doubtful(_content(words[:start]))):
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

"""Currency: of two statements about the same thing the later stands first, where the question wants what holds now.

A record is put before an earlier one of the same speaker when it states a change of what that one is found for (see
`altered`), or says the same sentence again with another value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentmem.memory.read.recall import altered
from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.passages import FILE, PERSON, day_terms
from agentmem.memory.read.recall.pool import worth
from agentmem.memory.read.recall.scoring import Scored
from agentmem.memory.stores.index import Totals

DEEP, LED, MOVED = 20, 5, 2
"""How many hits are looked at, how many of the first may be overtaken, and how many overtake."""
SHARED, SHARED_FIT = 0.5, 0.3
"""What share of the stems that an earlier statement was found for a change of it holds; less will do where it holds the
kind of value that is asked for."""
ALMOST = 0.6
MOST_AGAIN = 0.5
CLOSE = 0.05  # of the earlier one's score
AGAIN = 0.6
"""Of the stems of two statements, numbers aside, that are the same sentence with another value."""


def current_first(asked: Asked, hits: list[Scored], holders: Mapping[str, int], totals: Totals) -> list[Scored]:
    """The hits with later statements before those they change; the same where the question is about the past."""
    if not asked.now or len(hits) < 2:
        return hits
    worths = {stem: worth(totals.pieces, holders.get(stem, 0)) for stem in asked.topic}
    lead = hits[:DEEP]
    moved = 0
    for earlier in hits[:LED]:
        if moved == MOVED or earlier.turn.who not in (PERSON, FILE):
            continue
        at = lead.index(earlier)
        later = _later(asked, earlier, lead[at + 1 :], worths)
        if later is not None:
            lead.remove(later)
            lead.insert(at, later)
            moved += 1
    return lead + hits[DEEP:]


def _later(asked: Asked, earlier: Scored, below: Sequence[Scored], worths: Mapping[str, float]) -> Scored | None:
    """The hit below that changes what the earlier one says."""
    best, most = None, 0.0
    for one in below:
        if not (_follows(one, earlier) and one.score >= CLOSE * earlier.score):
            continue
        evidence = _evidence(asked, earlier, one, worths)
        if evidence > most:
            best, most = one, evidence
    return best


def _follows(one: Scored, earlier: Scored) -> bool:
    same = one.turn.who == earlier.turn.who
    return same and ((one.turn.at, one.turn.id) > (earlier.turn.at, earlier.turn.id))


def _evidence(asked: Asked, earlier: Scored, one: Scored, worths: Mapping[str, float]) -> float:
    """How much tells that `one` changes what the earlier hit says; 0 for nothing."""
    about = earlier.matched & asked.topic
    whole = sum(worths[stem] for stem in about)
    if not whole:
        return 0.0
    best = one.score * MOST_AGAIN if about <= one.matched and _again(earlier, one) else 0.0
    for kinds, said in altered.read(one.turn.states):
        both = about & said
        share = sum(worths[stem] for stem in both) / whole
        fits = asked.kind in kinds
        if (len(both) >= 2 or share >= ALMOST) and share >= (SHARED_FIT if fits else SHARED):
            best = max(best, share * one.score * (2 if fits else 1))
    return best


def _again(earlier: Scored, one: Scored) -> bool:
    """Whether it is the same sentence with another value."""
    first, second = _words(earlier), _words(one)
    return first != second and len(first & second) >= max(2, AGAIN * max(len(first), len(second)))


def _words(one: Scored) -> frozenset[str]:
    return frozenset(one.terms.split()).difference(day_terms(one.turn.at))

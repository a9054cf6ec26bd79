"""Matching: how well the pieces of each record answer a query.

piece   = BM25 x the share of the query it covers x nearness of words x who says it
covers  = the stems it holds, half of those for which a related word stands, and, of a short record, half of those
          that a short record near it holds: people do not say again what the talk is about
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise
from math import sqrt

from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.passages import AGENT, TOOL
from agentmem.memory.read.recall.pool import Pool, Settings, says, worth
from agentmem.memory.stores.index import Piece

AROUND = (-1, 1, -2, 2, -3, 3)
"""Where the records stand that a short record is read with."""


@dataclass(slots=True)
class Match:
    """A record's best piece: `alone` is what it scores, `score` the same with what the records around it cover, `bare`
    without coverage, `covered` what that is worth. `covers` tells how far it covers each stem, `held` which stems it
    holds, `terms` are all of its own; a `long` record has several pieces."""

    alone: float
    score: float
    bare: float
    covered: float
    covers: dict[str, float]
    held: list[str]
    terms: str
    size: int
    long: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """By record: its best piece, and the stems of the query that any of its pieces holds."""

    best: dict[int, Match] = field(default_factory=dict)
    held: dict[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Query:
    """What is looked for: what each stem is worth, the related words that may stand in for one with what each is worth
    there, the most first, and what all stems are worth that may be found at all."""

    worths: Mapping[str, float]
    stand_ins: Mapping[str, Sequence[tuple[str, float]]]
    wanted: frozenset[str]
    pairs: Sequence[tuple[str, str]]
    known: float
    mean: float


def worths(asked: Asked, pool: Pool) -> dict[str, float]:
    """What each stem of a query is worth."""
    pieces, holders = pool.totals.pieces, pool.holders
    return {stem: weight * worth(pieces, holders.get(stem, 0)) for stem, weight in asked.weights.items()}


def matches(asked: Asked, pool: Pool, to: Settings) -> Matches:
    """How the records answer, by their pieces."""
    query = _query(asked, pool, to)
    found = Matches()
    for piece in pool.pieces:
        match = _match(piece, query, asked.told, to)
        if match is None:
            continue
        before = found.held.get(piece.turn)
        found.held[piece.turn] = frozenset(match.held) if before is None else before.union(match.held)
        best = found.best.get(piece.turn)
        if best is None or match.alone > best.alone:
            found.best[piece.turn] = match
    if to.context and to.coverage:
        _read_together(found.best, query, to)
    return found


def _query(asked: Asked, pool: Pool, to: Settings) -> _Query:
    own = worths(asked, pool)
    stand_ins: dict[str, list[tuple[str, float]]] = {}
    for stem, others in asked.related.items() if to.related else ():
        # A common word in the place of a rare one tells no more than itself.
        there = [
            (other, to.related * min(own[stem], worth(pool.totals.pieces, pool.holders[other])))
            for other in others
            if pool.holders.get(other)
        ]
        if there:
            stand_ins[stem] = sorted(there, key=lambda one: one[1], reverse=True)
    found = {stem: value for stem, value in own.items() if pool.holders.get(stem) or stem in stand_ins}
    wanted = frozenset(found).union(other for others in stand_ins.values() for other, _ in others)
    mean = (pool.totals.terms / pool.totals.pieces) if pool.totals.pieces else 1.0
    return _Query(found, stand_ins, wanted, list(pairwise(own)), sum(found.values()) or 1.0, mean)


def _match(piece: Piece, query: _Query, told: bool, to: Settings) -> Match | None:
    """How one piece answers; None where it holds nothing that is looked for."""
    stems = piece.terms.split(" ")
    there = query.wanted.intersection(stems)
    if not there:
        return None
    k1 = to.k1
    norm = k1 * (1 - to.b) + k1 * to.b / query.mean * len(stems)
    bare, covered = 0.0, 0.0
    covers: dict[str, float] = {}
    held = []
    for stem, value in query.worths.items():
        if stem in there:
            times, covers[stem] = stems.count(stem), 1.0
            held.append(stem)
            bare += value * times * (k1 + 1) / (times + norm)
            covered += value
        elif stem in query.stand_ins:
            other, given = next((one for one in query.stand_ins[stem] if one[0] in there), ("", 0.0))
            if given:
                times, covers[stem] = stems.count(other), given / value
                bare += given * times * (k1 + 1) / (times + norm)
                covered += given
    if to.near and len(held) > 1:
        bare *= 1 + to.near * _nearness(query, held, stems) / query.known
    if piece.called or piece.long or piece.column == "other":
        bare *= _weight(piece, told, to)
    alone = bare * covered / query.known if to.coverage else bare
    return Match(alone, alone, bare, covered, covers, held, piece.terms, len(stems), piece.long)


def _weight(piece: Piece, told: bool, to: Settings) -> float:
    """What a piece counts by where it stands and who says it; `told`: what the agent said is asked for."""
    weight = to.call if piece.called else to.lead if piece.long and piece.number == 0 else 1.0
    if piece.column == "other" and (piece.tool or not (told and to.told)):
        weight *= says(piece.long, TOOL if piece.tool else AGENT, to)
    return weight


def _nearness(query: _Query, held: Sequence[str], stems: Sequence[str]) -> float:
    """How close stems stand that stand side by side in the query."""
    total = 0.0
    for left, right in query.pairs:
        if left in held and right in held:
            ours = [at for at, stem in enumerate(stems) if stem == left][:8]
            theirs = [at for at, stem in enumerate(stems) if stem == right][:8]
            gap = min(abs(one - other) for one in ours for other in theirs)
            total += (query.worths[left] + query.worths[right]) / 2 / (gap or 1)
    return total


def _read_together(best: Mapping[int, Match], query: _Query, to: Settings) -> None:
    """Let short records cover what those around them hold. Long ones hold a bit of everything."""
    # What falls short of so much, whatever stands around it, is not looked at.
    least = min(nlargest(to.deep, (one.alone for one in best.values())), default=0.0)
    short = {
        own: (one.covers, to.context * (1.0 if one.size <= to.short else sqrt(to.short / one.size)))
        for own, one in best.items()
        if not one.long
    }
    for own, (covers, share) in short.items():
        one = best[own]
        if one.bare * (one.covered + to.context * (query.known - one.covered)) < least * query.known:
            continue
        around: dict[str, float] = {}
        for step in AROUND:
            near = short.get(own + step)
            if near is not None:
                given = share * near[1] / to.context
                for stem in near[0].keys() - covers.keys():
                    around[stem] = max(around.get(stem, 0.0), given * near[0][stem])
        if around:
            # In the query's order: a sum must not depend on that of a set.
            more = sum(query.worths[stem] * around[stem] for stem in query.worths if stem in around)
            one.score = one.bare * (one.covered + more) / query.known

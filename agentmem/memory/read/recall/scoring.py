"""Scoring: which records answer a query best, from the pieces that share a stem with it.

    piece   = BM25 x the share of the query it covers x who says it
    record  = its best piece
            + the two records before and the one after it (an answer stands beside its question)
            + the session's score (the place where it was talked about)
            x less where it only asks, x more where it names a time that is asked for

What each part adds is measured in docs/recall.md. Everything here is a function of its arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.passages import AGENT, DATED, LONG, TOOL, is_call
from agentmem.memory.stores.index import Piece, Totals, Turn


@dataclass(frozen=True, slots=True)
class Settings:
    """One set for short turns and long messages. `before` and `answers` are shares of the record before, the second of a
    record that answers a question there; `call` is what counts of what was handed to a tool; `asks` is taken off a record
    that only asks; a record of more than `short` stems takes less from its neighbours."""

    k1: float = 1.2
    b: float = 0.5
    agent_long: float = 0.35
    agent_short: float = 1.0
    tool: float = 0.3
    call: float = 0.3
    lead: float = 1.3
    coverage: bool = True
    near: float = 0.5
    before: float = 0.15
    before_last: float = 0.15
    answers: float = 0.8
    after: float = 0.1
    session: float = 0.3
    asks: float = 0.25
    when: float = 1.2
    short: int = 30


@dataclass(frozen=True, slots=True)
class Pool:
    """What is scored: `pieces` that share a stem with the query and the records they are of (with their neighbours), how
    many pieces hold each stem, how much the room holds, and in how many scenes of each session each stem stands."""

    pieces: Sequence[Piece]
    turns: Mapping[int, Turn]
    holders: Mapping[str, int]
    totals: Totals
    scenes: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    sessions: int = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """A record with its score, and how well it alone answers: 1 is every stem of the query in a passage of usual length.
    `matched` are the stems it shares with the query."""

    turn: Turn
    score: float
    alone: float
    matched: frozenset[str]


def worth(pieces: int, holders: int) -> float:
    """How much a stem tells that so many of so many pieces hold."""
    return log(1 + (pieces - holders + 0.5) / (holders + 0.5))


def scored(asked: Asked, pool: Pool, to: Settings) -> list[Scored]:
    """The records, the best first; of equals the later."""
    worths = {
        stem: weight * worth(pool.totals.pieces, pool.holders.get(stem, 0)) for stem, weight in asked.weights.items()
    }
    alone, matched = _alone(worths, pool, to)
    top = max(alone.values(), default=0.0)
    if not top:
        return []
    sessions = _sessions(asked, pool) if to.session else {}
    ideal = sum(worths.values()) or 1.0
    found = []
    for own in {near for at in alone for near in (at - 1, at, at + 1, at + 2)}:
        turn = pool.turns.get(own)
        if turn is None or (own not in alone and not turn.terms):
            continue
        share = _neighbours(turn, alone, pool, to) + to.session * top * sessions.get(turn.source, 0.0)
        score = alone.get(own, 0.0) + share * _says(turn, to)
        score *= 1 - to.asks * turn.asks * _shortness(turn, to)
        if asked.when and turn.flags & DATED:
            score *= to.when
        found.append(Scored(turn, score, min(1.0, alone.get(own, 0.0) / ideal), matched.get(own, frozenset())))
    return sorted(found, key=lambda one: (one.score, one.turn.at, one.turn.ref), reverse=True)


def _alone(worths: Mapping[str, float], pool: Pool, to: Settings) -> tuple[dict[int, float], dict[int, frozenset[str]]]:
    """What each record's best piece scores, and the stems it shares with the query."""
    mean = (pool.totals.terms / pool.totals.pieces) if pool.totals.pieces else 1.0
    known = sum(value for stem, value in worths.items() if pool.holders.get(stem)) or 1.0
    pairs = _pairs(worths)
    alone: dict[int, float] = {}
    matched: dict[int, set[str]] = defaultdict(set)
    for piece in pool.pieces:
        turn = pool.turns.get(piece.turn)
        if turn is None:
            continue
        held = piece.terms.split(" ")
        at: dict[str, list[int]] = {}
        for place, stem in enumerate(held):
            if stem in worths:
                at.setdefault(stem, []).append(place)
        norm = to.k1 * (1 - to.b + to.b * len(held) / mean)
        score = sum(worths[stem] * len(places) * (to.k1 + 1) / (len(places) + norm) for stem, places in at.items())
        if to.coverage:
            score *= sum(worths[stem] for stem in at) / known
        if to.near and len(at) > 1:
            score *= 1 + to.near * _nearness(pairs, at, worths) / known
        if is_call(piece):
            score *= to.call
        elif piece.first and turn.flags & LONG:
            score *= to.lead
        matched[piece.turn].update(at)
        alone[piece.turn] = max(alone.get(piece.turn, 0.0), score * _says(turn, to))
    return alone, {own: frozenset(stems) for own, stems in matched.items()}


def _pairs(worths: Mapping[str, float]) -> list[tuple[str, str]]:
    stems = list(worths)
    return list(zip(stems, stems[1:], strict=False))


def _nearness(pairs: Sequence[tuple[str, str]], at: Mapping[str, list[int]], worths: Mapping[str, float]) -> float:
    """How close stems stand that stand side by side in the query."""
    total = 0.0
    for left, right in pairs:
        if left in at and right in at:
            gap = min(abs(one - other) for one in at[left][:8] for other in at[right][:8])
            total += (worths[left] + worths[right]) / 2 / (gap or 1)
    return total


def _says(turn: Turn, to: Settings) -> float:
    """How much it counts who says it: what a person said more than long answers and what tools gave."""
    if turn.who == AGENT:
        return to.agent_long if turn.flags & LONG else to.agent_short
    return to.tool if turn.who == TOOL else 1.0


def _shortness(turn: Turn, to: Settings) -> float:
    return min(1.0, sqrt(to.short / turn.terms)) if turn.terms else 1.0


def _neighbours(turn: Turn, alone: Mapping[int, float], pool: Pool, to: Settings) -> float:
    """What the records around give: an answer shares few words with its question, and stands behind it."""
    previous = pool.turns.get(turn.id - 1)
    asks = min(1.0, 2 * previous.asks) if previous is not None else 0.0
    share = (to.before + to.answers * asks) * alone.get(turn.id - 1, 0.0)
    share += to.before_last * alone.get(turn.id - 2, 0.0) + to.after * alone.get(turn.id + 1, 0.0)
    return share * _shortness(turn, to)


def _sessions(asked: Asked, pool: Pool) -> dict[int, float]:
    """How much each session is about the query, the best one 1."""
    found: dict[int, float] = defaultdict(float)
    for stem in asked.topic:
        held = pool.scenes.get(stem, {})
        value = worth(max(pool.sessions, len(held)), len(held)) if held else 0.0
        for session, scenes in held.items():
            found[session] += value * scenes * 1.5 / (scenes + 0.5)
    best = max(found.values(), default=0.0)
    return {session: value / best for session, value in found.items()} if best else {}


Scorer = Callable[[Asked, Pool], list[Scored]]
"""Another scorer may stand beside this one, e.g. by vectors; `blended` joins two."""


def blended(first: Sequence[Scored], second: Mapping[int, float], share: float) -> list[Scored]:
    """The first ranking with `share` of another one's scores (by record) mixed in, both brought to 0..1 by their smallest
    and largest value."""
    low, high = min((one.score for one in first), default=0.0), max((one.score for one in first), default=0.0)
    least, most = min(second.values(), default=0.0), max(second.values(), default=0.0)

    def mixed(one: Scored) -> float:
        own = (one.score - low) / (high - low) if high > low else 1.0
        if one.turn.id not in second:
            return (1 - share) * own
        other = (second[one.turn.id] - least) / (most - least) if most > least else 1.0
        return (1 - share) * own + share * other

    return sorted(
        (Scored(one.turn, mixed(one), one.alone, one.matched) for one in first), key=lambda one: one.score, reverse=True
    )

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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import pairwise
from math import log, sqrt

from agentmem.memory.read.recall.asking import NAME, Asked
from agentmem.memory.read.recall.passages import AGENT, DATED, LONG, TOOL
from agentmem.memory.stores.index import TURN_BITS, Piece, Totals, Turn

NEAR = 40
"""Of how many of the best those beside them are looked at."""
FEWEST = 50
"""Of fewer pieces than this a stem tells no more than of this many: in three texts every word is rare."""
SAID_MOST = 8
"""So many stems of a query say what it is about; a long message holds many more."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One set for short turns and long messages. `before` and `answers` are shares of the record before, the second of
    a record that answers a question there; `call` is what counts of what was handed to a tool; `asks` is taken off a
    record that only asks; a record of more than `short` stems takes less from its neighbours; `deep` records are looked
    at with what stands around them."""

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
    deep: int = 60


@dataclass(frozen=True, slots=True)
class Pool:
    """What is scored: `pieces` that share a stem with the query, how many pieces hold each stem, how much the room
    holds, in how many scenes of each session each stem stands, and how many sessions there are. `turns` gives records
    by their ids, those that are there."""

    pieces: Sequence[Piece]
    turns: Callable[[set[int]], Mapping[int, Turn]]
    holders: Mapping[str, int]
    totals: Totals
    scenes: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    sessions: int = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """A record with its score. `alone` says how well it answers by itself, `relevance` with what stands around it: 1 is
    every stem of the query in a passage of usual length. `matched` are the stems it shares with the query, `held` those
    of its best piece, and `terms` all of that piece. `about` is what each stem tells of what the query is about, names
    double; `timed`: it names a time, or none is asked for."""

    turn: Turn
    score: float
    alone: float
    relevance: float
    matched: frozenset[str]
    held: Sequence[str]
    about: Mapping[str, float]
    timed: bool = True
    terms: str = ""

    def covered(self, besides: Collection[str] = ()) -> float:
        """The share that its best piece holds of what the query is about, some stems left out of both."""
        said = sum(nlargest(SAID_MOST, (value for stem, value in self.about.items() if stem not in besides)))
        return min(1.0, sum(self.about[stem] for stem in self.held if stem not in besides) / said) if said else 0.0


def worth(pieces: int, holders: int) -> float:
    """How much a stem tells that so many of so many pieces hold."""
    return log(1 + (max(pieces, FEWEST) - holders + 0.5) / (holders + 0.5))


def scored(asked: Asked, pool: Pool, to: Settings) -> list[Scored]:
    """The records, the best first; of equals the later."""
    worths = {
        stem: weight * worth(pool.totals.pieces, pool.holders.get(stem, 0)) for stem, weight in asked.weights.items()
    }
    pieces = _alone(worths, pool, to)
    alone = pieces.scores
    top = max(alone.values(), default=0.0)
    if not top:
        return []
    sessions = _sessions(asked, pool) if to.session else {}
    looked_at = _looked_at(alone, to)
    turns = pool.turns(looked_at)
    found: list[tuple[float, Turn]] = []
    for own in looked_at:
        turn = turns.get(own)
        if turn is None or not turn.terms:
            continue
        short = 1.0 if turn.terms <= to.short else sqrt(to.short / turn.terms)
        around = to.session * top * sessions.get(own >> TURN_BITS, 0.0)
        if to.before or to.answers:
            around += short * _neighbours(own, alone, turns.get(own - 1), to)
        score = alone.get(own, 0.0) + around * _says(turn.flags & LONG > 0, turn.who, to)
        score *= 1 - to.asks * turn.asks * short
        if asked.when and turn.flags & DATED:
            score *= to.when
        found.append((score, turn))
    found.sort(key=lambda one: (one[0], one[1].at, one[1].ref), reverse=True)
    return _told(asked, found, worths, pieces)


def _told(
    asked: Asked, found: Sequence[tuple[float, Turn]], worths: Mapping[str, float], pieces: _Pieces
) -> list[Scored]:
    """The scores with how well each answers."""
    none: frozenset[str] = frozenset()
    ideal = sum(worths.values()) or 1.0
    about = {stem: value * (NAME if stem in asked.names else 1.0) for stem, value in worths.items()}
    return [
        Scored(
            turn,
            score,
            min(1.0, pieces.scores.get(turn.id, 0.0) / ideal),
            min(1.0, score / ideal),
            pieces.matched.get(turn.id, none),
            pieces.shared.get(turn.id, ()),
            about,
            not asked.when or turn.flags & DATED > 0,
            pieces.terms.get(turn.id, ""),
        )
        for score, turn in found
    ]


def _looked_at(alone: Mapping[int, float], to: Settings) -> set[int]:
    """The records that may come out first, with those behind and before the best."""
    best = nlargest(to.deep, alone, key=alone.__getitem__)
    if not (to.before or to.answers):
        return set(best)
    return {*best, *(near for own in best[:NEAR] for near in (own - 1, own + 1, own + 2) if near >= 0)}


@dataclass(slots=True)
class _Pieces:
    """By record: what its best piece scores, the stems this one shares with the query and all it holds, and what any
    piece shares."""

    scores: dict[int, float] = field(default_factory=dict)
    shared: dict[int, list[str]] = field(default_factory=dict)
    terms: dict[int, str] = field(default_factory=dict)
    matched: dict[int, frozenset[str]] = field(default_factory=dict)


def _alone(worths: Mapping[str, float], pool: Pool, to: Settings) -> _Pieces:
    """How the records answer by themselves."""
    mean = (pool.totals.terms / pool.totals.pieces) if pool.totals.pieces else 1.0
    known = sum(value for stem, value in worths.items() if pool.holders.get(stem)) or 1.0
    looked_for = [(f" {stem} ", stem, value) for stem, value in worths.items() if pool.holders.get(stem)]
    pairs = list(pairwise(worths))
    k1, flat, steep = to.k1, to.k1 * (1 - to.b), to.k1 * to.b / mean
    found = _Pieces()
    for piece in pool.pieces:
        held = f" {piece.terms} "
        norm = flat + steep * (held.count(" ") - 1)
        score = covered = 0.0
        shared = []
        for padded, stem, value in looked_for:
            if padded in held:
                times = held.count(padded)
                score += value * times * (k1 + 1) / (times + norm)
                covered += value
                shared.append(stem)
        if to.coverage:
            score *= covered / known
        if to.near and len(shared) > 1:
            score *= 1 + to.near * _nearness(pairs, shared, held, worths) / known
        if piece.called:
            score *= to.call
        elif piece.long and piece.number == 0:
            score *= to.lead
        if piece.column == "other":
            score *= _says(piece.long, TOOL if piece.tool else AGENT, to)
        before = found.matched.get(piece.turn)
        found.matched[piece.turn] = frozenset(shared) if before is None else before.union(shared)
        if score > found.scores.get(piece.turn, 0.0):
            found.scores[piece.turn] = score
            found.shared[piece.turn] = shared
            found.terms[piece.turn] = piece.terms
    return found


def _nearness(pairs: Sequence[tuple[str, str]], shared: Sequence[str], held: str, worths: Mapping[str, float]) -> float:
    """How close stems stand that stand side by side in the query."""
    total = 0.0
    stems: list[str] = []
    for left, right in pairs:
        if left in shared and right in shared:
            stems = stems or held.split()
            ours = [at for at, stem in enumerate(stems) if stem == left][:8]
            theirs = [at for at, stem in enumerate(stems) if stem == right][:8]
            gap = min(abs(one - other) for one in ours for other in theirs)
            total += (worths[left] + worths[right]) / 2 / (gap or 1)
    return total


def _says(long: bool, who: int, to: Settings) -> float:
    """How much it counts who says it: what a person said more than long answers and what tools gave."""
    if who == AGENT:
        return to.agent_long if long else to.agent_short
    return to.tool if who == TOOL else 1.0


def _neighbours(own: int, alone: Mapping[int, float], previous: Turn | None, to: Settings) -> float:
    """What the records around give: an answer shares few words with its question, and stands behind it."""
    before = alone.get(own - 1, 0.0)
    share = to.before * before + to.before_last * alone.get(own - 2, 0.0) + to.after * alone.get(own + 1, 0.0)
    if before and previous is not None and previous.asks:
        share += to.answers * min(1.0, 2 * previous.asks) * before
    return share


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
    """The first ranking with `share` of another one's scores (by record) mixed in, both brought to 0..1 by their
    smallest and largest value."""
    low, high = min((one.score for one in first), default=0.0), max((one.score for one in first), default=0.0)
    least, most = min(second.values(), default=0.0), max(second.values(), default=0.0)

    def mixed(one: Scored) -> float:
        own = (one.score - low) / (high - low) if high > low else 1.0
        if one.turn.id not in second:
            return (1 - share) * own
        other = (second[one.turn.id] - least) / (most - least) if most > least else 1.0
        return (1 - share) * own + share * other

    return sorted((replace(one, score=mixed(one)) for one in first), key=lambda one: one.score, reverse=True)

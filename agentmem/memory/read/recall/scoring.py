"""Scoring: which records answer a query best, from the pieces that share a stem with it.

    record  = its best piece (see `matching`)
            + the two records before and the one after it (an answer stands beside its question)
            + the session's score (the place where it was talked about)
            x less where it only asks, or speaks of the other alone
            x more where it names a time or a name that is asked for, or is said by whom the question names

What each part adds is measured in docs/recall.md. Everything here is a function of its arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import nlargest
from math import sqrt
from typing import NamedTuple

from agentmem.memory.read.recall.asking import NAME, Asked
from agentmem.memory.read.recall.matching import Match, Matches, matches, worths
from agentmem.memory.read.recall.passages import AGENT, DATED, LONG, NAMING, SPEAKER, TO_YOU, speaker
from agentmem.memory.read.recall.pool import Pool, Settings, says, worth
from agentmem.memory.stores.index import TURN_BITS, Turn

NEAR = 25
"""Of how many of the best those beside them are looked at."""
SAID_MOST = 8
"""So many stems of a query say what it is about; a long message holds many more."""


class Scored(NamedTuple):
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


def scored(asked: Asked, pool: Pool, to: Settings) -> list[Scored]:
    """The records, the best first; of equals the later."""
    found = matches(asked, pool, to)
    scores = {own: one.score for own, one in found.best.items()}
    top = max(scores.values(), default=0.0)
    if not top:
        return []
    sessions = _sessions(asked, pool) if to.session else {}
    looked_at = _looked_at(scores, to)
    turns = pool.turns(looked_at)
    ranked: list[tuple[float, Turn]] = []
    for own in looked_at:
        turn = turns.get(own)
        if turn is None or not turn.terms:
            continue
        short = 1.0 if turn.terms <= to.short else sqrt(to.short / turn.terms)
        around = to.session * top * sessions.get(own >> TURN_BITS, 0.0)
        if to.before or to.answers:
            around += short * _neighbours(own, scores, turns.get(own - 1), to)
        score = scores.get(own, 0.0) + around * _says(turn, asked, to)
        score *= (1 - to.asks * turn.asks * short) * _fits(turn, found.best.get(own), asked, to)
        ranked.append((score, turn))
    ranked.sort(key=lambda one: (one[0], one[1].at, one[1].ref), reverse=True)
    return _told(asked, ranked, worths(asked, pool), found)


def _told(
    asked: Asked, ranked: Sequence[tuple[float, Turn]], worths: Mapping[str, float], found: Matches
) -> list[Scored]:
    """The scores with how well each answers."""
    ideal = sum(worths.values()) or 1.0
    about = {stem: value * (NAME if stem in asked.names else 1.0) for stem, value in worths.items()}
    told = []
    for score, turn in ranked:
        match = found.best.get(turn.id, _NO_MATCH)
        alone, relevance = min(1.0, match.alone / ideal), min(1.0, score / ideal)
        timed = not asked.when or turn.flags & DATED > 0
        held = found.held.get(turn.id, frozenset())
        told.append(Scored(turn, score, alone, relevance, held, match.held, about, timed, match.terms))
    return told


_NO_MATCH = Match(0.0, 0.0, 0.0, 0.0, {}, [], "", 0, False)


def _looked_at(scores: Mapping[int, float], to: Settings) -> set[int]:
    """The records that may come out first, with those behind and before the best."""
    best = nlargest(to.deep, scores, key=scores.__getitem__)
    if not (to.before or to.answers):
        return set(best)
    return {*best, *(near for own in best[:NEAR] for near in (own - 1, own + 1, own + 2) if near >= 0)}


def _says(turn: Turn, asked: Asked, to: Settings) -> float:
    if turn.who == AGENT and asked.told and to.told:
        return 1.0
    return says(turn.flags & LONG > 0, turn.who, to)


def _fits(turn: Turn, match: Match | None, asked: Asked, to: Settings) -> float:
    """More for a record that has the kind of answer, or is said by whom the question names; less for one that speaks of
    the other alone."""
    flags = turn.flags
    fits = to.when if asked.when and flags & DATED else 1.0
    if flags & TO_YOU:
        fits *= 1 - to.to_you
    if asked.named and flags & NAMING:
        fits *= 1 + to.naming
    if flags >= SPEAKER and match is not None and not asked.weights.keys().isdisjoint(speaker(turn, match.terms)):
        fits *= 1 + to.named
    return fits


def _neighbours(own: int, scores: Mapping[int, float], previous: Turn | None, to: Settings) -> float:
    """What the records around give: an answer shares few words with its question, and stands behind it."""
    before = scores.get(own - 1, 0.0)
    share = to.before * before + to.before_last * scores.get(own - 2, 0.0) + to.after * scores.get(own + 1, 0.0)
    if before and previous is not None and previous.asks:
        share += to.answers * min(1.0, 2 * previous.asks) * before
    return share


def _sessions(asked: Asked, pool: Pool) -> dict[int, float]:
    """How much each session is about the query, the best one 1."""
    found: dict[int, float] = defaultdict(float)
    topic = asked.topic
    for stem in asked.weights:
        if stem not in topic:
            continue
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

    return sorted((one._replace(score=mixed(one)) for one in first), key=lambda one: one.score, reverse=True)

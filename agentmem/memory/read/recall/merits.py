"""Merits: the six signals of a fact or an episode, and the score they make; each is from 0 to 1.

    score = (.40 relevance + .20 recency + .15 importance + .15 authority + .10 frequency + .10 validity) / 1.10

A session's entry is ranked by relevance alone: recency hurt on every public measure. Among other memories its five
other signals count as neither good nor bad.
"""

from __future__ import annotations

import calendar
import time
from collections.abc import Mapping
from contextlib import suppress
from math import log

from agentmem.domain.belief import OWN, Belief

WEIGHTS: Mapping[str, float] = {
    "relevance": 0.40,
    "recency": 0.20,
    "importance": 0.15,
    "authority": 0.15,
    "frequency": 0.10,
    "validity": 0.10,
}
_WHOLE = sum(WEIGHTS.values())
HALF_LIFE = 14.0  # days since the last use
OFTEN = 10  # uses that count as much as can be
NEUTRAL = 0.5

_IMPORTANCE = {"decision": 0.8, "constraint": 0.8, "limit": 0.8, "preference": 0.6, "procedure": 0.6, "identity": 0.6}
_AUTHORITY = {"agent": 0.6, "dream": 0.6, "tool": 0.3, "project": 0.3, "import": 0.3}


def score(signals: Mapping[str, float]) -> float:
    """The score of six signals."""
    return sum(weight * signals[name] for name, weight in WEIGHTS.items()) / _WHOLE


def of_session(relevance: float) -> float:
    """The score of a session's entry, and of knowledge, among memories that have all six signals."""
    return score(dict.fromkeys(WEIGHTS, NEUTRAL) | {"relevance": relevance})


def of_belief(belief: Belief, project: bool, relevance: float, used: tuple[int, str], now: float) -> dict[str, float]:
    """The signals of a fact; `project`: it came from elsewhere. `used` says how often it was recalled and when last."""
    return {
        "relevance": relevance,
        "recency": recency(max(used[1], belief.at or belief.valid_from), now),
        "importance": _IMPORTANCE.get(belief.category, 0.5),
        "authority": 0.3 if project else authority(belief),
        "frequency": frequency(used[0]),
        "validity": 1.0 if belief.open else 0.0,
    }


def of_episode(importance: float, at: str, relevance: float, used: tuple[int, str], now: float) -> dict[str, float]:
    """The signals of an episode, `importance` from 0 to 10 as its block says. What happened stays true."""
    return {
        "relevance": relevance,
        "recency": recency(max(used[1], at), now),
        "importance": min(1.0, max(0.0, importance / 10)),
        "authority": 0.6,
        "frequency": frequency(used[0]),
        "validity": 1.0,
    }


def authority(belief: Belief) -> float:
    """Whose word it is: 1 where the person said or approved it; limits and identity want approval."""
    if belief.approved_by is not None:
        return 1.0
    if belief.principal in OWN:
        return 0.3 if belief.category in ("limit", "identity") and belief.principal != "user" else 1.0
    return _AUTHORITY.get(belief.principal, 0.3)


def frequency(uses: int) -> float:
    """More for what was recalled more often, in ever smaller steps."""
    return min(1.0, log(1 + uses) / log(1 + OFTEN))


def recency(at: str, now: float) -> float:
    """1 for now, a half after two weeks; of what has no date a half."""
    then = seconds(at)
    return 0.5 if then is None else 0.5 ** (max(0.0, now - then) / 86_400 / HALF_LIFE)


def seconds(at: str) -> float | None:
    """Seconds since 1970 of ``2026-11-30T09:14:03Z`` or ``2026-11-30``; None for anything else."""
    for form, length in (("%Y-%m-%dT%H:%M:%S", 19), ("%Y-%m-%d", 10)):
        with suppress(ValueError, OverflowError):
            return float(calendar.timegm(time.strptime(at[:length], form)))
    return None

"""Certainty: how surely the best hits hold an answer; it decides whether memories come unasked.

    a hit   = the share that its best passage covers of what the question is about: names count twice, but that of
              who says it does not
              x 1/2 where the question names another one of those who speak
              x .6 where a time is asked for and it names none
              x .6 of an agent's page and of what a tool gave, which mention much
              x (the share of the best ten that stands in its session) ** .4; what stands in none has .2 of them
    in all  = the best of the first five
              x the share of the hits that is said by whom the question names; .65 where it names nobody who speaks

What tells an answer from mere talk about it: the words stand together in one place, the talk around it is of the same
thing, and who is asked about says it. How much each part adds is measured in docs/recall.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.memory.read.recall.hit import Hit

SURE = 0.153
"""Where nine of ten questions with an answer get their block. A wrong memory costs more than one that has to be asked
for."""
_FIRST, _AROUND = 5, 10
_ANOTHER, _TIMELESS, _WORDY, _NOBODY = 0.5, 0.6, 0.6, 0.65
_TOGETHER = 0.4
_KEPT = 0.2
"""Facts, episodes and knowledge stand in no session: as if two of ten did."""
_CLOSE = 0.6
"""Of the surest hit: others come with it down to so much."""


def sureness(hits: Sequence[Hit]) -> float:
    """How surely the hits, best first, hold an answer at all, from 0 to 1."""
    around = hits[:_AROUND]
    surest = max((_answers(hit, around) * _together(hit, around) for hit in hits[:_FIRST]), default=0.0)
    return surest * _said_by_named(around)


def sure(hits: Sequence[Hit]) -> list[Hit]:
    """Those that are surely enough an answer, in their order; none where the best are not."""
    if sureness(hits) < SURE:
        return []
    around = hits[:_AROUND]
    least = _CLOSE * max(_answers(hit, around) for hit in hits)
    return [hit for hit in hits if _answers(hit, around) >= least]


def _answers(hit: Hit, around: Sequence[Hit]) -> float:
    """How much it answers by itself."""
    fit = hit.fit
    answers = fit.covered
    if fit.named is False and any(one.fit.named for one in around):
        answers *= _ANOTHER
    if not fit.timed:
        answers *= _TIMELESS
    if fit.wordy:
        answers *= _WORDY
    return answers


def _together(hit: Hit, around: Sequence[Hit]) -> float:
    """How much of what is found stands where the hit does."""
    sessions = [one.session for one in around if one.session is not None]
    share = sessions.count(hit.session) / len(sessions) if hit.session is not None else _KEPT
    return float(share**_TOGETHER)


def _said_by_named(around: Sequence[Hit]) -> float:
    said = sum(hit.fit.relevance for hit in around if hit.fit.named is not None)
    named = sum(hit.fit.relevance for hit in around if hit.fit.named)
    return named / said if named else _NOBODY

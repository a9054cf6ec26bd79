"""Beliefs: what is held true at both levels, now or on a day, with why: MEMORY.md and the ledger read together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentmem.domain.belief import Belief, fold
from agentmem.domain.category import Category
from agentmem.domain.claim import Scope
from agentmem.domain.desk import Level
from agentmem.memory.stores import ledger, semantic
from agentmem.memory.stores.bullets import Bullet, identified

_CATEGORIES: dict[str, Category] = {
    "preferences": "preference",
    "decisions": "decision",
    "constraints": "constraint",
    "procedures": "procedure",
    "limits": "limit",
    "identity": "identity",
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A belief, the level it is held at, and the first and last line of that MEMORY.md that state it (from 1; None
    where none does, as for what was closed)."""

    belief: Belief
    scope: Scope
    line: int | None = None
    last: int | None = None
    section: str = ""


def beliefs(levels: Sequence[Level], day: str | None = None) -> list[Stated]:
    """What is believed: each line of MEMORY.md, with the ledger's reason where it has one; with a `day`
    (``2026-11-30``) what the ledger held on it. Lines that wait for approval are among them: see `Belief.believed`.
    Raises `OSError`."""
    return [stated for level in levels for stated in _of(level, day)]


def _of(level: Level, day: str | None) -> Iterator[Stated]:
    told = fold(ledger.records(level.ledger))
    lines = dict(identified(semantic.beliefs(level.memory)))
    if day is not None:
        yield from (_placed(belief, level, lines.get(fact)) for fact, belief in told.items() if belief.held_on(day))
        return
    for fact, bullet in lines.items():
        belief = told.get(fact)
        if belief is None:
            yield _placed(by_hand(fact, bullet), level, bullet)
        elif belief.open:  # a line whose fact was closed came back by a merge: it says nothing any more
            yield _placed(belief, level, bullet)


def by_hand(fact: str, bullet: Bullet) -> Belief:
    """A line that a person wrote and no ledger knows yet."""
    category = _CATEGORIES.get(bullet.section.casefold(), "fact")
    return Belief(fact, bullet.text, category, "user", 1.0, "", "", reason="written by hand")


def _placed(belief: Belief, level: Level, bullet: Bullet | None) -> Stated:
    if bullet is None:
        return Stated(belief, level.scope)
    return Stated(belief, level.scope, bullet.at, bullet.end, bullet.section)

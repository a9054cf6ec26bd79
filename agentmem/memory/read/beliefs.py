"""Beliefs: what is held true at both levels, now or on a day, with why: MEMORY.md and the ledger read together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agentmem.domain.belief import Belief, fold
from agentmem.domain.category import Category
from agentmem.domain.claim import Scope
from agentmem.domain.desk import Level
from agentmem.domain.places import Places
from agentmem.memory.read import marked
from agentmem.memory.stores import admissions, ledger
from agentmem.memory.stores.admissions import Admissions, Held
from agentmem.memory.stores.bullets import Bullet, derived, keyed, parse

Word = Literal["person", "project", "waiting"]
"""Whose word a belief is here: the person's; the project's (it came from elsewhere); or nobody's yet, until a person
approves it."""

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
    """A belief, whose word it is, the level it is held at, and the first and last line of that MEMORY.md that state it
    (from 1; None where none does, as for what was closed). `secret`: the line holds one, so that it is no belief; its
    text has marks."""

    belief: Belief
    word: Word
    scope: Scope
    line: int | None = None
    last: int | None = None
    section: str = ""
    secret: bool = False


def beliefs(places: Places, day: str | None = None, *, trusted: bool = True) -> list[Stated]:
    """What is believed: each line of MEMORY.md, with the ledger's reason where it has one; with a `day`
    (``2026-11-30``) what the ledger held on it. In a folder that is not `trusted` the project's memory is its own word,
    but for what this machine let in. Raises `OSError`."""
    levels = (Level("user", places.home), Level("project", places.root, places.root))
    return [stated for level in levels for stated in _of(level, day, words(places, level, trusted=trusted), places)]


def words(places: Places, level: Level, *, trusted: bool) -> Callable[[Belief], Word]:
    """What tells whose word a belief of this level is."""
    sealed = Admissions(places.shared / admissions.NAME, places.home)
    known = level.scope == "user" or (trusted and not sealed.path.exists())  # nothing was let in here before

    def word(belief: Belief) -> Word:
        if belief.open and not belief.believed:
            return "waiting"
        own = known or Held(belief.fact, belief.text, belief.principal, belief.approved_by or "") in sealed
        return "person" if own else "project"

    return word


def _of(level: Level, day: str | None, word: Callable[[Belief], Word], places: Places) -> Iterator[Stated]:
    told = fold(ledger.records(level.ledger))
    found = marked.memory(level, places)
    lines, secrets = keyed(parse(found.text())), found.withheld()
    if day is not None:
        held = ((fact, belief) for fact, belief in told.items() if belief.held_on(day))
        yield from (_placed(belief, word, level, lines.get(fact)) for fact, belief in held)
        return
    for fact, bullet in lines.items():
        if fact in secrets:
            yield replace(_placed(by_hand(fact, bullet), word, level, bullet), secret=True)
            continue
        belief = stated_by(fact, bullet, told)
        if belief.open:  # a line whose fact was closed came back by a merge: it says nothing any more
            yield _placed(belief, word, level, bullet)


def stated_by(fact: str, bullet: Bullet, told: Mapping[str, Belief]) -> Belief:
    """The belief that a line under an id states. One with other words than the ledger has under that id is not the
    belief of that id: somebody put them there. What was forgotten is so, whatever stands there."""
    if (gone := told.get(fact)) is not None and gone.forgotten:
        return gone
    for own in (fact, derived(bullet.text)):
        if (belief := told.get(own)) is not None and belief.text == bullet.text:
            return belief
    return by_hand(derived(bullet.text) if fact in told else fact, bullet)


def by_hand(fact: str, bullet: Bullet) -> Belief:
    """A line that no ledger knows."""
    category = _CATEGORIES.get(bullet.section.casefold(), "fact")
    return Belief(fact, bullet.text, category, "user", 1.0, "", "", reason="written by hand")


def _placed(belief: Belief, word: Callable[[Belief], Word], level: Level, bullet: Bullet | None) -> Stated:
    if bullet is None:
        return Stated(belief, word(belief), level.scope)
    return Stated(belief, word(belief), level.scope, bullet.at, bullet.end, bullet.section)

"""Beliefs as records to be found: what is held now or was held on a day, and what was closed since."""

from __future__ import annotations

from dataclasses import dataclass

from agentmem.domain.belief import fold
from agentmem.domain.desk import Level
from agentmem.domain.places import Places
from agentmem.memory.read import beliefs as held
from agentmem.memory.read.beliefs import Stated
from agentmem.memory.read.recall.passages import FILE, Record
from agentmem.memory.stores import ledger


@dataclass(frozen=True, slots=True)
class Known:
    """A belief with what to know of it ("" for nothing)."""

    stated: Stated
    note: str

    def record(self, place: int) -> Record:
        """What is searched."""
        belief = self.stated.belief
        return Record(belief.fact, belief.at or belief.valid_from, FILE, belief.text, place, 0)


def known(places: Places, day: str | None, *, trusted: bool) -> list[Known]:
    """What is believed and what was closed; with a `day` what was believed on it. What waits for a person's word or was
    forgotten is not here. Raises `OSError`."""
    now = [one for one in held.beliefs(places, day, trusted=trusted) if one.word != "waiting" or day is not None]
    found = [Known(one, _note(one, day)) for one in now if one.belief.text and not one.secret]
    if day is not None:
        return found
    here = {one.stated.belief.fact for one in found}
    for level in (Level("user", places.home), Level("project", places.root, places.root)):
        word = held.words(places, level, trusted=trusted)
        for belief in fold(ledger.records(level.ledger)).values():
            if belief.valid_to is not None and not belief.forgotten and belief.text and belief.fact not in here:
                stated = Stated(belief, word(belief), level.scope)
                found.append(Known(stated, f"held until {belief.valid_to}: {belief.closed_by}"))
    return found


def _note(one: Stated, day: str | None) -> str:
    belief = one.belief
    if day is not None and belief.valid_to is not None:
        return f"held until {belief.valid_to}: {belief.closed_by}"
    return "the project's word" if one.word == "project" else ""

"""Stated: what MEMORY.md says, line by line, and what of it a claim repeats, replaces or is crowded out by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from agentmem.domain.belief import Belief, fold
from agentmem.domain.claim import Scope, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.domain.places import Places
from agentmem.memory.stores import ledger, semantic
from agentmem.memory.stores.bullets import Bullet, keyed, parse
from agentmem.memory.write import caps, likeness, marking
from agentmem.memory.write.case import SECTIONS, Case


@dataclass(frozen=True, slots=True)
class Stated:
    """A line of MEMORY.md, and `told`, which reads why it is believed: most claims are compared with texts alone."""

    fact: str
    bullet: Bullet
    told: Callable[[], Mapping[str, Belief]]

    @property
    def text(self) -> str:
        """What it says."""
        return self.bullet.text

    @property
    def belief(self) -> Belief | None:
        """Why it is believed, None where the ledger knows nothing of it. Raises `OSError`."""
        return self.told().get(self.fact)


def stated(level: Level, places: Places) -> dict[str, Stated]:
    """What stands in MEMORY.md, by id, with what the ledger says of it; a line with a secret states nothing."""
    told = cache(lambda: fold(ledger.records(level.ledger)))
    found = marking.marked(semantic.bytes_of(level.memory) or b"", level.scope, places)
    withheld = found.withheld()
    lines = keyed(parse(found.text())).items()
    return {fact: Stated(fact, line, told) for fact, line in lines if fact not in withheld}


def alike(case: Case, held: Mapping[Scope, Mapping[str, Stated]], desk: Desk) -> tuple[Level, str, Stated] | None:
    """A belief of either level that says what the claim says."""
    sought = likeness.Sought(case.text)
    for level in desk.levels:
        for fact, found in held[level.scope].items():
            if case.claim.replaces != fact and sought.same(found.text):
                return level, fact, found
    return None


def replaced(case: Case, held: Mapping[str, Stated]) -> str | None:
    """The belief that a claim takes the place of."""
    if case.claim.replaces in held:
        return case.claim.replaces
    sought = likeness.Sought(case.text)
    return next((fact for fact, found in held.items() if sought.replaces(found.text)), None)


def full(case: Case, old: str | None, held: Mapping[str, Stated], desk: Desk) -> Verdict | None:
    """The refusal of a claim that a capped section has no room for; None where it fits."""
    section = SECTIONS[case.category] if old is None else held[old].bullet.section
    others = [one.bullet for fact, one in held.items() if fact != old]
    texts = [one.text for one in others if one.section.casefold() == section.casefold()]
    told = caps.full(section, texts, case.text, desk.caps)
    return None if told is None else Verdict("refused", None, told, case.principal, case.level.shown)

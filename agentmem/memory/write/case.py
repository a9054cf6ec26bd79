"""Case: a claim that was ruled on, ready to be compared and written; and the lines of the ledger that say why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentmem.domain.category import Category
from agentmem.domain.claim import Claim, Operation, Principal
from agentmem.domain.desk import Desk, Level
from agentmem.memory.write.authorize import Ruling
from agentmem.memory.write.provenance import Provenance

SECTIONS: dict[Category, str] = {
    "preference": "Preferences",
    "fact": "Facts",
    "decision": "Decisions",
    "constraint": "Constraints",
    "procedure": "Procedures",
    "limit": "Limits",
    "identity": "Identity",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A claim that was ruled on. `approved_by` let it out of the queue; `why` are that one's words
    for it. `spoken` are the claim's before dates in it were made absolute, where that changed them."""

    claim: Claim
    category: Category
    text: str
    ruling: Ruling
    whose: Provenance
    session: str | None
    level: Level
    approved_by: Principal | None = None
    spoken: str | None = None
    why: str | None = None

    @property
    def principal(self) -> Principal:
        """Whose word it is."""
        return self.whose.principal


def origin(case: Case) -> dict[str, Any]:
    """Where it was said."""
    found = {"session": case.session, "entry": case.whose.entry, "quote": case.whose.quote}
    return found if case.spoken is None else found | {"said": case.spoken}


def reason(op: Operation, case: Case, fact: str, old: str | None, desk: Desk) -> dict[str, Any]:
    """The ledger's line for a claim that becomes a belief."""
    line = record(op, fact, desk) | {
        "category": case.category,
        "text": case.text,
        "principal": case.principal,
        "origin": origin(case),
        "confidence": case.ruling.confidence,
        "supersedes": old,
        "valid_from": desk.day(),
        "valid_to": None,
        "reason": case.ruling.reason,
    }
    if case.approved_by is not None:
        line |= {"approved_by": case.approved_by}
    return line if not case.why else line | {"why": case.why}


def record(op: Operation, fact: str, desk: Desk) -> dict[str, Any]:
    """The head of every line of the ledger."""
    return {"id": "l" + desk.clock.new_id(), "at": desk.clock.stamp(), "op": op, "fact": fact}


def by_hand(op: Operation, fact: str, text: str, desk: Desk, by: Principal) -> dict[str, Any]:
    """The ledger's line for what stands in MEMORY.md already. An edited line that keeps its id closes no other fact:
    the ledger then says its new text."""
    return record(op, fact, desk) | {
        "category": "fact",
        "text": text,
        "principal": by,
        "origin": {"session": None, "entry": None, "quote": text},
        "confidence": 1.0 if by == "user" else 0.5,
        "supersedes": None,
        "valid_from": desk.day(),
        "valid_to": None,
    }


def of_section(section: str) -> Category | None:
    """The category whose beliefs stand under this heading, None for any other heading."""
    return next((category for category, name in SECTIONS.items() if name.casefold() == section.casefold()), None)

"""Authorize: may this speaker make this kind of claim a belief? A table of confidences, and where each of them leads.

| whose word | preference, fact, decision, constraint, procedure | limit, identity, a grant of power |
|---|---|---|
| the person, typed as a command or asked to be remembered | 1.0 | 0.7 |
| the person, asserted | 0.9 | 0.7 |
| the harness, seen | 0.8 | 0.5 |
| the agent, a dream | 0.6 | 0.5 |
| a tool, the project, an import | 0.5 | 0.4 |

A question or a matter of the moment is 0. From 0.8 it is kept, under 0.3 it is dropped, between it waits for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentmem.domain.category import Category
from agentmem.domain.claim import Principal
from agentmem.memory.write.screening import Finding

COMMIT_AT = 0.8
DISCARD_UNDER = 0.3

Speaker = Literal["typed", "asked", "asserted", "harness", "agent", "dream", "tool", "project", "import"]
Route = Literal["commit", "queue", "discard"]

_CONFIDENCE: dict[Speaker, tuple[float, float]] = {
    "typed": (1.0, 0.7),
    "asked": (1.0, 0.7),
    "asserted": (0.9, 0.7),
    "harness": (0.8, 0.5),
    "agent": (0.6, 0.5),
    "dream": (0.6, 0.5),
    "tool": (0.5, 0.4),
    "project": (0.5, 0.4),
    "import": (0.5, 0.4),
}
_PERSON: frozenset[Speaker] = frozenset({"typed", "asked", "asserted"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says of a claim: how sure, where it goes, and why."""

    confidence: float
    route: Route
    reason: str


def authorize(speaker: Speaker, category: Category, finding: Finding | None, reason: str) -> Ruling:
    """The ruling on a claim; `reason` is what provenance said of whose word it is."""
    kind, told = (finding.kind, finding.reason) if finding is not None else (None, reason)
    if kind == "override" and speaker not in _PERSON:
        return Ruling(0.0, "discard", told)
    if kind == "question" or (kind == "current" and speaker not in ("typed", "asked")):
        return Ruling(0.0, "discard", told)
    grants = kind == "authority"
    plain, power = _CONFIDENCE[speaker]
    if grants or (category in ("limit", "identity") and speaker != "typed"):
        why = told if grants else f"a {category} is only kept when the person types it as a command"
        return Ruling(power, route(power), why)
    if kind == "override":
        return Ruling(0.6, "queue", told)
    return Ruling(plain, route(plain), reason)


def route(confidence: float) -> Route:
    """Where a claim of this confidence goes."""
    if confidence >= COMMIT_AT:
        return "commit"
    return "discard" if confidence < DISCARD_UNDER else "queue"


def speaker_of(principal: Principal, *, typed: bool, asked: bool, harness: bool = False) -> Speaker:
    """The row of the table for a principal."""
    if principal in ("user", "curator"):
        return "typed" if typed else "asked" if asked else "asserted"
    if principal == "agent":
        return "harness" if harness else "agent"
    return principal  # type: ignore[return-value]  # what is left of the principals are speakers by the same names

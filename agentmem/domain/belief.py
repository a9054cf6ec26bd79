"""Beliefs: the fold of a ledger. Replaying its lines, in order, gives what is and what was believed, and why.

A line said twice counts once (lines are told apart by their ids), so that files merged by union give what both sides
wrote. An id that was added again says the latest; a fact that was closed stays closed until it is added again. A merge
may put the line that closes a fact before the one that added it: the older of the two came first all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import PRINCIPALS, Principal

OWN: frozenset[Principal] = frozenset({"user", "curator"})
"""Whose word is believed without anybody's approval."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A fact and why it is held. Dates are ``2026-11-30``; `valid_to` is the first day it no longer held, None while it
    does. `supersedes` is the fact it took the place of, `closed_by` why it was closed, `closed_at` when that was said
    (like `at`, ``2026-11-30T09:14:03Z``). `forgotten`: its words are gone.
    """

    fact: str
    text: str
    category: Category
    principal: Principal
    confidence: float
    at: str
    valid_from: str
    valid_to: str | None = None
    supersedes: str | None = None
    approved_by: str | None = None
    reason: str = ""
    closed_by: str = ""
    closed_at: str = ""
    forgotten: bool = False
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether it still holds."""
        return self.valid_to is None and not self.forgotten

    @property
    def believed(self) -> bool:
        """Whether it may go into a prompt: the person said or approved it."""
        return self.open and (self.principal in OWN or self.approved_by is not None)

    def held_on(self, day: str) -> bool:
        """Whether it held on that day."""
        return not self.forgotten and self.valid_from <= day and (self.valid_to is None or day < self.valid_to)


def fold(records: Iterable[Mapping[str, Any]]) -> dict[str, Belief]:
    """The beliefs by fact id, in the order they were first added. A record of no known form is passed over."""
    beliefs: dict[str, Belief] = {}
    early: dict[str, Mapping[str, Any]] = {}  # what closed a fact that no line had added yet
    seen: set[str] = set()
    for record in records:
        own, fact, op = record.get("id"), record.get("fact"), record.get("op")
        if not isinstance(fact, str) or not isinstance(own, str) or own in seen:
            continue
        seen.add(own)
        if op in ("ADD", "UPDATE"):
            new = fact not in beliefs
            beliefs[fact] = _held(fact, record)
            if new and fact in early and beliefs[fact].at < _text(early[fact], "at"):
                _end(beliefs, fact, early[fact])
        if op in ("UPDATE", "EXPIRE", "FORGET"):
            old = record.get("supersedes") if op == "UPDATE" else fact
            if isinstance(old, str) and old in beliefs:
                _end(beliefs, old, record)
            elif isinstance(old, str):
                early[old] = record
    return beliefs


def as_of(beliefs: Mapping[str, Belief], day: str) -> dict[str, Belief]:
    """Those that held on a day (``2026-11-30``)."""
    return {fact: belief for fact, belief in beliefs.items() if belief.held_on(day)}


def _end(beliefs: dict[str, Belief], fact: str, record: Mapping[str, Any]) -> None:
    """Close a fact, or forget it, as a line of the ledger says."""
    held, op, at = beliefs[fact], record.get("op"), _text(record, "at")
    if op == "FORGET":
        beliefs[fact] = replace(held, text="", forgotten=True, origin={}, closed_by="forgotten", closed_at=at)
    elif held.open:
        day = _text(record, "valid_to") or _text(record, "valid_from") or at[:10]
        why = f"superseded by {record['fact']}" if op == "UPDATE" else _text(record, "reason")
        beliefs[fact] = replace(held, valid_to=day, closed_by=why, closed_at=at)


def _held(fact: str, record: Mapping[str, Any]) -> Belief:
    category, principal = record.get("category"), record.get("principal")
    confidence, origin = record.get("confidence"), record.get("origin")
    at = _text(record, "at")
    return Belief(
        fact=fact,
        text=_text(record, "text"),
        category=cast(Category, category) if category in CATEGORIES else "fact",
        principal=cast(Principal, principal) if principal in PRINCIPALS else "import",
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        at=at,
        valid_from=_text(record, "valid_from") or at[:10],
        valid_to=_text(record, "valid_to") or None,
        supersedes=_text(record, "supersedes") or None,
        approved_by=_text(record, "approved_by") or None,
        reason=_text(record, "reason"),
        origin=origin if isinstance(origin, Mapping) else {},
    )


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""

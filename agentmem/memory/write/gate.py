"""The gate: the one way into durable memory.

A claim is screened, its words are traced to who said them, the speaker is authorized, then it is routed.
Confidence is a rule's number, never the model's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.category import Category
from agentmem.domain.claim import Admitted, Claim, Principal, Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory.stores import episodic, folder, ledger, lines, lock, queue, semantic
from agentmem.memory.write import redact, wording
from agentmem.memory.write.provenance import Provenance, trace

COMMIT_AT = 0.8

SECTIONS: dict[Category, str] = {
    "preference": "Preferences",
    "fact": "Facts",
    "decision": "Decisions",
    "constraint": "Constraints",
    "procedure": "Procedures",
    "limit": "Limits",
    "identity": "Identity",
}
# On the word of the one they benefit these never become facts: only what the person types as a command does.
_TYPED_ONLY = frozenset({"limit", "identity"})
_CONFIDENCE: dict[Principal, float] = {"agent": 0.6, "tool": 0.5, "project": 0.5, "import": 0.5, "dream": 0.6}
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim comes from. With `typed` the person typed it as a command; else a model made it in `session`, and
    whose words it is made of is read off `branch`."""

    typed: bool
    session: str | None = None
    branch: Sequence[Entry] = ()


@dataclass(frozen=True, slots=True)
class _Ruling:
    commit: bool
    confidence: float
    whose: Provenance
    reason: str


def propose(claim: Claim, source: Source, places: Places, clock: Clock) -> Verdict:
    """Commit the claim to MEMORY.md and ledger, let it wait in the queue, or refuse it. Never raises for a disk."""
    if claim.category not in SECTIONS:
        return Verdict("refused", None, f"there is no category {claim.category!r}", "agent")
    if (fault := wording.fault(claim.text)) is not None:
        return Verdict("refused", None, fault, "user" if source.typed else "agent")
    text = wording.clean(claim.text)
    if redact.spans(text):
        told = "it holds a secret; keep those in a password store and name only where they lie"
        return Verdict("refused", None, told, "user" if source.typed else "agent")
    whose = Provenance("user", "person", None, text, True, "explicit") if source.typed else trace(text, source.branch)
    ruling = _authorize(claim.category, source.typed, whose)
    desk = _Desk(places, clock, source.session, _is_the_persons(text, claim.category, places))
    try:
        if not desk.home:
            folder.make_agent_folder(places.shared)
        with lock.held((places.home if desk.home else places.shared) / "memory.lock"):
            return _route(Claim(text, claim.category), ruling, desk)
    except (OSError, lock.MemoryBusy) as error:
        return Verdict("refused", None, f"it could not be written: {error}", whose.principal)


def _authorize(category: Category, typed: bool, whose: Provenance) -> _Ruling:
    if whose.principal != "user":
        return _Ruling(False, _CONFIDENCE[whose.principal], whose, whose.reason)
    if typed:
        return _Ruling(True, 1.0, whose, whose.reason)
    if category in _TYPED_ONLY:
        return _Ruling(False, 0.6, whose, f"a {category} is only kept when the person types it as a command")
    confidence = 1.0 if whose.asked else 0.9
    return _Ruling(confidence >= COMMIT_AT, confidence, whose, whose.reason)


@dataclass(frozen=True, slots=True)
class _Desk:
    """What the last step works with."""

    places: Places
    clock: Clock
    session: str | None
    home: bool

    @property
    def memory(self) -> Path:
        return self.places.home / "MEMORY.md" if self.home else self.places.memory_file

    @property
    def ledger(self) -> Path:
        return self.places.home / "memory" / "ledger.jsonl" if self.home else self.places.ledger

    def shown(self, path: Path) -> str:
        return os.path.relpath(path, self.places.root) if path.is_relative_to(self.places.root) else str(path)

    def origin(self, whose: Provenance) -> dict[str, Any]:
        return {"session": self.session, "entry": whose.entry, "spoken_by": whose.spoken_by}


def _route(claim: Claim, ruling: _Ruling, desk: _Desk) -> Verdict:
    """Decide and write; the memory lock is held."""
    if (known := _known(claim.text, desk)) is not None:
        return known
    if not ruling.commit:
        return _queue(claim, ruling, desk)
    if not _inside(desk):
        return Verdict("refused", None, f"{desk.memory} is a link that leads out of the project", "user")
    fact = "m" + desk.clock.new_id()
    admitted = Admitted(fact, claim.text, SECTIONS[claim.category])
    staged = semantic.stage(desk.memory.resolve(), admitted)
    try:
        # The ledger first: a kill in between leaves a reason without a belief, never a belief without its reason.
        ledger.append(desk.ledger, _reason(claim, ruling, fact, desk))
    except OSError:
        staged.discard()
        raise
    for _ in range(_TRIES):
        if staged.commit():
            return Verdict("added", fact, ruling.reason, "user", desk.shown(desk.memory))
        staged = semantic.stage(desk.memory.resolve(), admitted)  # edited meanwhile: start from what stands there now
    raise OSError(f"{desk.memory} keeps changing")


def _known(text: str, desk: _Desk) -> Verdict | None:
    claimed = wording.words(text)
    for path in (desk.places.memory_file, desk.places.home / "MEMORY.md"):
        for belief in semantic.beliefs(path):
            if claimed[0] in belief.text.casefold() and wording.words(belief.text) == claimed:
                return Verdict("known", belief.id, "it is remembered already", "user", desk.shown(path))
    return None


def _queue(claim: Claim, ruling: _Ruling, desk: _Desk) -> Verdict:
    for item in queue.waiting(desk.places.queue):
        if item.get("text") == claim.text and isinstance(own := item.get("id"), str):
            path = desk.places.queue / "waiting" / f"{own}.json"
            return Verdict(
                "queued", own, "it waits already: " + ruling.reason, ruling.whose.principal, desk.shown(path)
            )
    item = {
        "id": "q" + desk.clock.new_id(),
        "at": desk.clock.stamp(),
        "category": claim.category,
        "text": claim.text,
        "principal": ruling.whose.principal,
        "confidence": ruling.confidence,
        "reason": ruling.reason,
        "origin": desk.origin(ruling.whose),
    }
    folder.make_agent_folder(desk.places.shared)
    path = queue.put(desk.places.queue, item)
    return Verdict("queued", item["id"], ruling.reason, ruling.whose.principal, desk.shown(path))


def _reason(claim: Claim, ruling: _Ruling, fact: str, desk: _Desk) -> dict[str, Any]:
    at = desk.clock.stamp()
    return {
        "id": "l" + desk.clock.new_id(),
        "at": at,
        "op": "ADD",
        "fact": fact,
        "category": claim.category,
        "text": claim.text,
        "principal": "user",
        "origin": {"session": desk.session, "entry": ruling.whose.entry, "quote": ruling.whose.quote},
        "confidence": ruling.confidence,
        "supersedes": None,
        "valid_from": at[:10],
        "valid_to": None,
        "reason": ruling.reason,
    }


def _is_the_persons(text: str, category: Category, places: Places) -> bool:
    """Preferences and identity go to the person's level unless they name this project."""
    if category not in ("preference", "identity"):
        return False
    names = {"project", "repo", "repository", "codebase", places.root.name.casefold()}
    return names.isdisjoint(wording.words(text))


def _inside(desk: _Desk) -> bool:
    return desk.home or desk.memory.resolve().is_relative_to(desk.places.root.resolve())


def forgotten(path: Path, facts: Sequence[str | None], mark: str, clock: Clock) -> None:
    """Write to a ledger that facts were forgotten (None: words elsewhere), by an HMAC and without their words. The
    caller holds the memory lock. Raises `OSError`."""
    said = {
        (record.get("fact"), record.get("hmac")) for _, record in lines.read(path)[0] if record.get("op") == "FORGET"
    }
    at = clock.stamp()
    for fact in facts:
        if (fact, mark) not in said:
            record = {"id": "l" + clock.new_id(), "at": at, "op": "FORGET", "fact": fact, "hmac": mark}
            ledger.append(path, record | {"principal": "user", "valid_to": at[:10], "reason": "forgotten"})


def episode(own: str, day: str, text: str, places: Places) -> Verdict:
    """Add an episode that the harness made of a session's events to the file of its day. Never raises for a disk."""
    if redact.spans(text):
        return Verdict("refused", None, "it holds a secret", "agent")
    path = places.ledger.parent / f"{day}.md"
    if not path.resolve().is_relative_to(places.root.resolve()):
        return Verdict("refused", None, f"{path} is a link that leads out of the project", "agent")
    try:
        folder.make_agent_folder(places.shared)
        with lock.held(places.shared / "memory.lock"):
            added = episodic.append(path, Admitted(own, text, ""))
    except (OSError, lock.MemoryBusy) as error:
        return Verdict("refused", None, f"it could not be written: {error}", "agent")
    shown = os.path.relpath(path, places.root)
    return Verdict("added" if added else "known", own, "what a closed session did", "agent", shown)

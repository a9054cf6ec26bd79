"""The gate: the one way into durable memory.

A claim is screened, classified, traced to whose words it is made of, authorized, and routed; then, under the memory
lock, compared with what is believed and written. Confidence is a rule's number, never the model's. What people change
by hand, approve, vote down or let go comes through here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.domain.belief import Belief, fold
from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import Admitted, Claim, Edit, Operation, Principal, Scope, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.domain.entry import Entry
from agentmem.memory.stores import folder, ledger, lock, queue, semantic
from agentmem.memory.stores.bullets import Bullet, keyed
from agentmem.memory.write import authorize, blocks, classify, dates, likeness, screen, withheld, wording
from agentmem.memory.write.authorize import Ruling
from agentmem.memory.write.provenance import Provenance, trace

SECTIONS: dict[Category, str] = {
    "preference": "Preferences",
    "fact": "Facts",
    "decision": "Decisions",
    "constraint": "Constraints",
    "procedure": "Procedures",
    "limit": "Limits",
    "identity": "Identity",
}
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim comes from. With `typed` the person typed it as a command; with `by` another hand did (a dream, the
    project); else it came up in `session`, and whose words it is made of is read off `branch`."""

    typed: bool
    session: str | None = None
    branch: Sequence[Entry] = ()
    by: Principal | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim that was ruled on, ready to be compared and written."""

    claim: Claim
    category: Category
    text: str
    ruling: Ruling
    whose: Provenance
    session: str | None
    level: Level
    approved_by: Principal | None = None
    spoken: str | None = None  # the words before dates were made absolute, where that changed them

    @property
    def principal(self) -> Principal:
        return self.whose.principal


def propose(claim: Claim, source: Source, desk: Desk) -> Verdict:
    """Commit the claim to MEMORY.md and ledger, let it wait in the queue, or refuse it. Never raises for a disk."""
    by: Principal = source.by or ("user" if source.typed else "agent")
    if claim.category is not None and claim.category not in CATEGORIES:
        return Verdict("refused", None, f"there is no category {claim.category!r}", by)
    finding = screen.screen(claim.text)
    if finding is not None and finding.kind in ("unfit", "secret"):
        return Verdict("refused", None, finding.reason, by, withheld=withheld.mark(claim.text, desk.places.home))
    text = wording.clean(claim.text)
    whose = _whose(text, source)
    category = classify.classify(text, claim.category)
    speaker = authorize.speaker_of(whose.principal, typed=source.typed, asked=whose.asked)
    ruling = authorize.authorize(speaker, category, finding, whose.reason)
    if claim.current:
        ruling = Ruling(0.0, "discard", "it only matters for the task at hand")
    if ruling.route == "discard":
        mark = withheld.mark(text, desk.places.home)
        return Verdict("refused", None, ruling.reason, whose.principal, withheld=mark)
    dated = dates.absolute(text, whose.day or desk.day())
    scope = claim.scope or classify.scope(text, category, desk.places.root.name)
    spoken = text if dated != text else None
    case = _Case(claim, category, dated, ruling, whose, source.session, desk.level(scope), spoken=spoken)
    return _written(case, desk)


def approve(item: Mapping[str, Any], desk: Desk, text: str | None = None, by: Principal = "user") -> Verdict:
    """Make a claim that waits in the queue a belief, on the word of who approves it; `text` is what they made of it.

    The queue's file is the caller's to move once this gave another verdict than refused. Raises nothing for a disk.
    """
    said = wording.clean(text if text is not None else str(item.get("text", "")))
    finding = screen.screen(said)
    if finding is not None and finding.kind in ("unfit", "secret"):
        return Verdict("refused", None, finding.reason, by)
    origin = item.get("origin")
    whose = _as_was(item, origin if isinstance(origin, Mapping) else {}, said)
    named = item.get("category")
    category: Category = named if named in CATEGORIES else "fact"
    meant = item.get("scope")
    scope: Scope = meant if meant in ("user", "project") else classify.scope(said, category, desk.places.root.name)
    replaced = item.get("replaces")
    claim = Claim(said, category, scope=scope, replaces=replaced if isinstance(replaced, str) else None)
    session = origin.get("session") if isinstance(origin, Mapping) else None
    ruling = Ruling(1.0, "commit", f"approved by {by}: {whose.reason}")
    return _written(_Case(claim, category, said, ruling, whose, session, desk.level(scope), by), desk)


def adopt(edits: Sequence[Edit], desk: Desk, by: Principal = "user", reason: str = "edited by hand") -> list[Verdict]:
    """Take over what stands in MEMORY.md already: the ledger gets a line for each change, and the file stays as it is.
    `by` is whose word the lines are: only a person's are believed. Raises `OSError`, `MemoryBusy`."""
    verdicts = []
    for scope in ("user", "project"):
        of = [edit for edit in edits if edit.scope == scope]
        if of:
            with lock.held(desk.lock(scope)):
                verdicts += _adopted(of, desk, desk.level(scope), by, reason)
    return verdicts


def expire(fact: str, reason: str, desk: Desk, by: Principal = "user", op: Operation = "EXPIRE") -> Verdict:
    """Close a fact: its line goes, the ledger says why. With `op` FORGET the ledger says that it was forgotten. Never
    raises for a disk."""
    for level in desk.levels:
        try:
            with lock.held(desk.lock(level.scope)):
                found = _open_beliefs(level).get(fact)
                if found is None:
                    continue
                record = _record(op, fact, desk) | {"principal": by, "valid_to": desk.day(), "reason": reason}
                admitted = Admitted(op, fact, "", "", fact, record)
                diff = _apply(admitted, level, desk)
        except (OSError, lock.MemoryBusy) as error:
            return Verdict("refused", fact, f"it could not be written: {error}", by)
        return Verdict("expired", fact, reason, by, _shown(level, desk), found.text, diff)
    return Verdict("refused", fact, f"there is no belief {fact}", by)


def _whose(text: str, source: Source) -> Provenance:
    if source.by is not None and not source.typed:
        return Provenance(source.by, "agent", None, None, False, f"it is the word of {source.by}")
    if source.typed:
        return Provenance("user", "person", None, text, True, "explicit")
    return trace(text, source.branch)


def _as_was(item: Mapping[str, Any], origin: Mapping[str, Any], said: str) -> Provenance:
    """Whose word a waiting claim was. A person who changed the text made it theirs."""
    principal = item.get("principal")
    known: Principal = principal if principal in ("agent", "tool", "project", "import", "dream") else "user"
    if said != item.get("text"):
        known = "user"
    entry, spoken_by = origin.get("entry"), origin.get("spoken_by", "agent")
    return Provenance(known, spoken_by, entry, origin.get("quote"), True, str(item.get("reason", "")))


def _written(case: _Case, desk: Desk) -> Verdict:
    try:
        if case.level.scope == "project" or case.ruling.route == "queue":
            folder.make_agent_folder(desk.places.shared)
        with lock.held(desk.lock(case.level.scope)):
            return _route(case, desk)
    except (OSError, lock.MemoryBusy) as error:
        return Verdict("refused", None, f"it could not be written: {error}", case.principal)


def _route(case: _Case, desk: Desk) -> Verdict:
    """Decide and write; the memory lock is held."""
    held = {level.scope: _open_beliefs(level) for level in desk.levels}
    for level in desk.levels:
        for fact, found in held[level.scope].items():
            if case.claim.replaces != fact and likeness.same(case.text, found.text) and _counts(found, case):
                own = found.bullet.id if found.bullet else fact
                return Verdict("known", own, "it is remembered already", case.principal, _shown(level, desk))
    old = _replaced(case, held[case.level.scope])
    if case.ruling.route == "queue":
        return _queue(case, old, desk)
    if (full := _full(case, old, held[case.level.scope], desk)) is not None:
        return full
    return _commit(case, old, desk)


@dataclass(frozen=True, slots=True)
class _Held:
    """What is believed: the line that states it, and why where the ledger knows it."""

    text: str
    bullet: Bullet | None
    belief: Belief | None


def _open_beliefs(level: Level) -> dict[str, _Held]:
    """What stands in MEMORY.md, by id, with what the ledger says of it."""
    told = fold(ledger.records(level.ledger))
    lines = keyed(semantic.beliefs(level.memory))
    return {fact: _Held(line.text, line, told.get(fact)) for fact, line in lines.items()}


def _counts(found: _Held, case: _Case) -> bool:
    """A line that only waits for approval does not make the person's own word known."""
    return found.belief is None or found.belief.believed or case.ruling.route != "commit"


def _replaced(case: _Case, held: Mapping[str, _Held]) -> str | None:
    if case.claim.replaces in held:
        return case.claim.replaces
    alike = (fact for fact, found in held.items() if likeness.replaces(case.text, found.text))
    return next(alike, None)


def _full(case: _Case, old: str | None, held: Mapping[str, _Held], desk: Desk) -> Verdict | None:
    section = SECTIONS[case.category] if old is None else _section(held[old], case)
    texts = [one.text for fact, one in held.items() if fact != old and one.bullet and one.bullet.section == section]
    told = blocks.full(section, texts, case.text, desk.caps)
    return None if told is None else Verdict("refused", None, told, case.principal, _shown(case.level, desk))


def _section(found: _Held, case: _Case) -> str:
    return found.bullet.section if found.bullet is not None else SECTIONS[case.category]


def _commit(case: _Case, old: str | None, desk: Desk) -> Verdict:
    level = case.level
    if level.inside is not None and not level.memory.resolve().is_relative_to(level.inside.resolve()):
        return Verdict("refused", None, f"{level.memory} is a link that leads out of the project", case.principal)
    fact = "m" + desk.clock.new_id()
    op: Operation = "ADD" if old is None else "UPDATE"
    admitted = Admitted(op, fact, case.text, SECTIONS[case.category], old, _reason(op, case, fact, old, desk))
    diff = _apply(admitted, level, desk)
    outcome = "added" if old is None else "updated"
    path = _shown(level, desk)
    return Verdict(outcome, fact, case.ruling.reason, case.principal, path, case.text, diff, old)  # type: ignore[arg-type]


def _apply(admitted: Admitted, level: Level, desk: Desk) -> str:
    """Write one change and give its diff; the lock is held. Raises `OSError`.

    The ledger first: a kill in between leaves a reason without a belief, never a belief without its reason.
    """
    staged = semantic.stage(level.memory.resolve(), [admitted])
    try:
        ledger.append(level.ledger, [admitted])
    except OSError:
        staged.discard()
        raise
    for _ in range(_TRIES):
        if staged.commit():
            return _diff(staged.before or b"", staged.after)
        staged = semantic.stage(level.memory.resolve(), [admitted])  # edited meanwhile: start from what stands there now
    staged.discard()
    raise OSError(f"{level.memory} keeps changing")


def _adopted(edits: Sequence[Edit], desk: Desk, level: Level, by: Principal, reason: str) -> list[Verdict]:
    told = fold(ledger.records(level.ledger))
    admitted, verdicts = [], []
    for edit in edits:
        one = _admitted(edit, told, desk, by, reason)
        if one is None:
            continue
        admitted.append(one)
        outcome = {"ADD": "added", "UPDATE": "updated"}.get(one.op, "expired")
        path = _shown(level, desk)
        verdicts.append(Verdict(outcome, one.fact, reason, by, path, edit.after, None, one.replaces))  # type: ignore[arg-type]
    if admitted:
        ledger.append(level.ledger, admitted)
    return verdicts


def _admitted(edit: Edit, told: Mapping[str, Belief], desk: Desk, by: Principal, reason: str) -> Admitted | None:
    """The ledger's line for an edit, None where the ledger says it already."""
    known = told.get(edit.fact)
    if edit.after is None:
        if known is not None and not known.open:
            return None
        record = _record("EXPIRE", edit.fact, desk) | {"principal": by, "valid_to": desk.day(), "reason": reason}
        return Admitted("EXPIRE", edit.fact, "", edit.section, edit.fact, record)
    if known is not None and known.open and known.text == edit.after and (known.principal == by or known.believed):
        return None
    category = classify.classify(edit.after, known.category if known is not None else _of_section(edit.section))
    op: Operation = "UPDATE" if edit.before is not None and known is not None else "ADD"
    return _by_hand(op, edit, category, desk, (by, reason))


def _by_hand(op: Operation, edit: Edit, category: Category, desk: Desk, why: tuple[Principal, str]) -> Admitted:
    """An update keeps the line's own id where it has one: the ledger then closes nothing, and says the new text."""
    by, reason = why
    record = _record(op, edit.fact, desk) | {
        "category": category,
        "text": edit.after,
        "principal": by,
        "origin": {"session": None, "entry": None, "quote": edit.after, "before": edit.before},
        "confidence": 1.0 if by == "user" else 0.5,
        "supersedes": None,
        "valid_from": desk.day(),
        "valid_to": None,
        "reason": reason,
    }
    return Admitted(op, edit.fact, edit.after or "", edit.section, None, record)


def _of_section(section: str) -> Category | None:
    return next((category for category, name in SECTIONS.items() if name.casefold() == section.casefold()), None)


def _queue(case: _Case, old: str | None, desk: Desk) -> Verdict:
    mark = withheld.mark(case.claim.text, desk.places.home)
    for item in queue.rejected(desk.places.queue):
        if item.get("withheld") == mark:
            told = f"the person rejected it on {str(item.get('rejected_at', item.get('at', '')))[:10]}"
            return Verdict("refused", None, told, case.principal, withheld=mark)
    for item in queue.waiting(desk.places.queue):
        if item.get("text") == case.text and isinstance(own := item.get("id"), str):
            path = _named(desk, own)
            return Verdict("queued", own, "it waits already: " + case.ruling.reason, case.principal, path, withheld=mark)
    item = {
        "id": "q" + desk.clock.new_id(),
        "at": desk.clock.stamp(),
        "category": case.category,
        "text": case.text,
        "scope": case.level.scope,
        "replaces": old,
        "principal": case.principal,
        "confidence": case.ruling.confidence,
        "reason": case.ruling.reason,
        "withheld": mark,
        "origin": _origin(case) | {"spoken_by": case.whose.spoken_by},
    }
    folder.make_agent_folder(desk.places.shared)
    queue.put(desk.places.queue, item)
    own = item["id"]
    return Verdict("queued", own, case.ruling.reason, case.principal, _named(desk, own), replaced=old, withheld=mark)


def _origin(case: _Case) -> dict[str, Any]:
    origin = {"session": case.session, "entry": case.whose.entry, "quote": case.whose.quote}
    return origin if case.spoken is None else origin | {"said": case.spoken}


def _reason(op: Operation, case: _Case, fact: str, old: str | None, desk: Desk) -> dict[str, Any]:
    record = _record(op, fact, desk) | {
        "category": case.category,
        "text": case.text,
        "principal": case.principal,
        "origin": _origin(case),
        "confidence": case.ruling.confidence,
        "supersedes": old,
        "valid_from": desk.day(),
        "valid_to": None,
        "reason": case.ruling.reason,
    }
    return record if case.approved_by is None else record | {"approved_by": case.approved_by}


def _record(op: Operation, fact: str, desk: Desk) -> dict[str, Any]:
    return {"id": "l" + desk.clock.new_id(), "at": desk.clock.stamp(), "op": op, "fact": fact}


def _shown(level: Level, desk: Desk) -> str:
    return "MEMORY.md" if level.scope == "project" else str(level.memory)


def _named(desk: Desk, own: str) -> str:
    import os

    path = desk.places.queue / "waiting" / f"{own}.json"
    return os.path.relpath(path, desk.places.root) if path.is_relative_to(desk.places.root) else str(path)


def _diff(before: bytes, after: bytes) -> str:
    """The lines that went and came, as a diff says it, without the rest."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new)))
    ends = zip(reversed(old[start:]), reversed(new[start:]), strict=False)
    same = next((at for at, (one, other) in enumerate(ends) if one != other), min(len(old), len(new)) - start)
    gone, come = old[start : len(old) - same], new[start : len(new) - same]
    return "\n".join([*(f"-{row}" for row in gone), *(f"+{row}" for row in come)])

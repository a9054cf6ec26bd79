"""Restoring: MEMORY.md as an earlier commit has it comes back, as a new write that says what it changes and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentmem.domain.belief import Belief, fold
from agentmem.domain.claim import Admitted, Edit
from agentmem.domain.desk import Desk, Level
from agentmem.memory.stores import folder, ledger, semantic
from agentmem.memory.write import classify, marking
from agentmem.memory.write.case import by_hand, of_section, record
from agentmem.memory.write.compared import edits
from agentmem.memory.write.gate import carry, refusing
from agentmem.memory.write.gate.carry import Carried


def restore(version: bytes, why: str, level: Level, desk: Desk) -> Carried | None:
    """Let MEMORY.md hold these bytes again; None where it does. A mark in them stands for the secret that it has in the
    file as it is. Raises `MemoryBusy`, `OSError`."""
    with carry.held(level, desk):
        now = semantic.bytes_of(level.memory) or b""
        version = marking.raw(version, now, level.scope, desk.places)
        if now == version:
            return None
        told = fold(ledger.records(level.ledger))
        old, new = (marking.marked(data, level.scope, desk.places) for data in (now, version))
        changed = edits(old.text(), new.text(), level.scope)
        found = refusing.without_secrets(changed, refusing.refused(old), refusing.refused(new), told)
        return carry.bring_back(version, _admitted(found, told, why, desk), level, desk)


def add_missing(found: Sequence[Edit], why: str, level: Level, desk: Desk, told: Mapping[str, Belief]) -> Carried:
    """Let lines that another work tree's memory holds stand here too. Raises as `restore` does."""
    with carry.held(level, desk):
        return carry.carry(_admitted(found, told, why, desk), level, desk)


def mend_ledger(mend: Callable[[bytes], bytes], level: Level, desk: Desk) -> None:
    """Take out of a ledger what a merge left in it; a line that both sides have is told apart by its id, and stays.
    Raises `MemoryBusy`, `OSError`."""
    with carry.held(level, desk):
        data = semantic.bytes_of(level.ledger) or b""
        if mend(data) != data:
            folder.write_private(level.ledger, mend(data), level.ledger.stat().st_mode & 0o777)


def _admitted(found: Sequence[Edit], told: Mapping[str, Belief], why: str, desk: Desk) -> list[Admitted]:
    return [one for edit in found for one in _changes(edit, told, why, desk)]


def _changes(edit: Edit, told: Mapping[str, Belief], why: str, desk: Desk) -> list[Admitted]:
    own = edit.becomes or edit.fact
    made: list[Admitted] = []
    if edit.before is not None and (edit.after is None or own != edit.fact):
        closed = record("EXPIRE", edit.fact, desk) | {"principal": "user", "valid_to": desk.day(), "reason": why}
        made.append(Admitted("EXPIRE", edit.fact, edit.before, edit.section, edit.fact, closed))
    if edit.after is not None:
        line = by_hand("ADD", own, edit.after, desk, "user") | {"reason": why}
        line["category"] = classify.classify(edit.after, of_section(edit.section))
        if (known := told.get(own)) is not None and known.text == edit.after:  # it stays whose word it was
            line |= {"category": known.category, "principal": known.principal, "confidence": known.confidence}
            line |= {"origin": dict(known.origin)} if known.origin else {}
            line |= {} if known.approved_by is None else {"approved_by": known.approved_by}
        made.append(Admitted("ADD", own, edit.after, edit.section or "Facts", None, line))
    return made

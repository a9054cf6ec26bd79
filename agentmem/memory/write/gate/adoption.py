"""Adoption: what stands in MEMORY.md and did not come through the gate is taken over as what it is.

What a person changed by hand is their word. What git brought keeps the standing that this machine gave it, else it is
the project's word, and no more is written of it. What changed while a tool ran is the tool's word, and waits. A line
that holds a secret is not taken over, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.domain.belief import Belief, fold
from agentmem.domain.claim import Admitted, Edit, Operation, Outcome, Principal, Scope, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.domain.gitstep import Arrival
from agentmem.memory.stores import ledger, semantic
from agentmem.memory.stores.admissions import Admissions, Held
from agentmem.memory.stores.bullets import derived, keyed, parse
from agentmem.memory.write import classify, marking, redact
from agentmem.memory.write.case import by_hand, of_section, record
from agentmem.memory.write.compared import edits
from agentmem.memory.write.gate import carry, gitwork, refusing
from agentmem.memory.write.marking import Marked

Came = Callable[[Level], Sequence[Arrival] | None]
"""How git brought text into a level's MEMORY.md; None: that cannot be told."""


@dataclass(frozen=True, slots=True)
class Caught:
    """What was found at a level. `verdicts` are the person's own edits; `came` counts the lines that git brought and
    that are the project's word, `went` those that it took away, `closed` those that it brought back and that hold no
    more; `diff` shows all of it. `refused` are the lines that hold a secret, whenever they came."""

    scope: Scope
    path: str
    verdicts: tuple[Verdict, ...] = ()
    came: int = 0
    went: int = 0
    closed: int = 0
    diff: str = ""
    refused: tuple[Verdict, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was taken over, or went."""
        return bool(self.verdicts or self.came or self.went or self.closed)


def catch_up(level: Level, desk: Desk, trusted: bool, came: Came, seconds: float = 10.0) -> Caught | None:
    """Take over what changed at a level since the history last knew it; None where nothing did and no line holds a
    secret. What a folder that nobody vouched for held before is not adopted. Raises `MemoryBusy`, `OSError`,
    `Unusable`, `Damaged`."""
    with carry.held(level, desk, seconds):
        head = carry.history(level, desk).head()
        before = known(level, desk)
        carry.mend_seals(level, desk)
        now = marking.marked(semantic.text_bytes(level.memory) or b"", level.scope, desk.places)
        refused = tuple(refusing.verdicts(now, level.shown))
        if before == now.data:
            return Caught(level.scope, level.shown, refused=refused) if refused else None
        found = _sound(before, now, level, desk)
        shown = Caught(level.scope, level.shown, diff=_diff(found), refused=refused)
        if head is None and not trusted and level.scope == "project":
            carry.note(level, desk, now.data, [("Op", "FOUND"), ("Principal", "project")])
            return replace(shown, came=sum(edit.after is not None for edit in _unknown(found, level, desk)))
        changed = _unknown(found, level, desk)
        told = fold(ledger.records(level.ledger)) if changed else {}
        hand, brought = gitwork.apart(changed, came(level) if changed else [], told)
        admitted = _admissible(hand, level, desk, ("user", "edited by hand"))
        if admitted:
            carry.carry(admitted, level, desk, now.data)
        if brought or not admitted:
            carry.note(level, desk, now.data, [("Op", "CAME" if brought else "EDIT")])
        went = sum(edit.after is None for edit in brought)
        closed = sum(edit.after is not None and gitwork.ended(edit, told) for edit in brought)
        verdicts = tuple(_verdict(one, level) for one in admitted)
        return replace(shown, verdicts=verdicts, came=len(brought) - went - closed, went=went, closed=closed)


def known(level: Level, desk: Desk) -> bytes:
    """MEMORY.md as the history last knew it, empty where it does not. Raises `OSError`, `Damaged`."""
    return carry.history(level, desk).last(carry.MEMORY) or b""


def adopt(found: Sequence[Edit], desk: Desk, by: Principal = "user", why: str = "edited by hand") -> list[Verdict]:
    """Take over edits that stand in MEMORY.md already: the ledger gets a line for each, and the file stays as it is.
    `by` is whose word they are: only a person's are believed. Raises `OSError`, `MemoryBusy`."""
    verdicts: list[Verdict] = []
    for level in desk.levels:
        of = [edit for edit in found if edit.scope == level.scope]
        if not of:
            continue
        with carry.held(level, desk):
            admitted = _admissible(of, level, desk, (by, why))
            if admitted:
                carry.carry(admitted, level, desk, semantic.bytes_of(level.memory) or b"")
            verdicts += [_verdict(one, level) for one in admitted]
    return verdicts


def vouch(level: Level, desk: Desk) -> int:
    """Let in what a level holds now, as its ledger has it: the person vouched for the folder. What waits for their
    approval goes on waiting. Gives how many beliefs that are. Raises `MemoryBusy`, `OSError`."""
    with carry.held(level, desk):
        data = semantic.bytes_of(level.memory) or b""
        now = marking.marked(data, level.scope, desk.places)
        told = fold(ledger.records(level.ledger))
        held, withheld = [], now.withheld()
        for fact, line in keyed(parse(now.text())).items():
            if fact in withheld:
                continue
            known = (told.get(own) for own in (fact, derived(line.text)))
            belief = next((one for one in known if one is not None and one.text == line.text), None)
            if belief is None:
                held.append(Held(derived(line.text) if fact in told else fact, line.text, "user"))
            elif belief.believed:
                held.append(Held(belief.fact, belief.text, belief.principal, belief.approved_by or ""))
        here = carry.admitted_here(level, desk)
        new = [one for one in held if one not in here]
        if new or not carry.history(level, desk).exists:
            seals = here.add(new)
            carry.note(level, desk, now.data, [("Op", "TRUST"), *(("Seal", seal) for seal in seals)])
        return len(new)


def by_tool(level: Level, desk: Desk, before: bytes, origin: Mapping[str, Any]) -> tuple[list[Verdict], list[Edit]]:
    """Take over what changed at a level since `before`, while a tool ran: lines that came are the tool's word, told by
    `origin`, and are shown to no model before a person approves them. Gives those, with a refusal of each that holds a
    secret, and what went: that is still believed, and to be asked about. Raises `MemoryBusy`, `OSError`."""
    with carry.held(level, desk):
        data = semantic.bytes_of(level.memory) or b""
        now = marking.marked(data, level.scope, desk.places)
        refused = _new_secrets(before, now, level, desk)
        found = _sound(before, now, level, desk) if data != before else []
        found = _unknown(found, level, desk)
        if not found:
            if refused:
                carry.note(level, desk, now.data, [("Op", "SECRET"), ("Principal", "tool")])
            return refused, []
        told = fold(ledger.records(level.ledger))
        there = {line.text for line in parse(now.text())}
        came = [_new(edit, told) for edit in found if edit.after]
        gone = [edit for edit in found if edit.before and edit.before not in there and _held(edit, told)]
        admitted = [_tools(edit, desk, origin) for edit in came]
        if admitted:
            carry.carry(admitted, level, desk, now.data)
        else:
            carry.note(level, desk, now.data, [("Op", "REMOVED"), ("Principal", "tool")])
        return [*(_verdict(one, level) for one in admitted), *refused], gone


def put_back(gone: Sequence[Edit], before: bytes, desk: Desk) -> list[Verdict]:
    """Let lines stand in MEMORY.md again that a tool took out; what else it did stays. Raises as `adopt` does."""
    verdicts: list[Verdict] = []
    for level in desk.levels:
        lost = [edit for edit in gone if edit.scope == level.scope]
        if not lost:
            continue
        with carry.held(level, desk):
            told = fold(ledger.records(level.ledger))
            back = [one for edit in lost for one in _again(edit, told, desk)]
            now = semantic.bytes_of(level.memory) or b""
            came = edits(semantic.text_of(before), semantic.text_of(now), level.scope)
            if all(edit.after is None for edit in came):
                carry.bring_back(before, back, level, desk)  # headings, blanks and all
            else:
                carry.carry(back, level, desk)
            verdicts += [_verdict(one, level) for one in back if one.op == "ADD"]
    return verdicts


def _sound(before: bytes, now: Marked, level: Level, desk: Desk) -> list[Edit]:
    """What changed since `before`, in lines without secrets."""
    old = marking.marked(before, level.scope, desk.places)
    was, holds = refusing.refused(old), now.withheld()
    told = fold(ledger.records(level.ledger)) if was or holds else {}
    return refusing.without_secrets(edits(old.text(), now.text(), level.scope), was, holds, told)


def _new_secrets(before: bytes, now: Marked, level: Level, desk: Desk) -> list[Verdict]:
    """The refusals of what holds a secret that stood nowhere in `before`."""
    if not now.secrets:
        return []
    known = {one.withheld for one in refusing.verdicts(marking.marked(before, level.scope, desk.places), "")}
    known |= set(redact.marks(before.decode("utf-8", "replace")))  # as the history has it
    return [
        one
        for one in refusing.verdicts(now, level.shown)
        if one.withheld not in known and not known.issuperset(redact.marks(one.withheld or ""))
    ]


def _unknown(found: Sequence[Edit], level: Level, desk: Desk) -> list[Edit]:
    """The edits that the ledger does not account for already."""
    told = fold(ledger.records(level.ledger)) if found else {}
    here = carry.admitted_here(level, desk)
    return [edit for edit in found if not _accounted(edit, told, here)]


def _accounted(edit: Edit, told: Mapping[str, Belief], here: Admissions) -> bool:
    belief = told.get(edit.becomes or edit.fact)
    if edit.after is None:
        return belief is not None and not belief.open
    return belief is not None and belief.open and belief.text == edit.after and _stands(belief, here)


def _stands(belief: Belief, here: Admissions) -> bool:
    return Held(belief.fact, belief.text, belief.principal, belief.approved_by or "") in here


def _admissible(found: Sequence[Edit], level: Level, desk: Desk, whose: tuple[Principal, str]) -> list[Admitted]:
    told = fold(ledger.records(level.ledger)) if found else {}
    here = carry.admitted_here(level, desk)
    return [one for edit in found if (one := _admitted(edit, told, here, desk, whose)) is not None]


def _admitted(
    edit: Edit, told: Mapping[str, Belief], here: Admissions, desk: Desk, whose: tuple[Principal, str]
) -> Admitted | None:
    """The ledger's line for an edit, None where the ledger says it already."""
    by, why = whose
    known = told.get(edit.fact)
    if edit.after is None:
        if known is not None and not known.open:
            return None
        line = record("EXPIRE", edit.fact, desk) | {"principal": by, "valid_to": desk.day(), "reason": why}
        return Admitted("EXPIRE", edit.fact, edit.before or "", edit.section, edit.fact, line)
    own = edit.becomes or edit.fact
    there = told.get(own)
    same = there is not None and there.open and there.text == edit.after and _stands(there, here)
    if same and there is not None and (there.principal == by or there.believed):
        return None
    category = classify.classify(edit.after, known.category if known is not None else of_section(edit.section))
    op: Operation = "ADD" if edit.before is None else "UPDATE"
    line = by_hand(op, own, edit.after, desk, by) | {"category": category, "reason": why}
    if own != edit.fact:
        line["supersedes"] = edit.fact
    return Admitted(op, own, edit.after, edit.section, None, line | {"before": edit.before})


def _held(edit: Edit, told: Mapping[str, Belief]) -> bool:
    """Whether the line that went was anybody's word but a tool's."""
    belief = told.get(edit.fact)
    return belief is None or (belief.open and belief.principal != "tool") or belief.believed


def _new(edit: Edit, told: Mapping[str, Belief]) -> Edit:
    """The line that a tool wrote as one that came: under the id of another belief it is not that belief."""
    own, text = edit.becomes or edit.fact, edit.after or ""
    known = told.get(own)
    fact = own if known is None or known.text == text else derived(text)
    return replace(edit, before=None, fact=fact, becomes=None)


def _tools(edit: Edit, desk: Desk, origin: Mapping[str, Any]) -> Admitted:
    text = edit.after or ""
    line = by_hand("ADD", edit.fact, text, desk, "tool") | {
        "category": classify.classify(text, of_section(edit.section)),
        "origin": {**origin, "quote": None, "spoken_by": "tool"},
        "reason": "changed while a tool ran",
    }
    return Admitted("ADD", edit.fact, text, edit.section, None, line)


def _again(edit: Edit, told: Mapping[str, Belief], desk: Desk) -> Iterator[Admitted]:
    """The line that went, as it was believed. Where a tool's words stand under its id they get an id of their own."""
    text = edit.before or ""
    if edit.after is not None and edit.becomes is None:
        own = derived(edit.after)
        known = {"reason": "it had another belief's id", "origin": dict(told[own].origin) if own in told else {}}
        line = by_hand("UPDATE", own, edit.after, desk, "tool") | known
        yield Admitted("UPDATE", own, edit.after, edit.section, edit.fact, line)
    line = by_hand("ADD", edit.fact, text, desk, "user") | {"reason": "put back: a tool had taken it out"}
    if (belief := told.get(edit.fact)) is not None:
        line |= {"category": belief.category, "principal": belief.principal, "confidence": belief.confidence}
        line |= {"origin": dict(belief.origin), "valid_from": belief.valid_from, "supersedes": belief.supersedes}
        line |= {} if belief.approved_by is None else {"approved_by": belief.approved_by}
    else:
        line["category"] = classify.classify(text, of_section(edit.section))
    yield Admitted("ADD", edit.fact, text, edit.section or "Facts", None, line)


def _diff(found: Sequence[Edit]) -> str:
    """The beliefs that went and came, a line each."""
    rows: list[str] = []
    for edit in found:
        rows += [f"-{edit.before}"] if edit.before is not None else []
        rows += [f"+{edit.after}"] if edit.after is not None else []
    return "\n".join(rows)


def _verdict(one: Admitted, level: Level) -> Verdict:
    outcomes: Mapping[Operation, Outcome] = {"ADD": "added", "UPDATE": "updated"}
    line = one.record
    told = (str(line["reason"]), line["principal"], level.shown, one.text or None)
    how = outcomes.get(one.op, "expired")
    return Verdict(how, one.fact, *told, replaced=line.get("supersedes"), category=line.get("category"))

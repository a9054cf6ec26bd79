"""The gate: the one way into durable memory.

A claim is screened, classified, traced to whose words it is made of, authorized, and routed; then, under the memory
lock, compared with what is believed and written. Confidence is a rule's number, never the model's. What people change
by hand, approve, vote down or let go comes through here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentmem.domain.belief import Belief
from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import Admitted, Claim, Operation, Outcome, Principal, Scope, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.domain.entry import Entry
from agentmem.memory.stores import folder, lock, semantic, votes
from agentmem.memory.stores.semantic import Staged
from agentmem.memory.stores.votes import Ballot
from agentmem.memory.write import (
    authorize,
    classify,
    dates,
    screening,
    statement,
    waiting,
    withheld,
    wording,
)
from agentmem.memory.write.authorize import Ruling
from agentmem.memory.write.case import SECTIONS, Case, by_hand, of_section, reason, record
from agentmem.memory.write.cited import cited, without_answers
from agentmem.memory.write.gate import carry
from agentmem.memory.write.gate.stated import Stated, alike, full, replaced, stated
from agentmem.memory.write.provenance import Provenance, trace
from agentmem.memory.write.secrecy import secret

_UNNAMED = "m000000000000"  # stands for an id that is not given yet


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim comes from. With `typed` the person typed it as a command; with `by` another hand did (a dream, the
    project); else it came up in `session`, and whose words it is made of is read off `branch`."""

    typed: bool
    session: str | None = None
    branch: Sequence[Entry] = ()
    by: Principal | None = None


def propose(claim: Claim, source: Source, desk: Desk) -> Verdict:
    """Commit the claim to MEMORY.md and ledger, let it wait in the queue, or refuse it. Never raises for a disk."""
    by: Principal = source.by or ("user" if source.typed else "agent")
    if claim.category is not None and claim.category not in CATEGORIES:
        return Verdict("refused", None, f"there is no category {claim.category!r}", by)
    said = claim.text if secret(claim.text) else _narrowed(claim.text)
    finding = screening.screen(said)
    if finding is not None and finding.kind in ("unfit", "secret"):
        return Verdict("refused", None, finding.reason, by, withheld=withheld.mark(claim.text, desk.places.home))
    text = wording.clean(said)
    whose = _whose(text, source)
    category = classify.classify(text, claim.category)
    speaker = authorize.speaker_of(whose.principal, typed=source.typed, asked=whose.asked)
    ruling = authorize.authorize(speaker, category, finding, whose.reason)
    if claim.current:
        ruling = Ruling(0.0, "discard", "it only matters for the task at hand")
    if ruling.route == "discard":
        mark = withheld.mark(text, desk.places.home)
        return Verdict("refused", None, ruling.reason, whose.principal, withheld=mark)
    dated = dates.absolute(text, whose.day or desk.today())
    scope = claim.scope or classify.scope(text, category, desk.places.root.name)
    spoken = text if dated != text else None
    case = Case(claim, category, dated, ruling, whose, source.session, desk.level(scope), spoken=spoken)
    return replace(_written(case, desk), category=category)


def approve(item: Mapping[str, Any], desk: Desk, text: str | None = None, by: Principal = "user") -> Verdict:
    """Make a claim that waits in the queue a belief, on the word of who approves it; `text` is what they made of it.

    `item` may say `why` they did. The queue's file is the caller's to move once this gave another verdict than refused.
    Raises nothing for a disk.
    """
    case = _waiting(item, desk, text, by)
    return case if isinstance(case, Verdict) else replace(_written(case, desk), category=case.category)


def would(item: Mapping[str, Any], desk: Desk, text: str | None = None) -> Verdict:
    """What approving it would come to, with the diff it would make; nothing is written. Raises `OSError`."""
    case = _waiting(item, desk, text, "user")
    if isinstance(case, Verdict):
        return case
    held = {level.scope: stated(level, desk.places) for level in desk.levels}
    if (same := alike(case, held, desk)) is not None:
        level, fact, found = same
        known = found.belief is None or found.belief.believed
        told = "it is remembered already" if known else "it stands there already, and would be believed"
        return Verdict("known" if known else "added", fact, told, case.principal, level.shown)
    old = replaced(case, held[case.level.scope])
    if (no_room := full(case, old, held[case.level.scope], desk)) is not None:
        return no_room
    op: Operation = "ADD" if old is None else "UPDATE"
    before = semantic.bytes_of(case.level.memory) or b""
    after = semantic.changed(before, [Admitted(op, _UNNAMED, case.text, SECTIONS[case.category], old)])
    outcome: Outcome = "added" if old is None else "updated"
    staged = Staged(case.level.memory, case.level.memory, before, after)
    shown = carry.difference(staged, case.level, desk).replace(f" ^{_UNNAMED}", "")
    return Verdict(outcome, None, case.ruling.reason, case.principal, case.level.shown, case.text, shown, old)


def _waiting(item: Mapping[str, Any], desk: Desk, text: str | None, by: Principal) -> Case | Verdict:
    """A claim that waits as a case to be written, or why it cannot be."""
    said = wording.clean(text if text is not None else str(item.get("text", "")))
    finding = screening.screen(said)
    if finding is not None and finding.kind in ("unfit", "secret"):
        return Verdict("refused", None, finding.reason, by)
    if text is not None:
        said = dates.absolute(said, desk.today())
    origin = item.get("origin")
    whose = _as_was(item, origin if isinstance(origin, Mapping) else {}, said)
    named = item.get("category")
    category: Category = named if named in CATEGORIES else "fact"
    meant = item.get("scope")
    scope: Scope = meant if meant in ("user", "project") else classify.scope(said, category, desk.places.root.name)
    replaced = item.get("replaces")
    claim = Claim(said, category, scope=scope, replaces=replaced if isinstance(replaced, str) else None)
    session = origin.get("session") if isinstance(origin, Mapping) else None
    own = ", in words of their own" if said != item.get("text") else ""
    ruling = Ruling(1.0, "commit", f"approved by {by}{own}: {whose.reason}")
    why = item.get("why")
    case = Case(claim, category, said, ruling, whose, session, desk.level(scope), by)
    return replace(case, why=why if isinstance(why, str) else None)


def expire(fact: str, reason: str, desk: Desk, by: Principal = "user", op: Operation = "EXPIRE") -> Verdict:
    """Close a fact: its line goes, the ledger says why. With `op` FORGET the ledger says that it was forgotten. Never
    raises for a disk."""
    for level in desk.levels:
        try:
            with carry.held(level, desk):
                found = stated(level, desk.places).get(fact)
                if found is None:
                    continue
                line = record(op, fact, desk) | {"principal": by, "valid_to": desk.day(), "reason": reason}
                closed = Admitted(op, fact, found.text if op == "EXPIRE" else "", "", fact, line)
                before = _unsaid(fact, found, desk) if op == "EXPIRE" else []
                done = carry.carry([*before, closed], level, desk)
        except (OSError, lock.MemoryBusy) as error:
            return _unwritten(fact, error, by)
        gone = Verdict("expired", fact, reason, by, level.shown, found.text, done.diff)
        return replace(gone, unkept=done.unkept)
    return Verdict("refused", fact, f"there is no belief {fact}", by)


def vote(fact: str, ballot: Ballot, desk: Desk, voter: str) -> Verdict:
    """A belief gains or loses support; at zero it expires. `voter` is the session (or turn) that found it so: it counts
    once. Only the person's word and what the harness saw may come here. Never raises for a disk."""
    for level in desk.levels:
        try:
            with carry.held(level, desk):
                if (found := stated(level, desk.places).get(fact)) is None:
                    continue
                return _cast(fact, found, (ballot, voter), level, desk)
        except (OSError, lock.MemoryBusy) as error:
            return _unwritten(fact, error, "user")
    return Verdict("refused", fact, f"there is no belief {fact}", "user")


def _cast(fact: str, found: Stated, cast: tuple[Ballot, str], level: Level, desk: Desk) -> Verdict:
    path, at, ballot = desk.votes(level.scope), desk.clock.stamp(), cast[0]
    support = votes.cast(path, fact, *cast, at)
    if support.count > 0:
        return Verdict("known", fact, f"{ballot}: support {support.count}", "user", level.shown, found.text)
    gone = expire(fact, f"{ballot}: no support is left", desk)
    if gone.outcome == "expired":
        votes.end(path, fact, at)
    return gone


def _narrowed(text: str) -> str:
    """What a claim states, without the questions and the code that came along; of a whole message what it decides."""
    told = statement.stated(statement.own(text))
    if told == text or len(wording.clean(told)) <= wording.LONGEST:
        return told
    return " ".join(piece for piece in statement.pieces(told) if classify.telling(piece))


def _whose(text: str, source: Source) -> Provenance:
    if source.by is not None and not source.typed:
        return Provenance(source.by, "agent", None, None, False, f"it is the word of {source.by}")
    if source.typed:
        return Provenance("user", "person", None, text, True, "explicit")
    branch = without_answers(source.branch)
    return cited(text, trace(text, branch), branch)


def _as_was(item: Mapping[str, Any], origin: Mapping[str, Any], said: str) -> Provenance:
    """Whose word a waiting claim was. A person who changed the text made it theirs."""
    principal = item.get("principal")
    known: Principal = principal if principal in ("agent", "tool", "project", "import", "dream") else "user"
    entry, spoken_by, quote = origin.get("entry"), origin.get("spoken_by", "agent"), origin.get("quote")
    if said != item.get("text"):
        known, quote = "user", quote if known == "user" else None  # somebody else's words are not what they say now
    return Provenance(known, spoken_by, entry, quote, True, str(item.get("reason", "")))


def _written(case: Case, desk: Desk) -> Verdict:
    try:
        if case.ruling.route == "queue":
            folder.make_agent_folder(desk.places.shared)
        with carry.held(case.level, desk):
            return _route(case, desk)
    except (OSError, lock.MemoryBusy) as error:
        return _unwritten(None, error, case.principal)


def _unwritten(fact: str | None, error: Exception, by: Principal) -> Verdict:
    return Verdict("refused", fact, f"it could not be written: {error}", by, unkept=str(error))


def _route(case: Case, desk: Desk) -> Verdict:
    """Decide and write; the memory lock is held."""
    held = {level.scope: stated(level, desk.places) for level in desk.levels}
    if (same := alike(case, held, desk)) is not None:
        level, fact, found = same
        if found.belief is None or found.belief.believed or case.ruling.route != "commit":
            _confirm(case, fact, found.belief, desk.votes(level.scope), desk)
            return Verdict("known", fact, "it is remembered already", case.principal, level.shown)
        return _vouch(replace(case, level=level), fact, found, desk)
    old = replaced(case, held[case.level.scope])
    if case.ruling.route == "queue":
        return waiting.wait(case, old, desk)
    if (no_room := full(case, old, held[case.level.scope], desk)) is not None:
        return no_room
    return _commit(case, old, held[case.level.scope], desk)


def _confirm(case: Case, fact: str, belief: Belief | None, path: Path, desk: Desk) -> None:
    """The person said again what is believed: another session, or another day's commands, confirm it once."""
    voter = case.session or f"commands of {desk.day()}"
    said = belief is not None and belief.origin.get("session") == case.session
    first = said and belief is not None and (case.session is not None or belief.valid_from == desk.day())
    if case.ruling.route == "commit" and case.principal == "user" and not first:
        with suppress(OSError):  # it is known all the same
            votes.cast(path, fact, "confirmed", voter, desk.clock.stamp())


def _commit(case: Case, old: str | None, held: Mapping[str, Stated], desk: Desk) -> Verdict:
    level = case.level
    if level.inside is not None and not semantic.real(level.memory).is_relative_to(semantic.real(level.inside)):
        return Verdict("refused", None, f"{level.memory} is a link that leads out of the project", case.principal)
    fact = "m" + desk.clock.new_id()
    op: Operation = "ADD" if old is None else "UPDATE"
    admitted = Admitted(op, fact, case.text, SECTIONS[case.category], old, reason(op, case, fact, old, desk))
    before = _unsaid(old, held[old], desk) if old is not None else []
    done = carry.carry([*before, admitted], level, desk)
    outcome: Outcome = "added" if old is None else "updated"
    kept = Verdict(outcome, fact, case.ruling.reason, case.principal, level.shown, case.text, done.diff, old)
    return replace(kept, unkept=done.unkept)


def _vouch(case: Case, fact: str, found: Stated, desk: Desk) -> Verdict:
    """A line that stood there on somebody else's word is now the person's too; the file stays as it is."""
    line = reason("ADD", case, fact, None, desk) | {"text": found.text}
    done = carry.carry([Admitted("ADD", fact, found.text, found.bullet.section, None, line)], case.level, desk)
    kept = Verdict("added", fact, case.ruling.reason, case.principal, case.level.shown, found.text, "")
    return replace(kept, unkept=done.unkept)


def _unsaid(fact: str, held: Stated, desk: Desk) -> list[Admitted]:
    """A line that is about to go and that the ledger knows nothing of, so that it stays readable there."""
    if held.belief is not None:
        return []
    category = classify.classify(held.text, of_section(held.bullet.section))
    line = by_hand("ADD", fact, held.text, desk, "user") | {"category": category, "reason": "it stood in MEMORY.md"}
    return [Admitted("ADD", fact, held.text, held.bullet.section, None, line)]

"""Claims: what is claimed in a session goes to the gate; the session's log keeps each verdict, not the text."""

from __future__ import annotations

from collections.abc import Callable

from agentmem.domain.claim import Claim, Principal, Verdict
from agentmem.domain.desk import Desk
from agentmem.memory.session import Session
from agentmem.memory.write import extract, gate


def propose_in(session: Session, claim: Claim, by: Principal | None = None) -> Verdict:
    """Take a claim that the model made to the gate; with `by` the whole session is that one's word. Raises
    `LogWriteError`."""
    source = gate.Source(typed=False, session=session.id, branch=session.branch(), by=by)
    verdict = gate.propose(claim, source, Desk(session.places, session.clock, session.shown.caps))
    session.record_verdict(verdict)
    return verdict


def extract_from(session: Session, speaks: Callable[[], bool]) -> tuple[Verdict, ...]:
    """At a turn's end: what the person plainly asserted in it goes to the gate, if it is a person who `speaks` in this
    session. Gives what became a belief or was closed by one. Raises `LogWriteError`."""
    claims = extract.claims(session.entries)
    verdicts = [propose_in(session, claim) for claim in claims] if claims and speaks() else []
    return tuple(one for one in verdicts if one.outcome in ("added", "updated"))

"""Reset: working memory is emptied, and a fresh session goes on from a handoff that was proven by reading it back.

    the ending agent writes the handoff -> rules compare it with the log, a reader who saw nothing else reads it back ->
    the files are written -> a new session begins with them -> the old one ends with a `reset` entry

Without a goal or a next step nothing of this happens, and the old context stays.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from agentmem import __version__
from agentmem.agent.agent import Agent
from agentmem.agent.handover import Seat, arrival, fenced
from agentmem.agent.limits import Limits, Spent
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Event, TextDelta, ThinkingDelta, TurnEnded, TurnStop
from agentmem.domain.handoff import Handoff
from agentmem.domain.message import Text
from agentmem.memory.memory import (
    Ground,
    Known,
    Proof,
    handoff_of,
    known,
    new_session,
    plainly,
    prove,
    read_handoff,
    write_handoff,
)

_CUTS = ("window", "summary")
_STEPS = 3  # of a model that calls tools although it was asked not to

Told: TypeAlias = "Generator[Event, Answer | None, None]"


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person wants of a reset: a `note` for the next session, "" for none; `model` False has the handoff made
    by rule alone; `begin` True has the new session told to begin."""

    note: str = ""
    model: bool = True


def reset(agent: Agent, wish: Wish, cancel: Cancel) -> Told:
    """Reset a session; the last event is a `TurnEnded` whose stop is ``done`` when the agent stands in the new session,
    else it stands where it was. Raises `LogWriteError`, `OSError`."""
    old = agent.session
    ground = _ground(agent, wish)
    spent = Spent()
    agent.spent = spent
    draft: Handoff | None = None
    if wish.model:
        draft = yield from _drafted(agent, ground, cancel, spent)
    if cancel.cancelled:
        yield _ended(agent, spent, "interrupted", "", "the reset was interrupted; this session goes on")
        return
    of = known(old.tree().branch(), ground)
    proof = prove(draft or plainly(of), of)
    if not proof.refused and draft is not None:
        proof = yield from _read_back(agent, proof, of, cancel, spent)
    for text in _told(proof):
        yield Notice("info", text)
    if proof.refused or cancel.cancelled:
        why = proof.refused or "it was interrupted"
        hint = (
            ' Say what comes next with a note: /reset "then mend the parser".' if "next step" in proof.refused else ""
        )
        yield _ended(agent, spent, "failed", "", f"no reset: {why}; this session goes on.{hint}")
        return
    said = begin_anew(agent, proof.handoff)
    yield _ended(agent, spent, "done", said, None)


def then_reset(agent: Agent, turn: Told, cancel: Cancel) -> Told:
    """A turn, and a reset behind it where the session was compacted as often as the rule says. Both end with the
    turn's own end."""
    ended = yield from quietly(turn)
    cuts = sum(cut.type == "compaction" and cut.body.get("form") in _CUTS for cut in agent.session.branch())
    if ended.stop == "done" and cuts >= agent.limits.resets and not cancel.cancelled:
        yield Notice("info", f"the session was compacted {cuts} times: a reset, as `reset` in config.yaml says")
        limits, agent.limits = agent.limits, replace(agent.limits, resets=0)
        try:
            done = yield from quietly(reset(agent, Wish(), cancel))
        finally:
            agent.limits = limits
        yield Notice("info" if done.stop == "done" else "warning", done.text or done.error or "no reset")
    yield ended


def ruled(agent: Agent, wish: Wish) -> Handoff:
    """The handoff that the log alone makes, as complete as it gets."""
    of = known(agent.session.tree().branch(), _ground(agent, wish))
    return prove(plainly(of), of).handoff


def begin_anew(agent: Agent, handoff: Handoff) -> str:
    """Write the handoff and go on in a new session that begins with it; gives what to tell the person. Raises
    `LogWriteError`, `OSError`."""
    old = agent.session
    places, clock = old.places, agent.clock
    hashes = write_handoff(places, handoff)
    fresh = new_session(places, clock, __version__, parent=old.id, reset=True)
    fresh.begin_epoch(tuple(tool.spec for tool in agent.tools.values()), agent.window, agent.skills)
    fresh.record_notice(arrival(Seat(places, clock, agent.env)), "harness")
    fresh.sync()
    if old.leaf is not None:
        old.append("reset", {"to": fresh.id, "handoff": hashes}, old.leaf)
        old.sync()
    # After the old one's last entry: the session last written is the one that -c goes on with.
    fresh.set_state({"goal": " ".join(handoff.goal.split())})
    fresh.sync()
    agent.take(fresh)
    where = ".agent/handoff/progress.md"
    return f"reset: session {fresh.id} goes on from {where}; the one before: agentmem sessions show {old.id}"


def _ground(agent: Agent, wish: Wish) -> Ground:
    places = agent.session.places
    earlier = read_handoff(places) if agent.session.header.reset else None
    return Ground(agent.session_id, agent.clock.stamp(), agent.session.state.get("goal", ""), earlier, wish.note)


def _drafted(
    agent: Agent, ground: Ground, cancel: Cancel, spent: Spent
) -> Generator[Event, Answer | None, Handoff | None]:
    """The handoff that the ending agent writes, None where it could not."""
    prompt = Path(__file__).with_name("reset.md").read_text(encoding="utf-8").strip()
    note = f"\n\nThe person adds: {ground.note}" if ground.note else ""
    limits = agent.limits
    agent.limits = replace(limits, max_turns=_STEPS)
    yield Notice("info", "writing the handoff …")
    try:
        ended = yield from quietly(agent.turn([Text(prompt + note, "harness")], cancel), mute=True)
    finally:
        agent.limits = limits
        spent.add_turn(agent.spent)
        agent.spent = spent
    if ended.stop != "done":
        if not cancel.cancelled:
            yield Notice(
                "warning", f"the model wrote no handoff ({ended.error or ended.stop}); it is made by rule from the log"
            )
        return None
    return handoff_of(ended.text)


def _read_back(
    agent: Agent, proof: Proof, of: Known, cancel: Cancel, spent: Spent
) -> Generator[Event, Answer | None, Proof]:
    """Let a session that sees the handoff alone say what it says."""
    places = agent.session.places
    session = new_session(places, agent.clock, __version__, parent=agent.session_id)
    session.begin_epoch((), agent.window)
    reader = replace(
        agent, session=session, tools={}, limits=Limits(1), spent=Spent(), seen={}, keeper=None, giver=agent.session_id
    )
    prompt = Path(__file__).with_name("readback.md").read_text(encoding="utf-8").strip()
    try:
        parts = [Text(f"{fenced(proof.handoff)}\n\n{prompt}", "harness")]
        yield Notice("info", "having it read back by one who saw nothing else …")
        ended = yield from quietly(reader.turn(parts, cancel), mute=True)
    finally:
        session.close()
        spent.add_turn(reader.spent)
    if ended.stop != "done":
        yield Notice(
            "warning", f"nobody read the handoff back ({ended.error or ended.stop}); rules alone have checked it"
        )
        return proof
    return replace(prove(proof.handoff, of, handoff_of(ended.text)), added=proof.added)


def quietly(
    turn: Generator[Event, Answer | None, None], *, mute: bool = False
) -> Generator[Event, Answer | None, TurnEnded]:
    """Pass a turn's events on but its end, which is returned; with `mute` what the model says is kept back too."""
    answer: Answer | None = None
    while True:
        event = turn.send(answer)  # the last event is a TurnEnded: it comes before the generator is done
        if isinstance(event, TurnEnded):
            turn.close()
            return event
        answer = None if mute and isinstance(event, TextDelta | ThinkingDelta) else (yield event)


def _told(proof: Proof) -> list[str]:
    told = [f"the handoff lacked this; it is written in from the log: {one}" for one in proof.added]
    return told + [f"a fresh reader passed this over; it stands in brief.md once more: {one}" for one in proof.mind]


def _ended(agent: Agent, spent: Spent, stop: TurnStop, text: str, error: str | None) -> TurnEnded:
    return TurnEnded(agent.session_id, stop, text, spent.steps, spent.usage, spent.cost, tuple(spent.refusals), error)

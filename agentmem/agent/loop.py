"""The loop: a turn is a generator of Events, and every step is on disk before the next begins.

    record the user message -> ask the model -> record its reply -> run its calls, record each result -> again,
    until a reply has no call, a limit is reached, the model fails or the person interrupts.

An interrupt at any point leaves a legal history: what was not recorded is filled in when the log is read.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from agentmem.agent.agent import Agent, has_memory
from agentmem.agent.limits import EQUAL_CALLS, Spent
from agentmem.domain.begun import Notice, StepStarted, TurnStarted
from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.message import Part, Reply, Text, ToolCall
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import LogWriteError
from agentmem.model.door import ModelError
from agentmem.model.retry import asking

if TYPE_CHECKING:
    from agentmem.agent.batch import Done
    from agentmem.domain.event import Answer, Event, ToolEnded, TurnStop

Turn: TypeAlias = "Generator[Event, Answer | None, None]"
Ending: TypeAlias = "tuple[TurnStop, str | None]"

CUT_OFF = (
    "Not run: your reply was cut off by the output limit, so this call may be incomplete. "
    "Send it again in smaller parts, e.g. write a file in several steps."
)
REPEATED = (
    f"You have now made the same call {EQUAL_CALLS} times in a row and got the same result each time. Do something "
    "different, or say what is missing. One more equal call ends this turn."
)


REMINDED = 10
"""Steps after which the model is told its list of what is to be done again."""


class _State:
    """What one turn has gathered."""

    def __init__(self) -> None:
        self.spent = Spent()
        self.answer = ""
        self.partial: list[str] = []

    def saw(self, piece: object) -> None:
        """Gather what the person sees of the answer; it is void when the model is asked again."""
        from agentmem.domain.event import Retrying, TextDelta  # the first comes when the model answers

        if isinstance(piece, Retrying):
            self.partial.clear()
        elif isinstance(piece, TextDelta):
            self.partial.append(piece.text)


def turn(agent: Agent, parts: Sequence[Part], cancel: Cancel) -> Turn:
    """Run one turn from the user's parts to its end; the last event is always `TurnEnded`.

    Raises what nobody expected (a defect) after marking the turn as stopped; expected failures are in `TurnEnded`.
    """
    state = _State()
    agent.spent = state.spent
    try:
        stop, error = yield from _steps(agent, parts, cancel, state)
        if stop == "done" and agent.giver is None:
            yield from _extract(agent)
        if stop == "done" and agent.limits.compacts and agent.session.active.snapshot is not None:
            from agentmem.agent.idle import idle

            yield from idle(agent, cancel)
        agent.session.sync()
    except LogWriteError as failure:
        stop, error = "failed", str(failure)
    except BaseException:
        agent.session.record_interrupt("error" if not cancel.cancelled else "user")
        agent.session.sync()
        raise
    from agentmem.domain.event import TurnEnded

    spent = state.spent
    try:
        yield TurnEnded(
            agent.session.id, stop, state.answer, spent.steps, spent.usage, spent.cost, tuple(spent.refusals), error
        )
    finally:  # once the answer was shown, also where nobody asks for more
        from agentmem.memory.memory import noting

        noting.note(agent.session)


def _steps(
    agent: Agent, parts: Sequence[Part], cancel: Cancel, state: _State
) -> Generator[Event, Answer | None, Ending]:
    entry = agent.session.record_user(parts)
    if agent.keeper is not None and agent.giver is None:  # what a task changes is kept with the turn that gave it
        agent.keeper.begin(agent.session.id, entry.id)
    yield TurnStarted(agent.session.id, entry.id, agent.model)
    yield from _looked_after(agent)
    agent.begin_checks(cancel)
    yield from _equip(agent, parts, cancel)
    yield from _remind(agent, parts)
    while True:
        if over := state.spent.over(agent.limits):
            agent.session.record_interrupt("limit")
            return over
        try:
            if full := (yield from _make_room(agent, cancel)):
                agent.session.record_interrupt("limit")
                return full
            reply = yield from _ask(agent, cancel, state)
        except Cancelled:
            _keep_partial(agent, state)
            agent.session.record_interrupt("user")
            return "interrupted", None
        except ModelError as failure:
            from agentmem.agent.again import again  # few requests fail

            if (told := again(agent, failure)) is not None:
                yield told
                continue
            agent.session.record_interrupt("error")
            return _failed(agent, failure)
        if not reply.calls:
            state.answer = reply.text
            return _ending(reply)
        yield from _act(agent, reply, cancel, state)
        if cancel.cancelled or agent.halt.cancelled:
            agent.session.record_interrupt("user")
            return "interrupted", None


def _failed(agent: Agent, failure: ModelError) -> Ending:
    """How a turn ends on a model that failed."""
    if failure.failure != "overflow":
        return "model_error", str(failure)
    from agentmem.agent.room import refused

    return "overflow", refused(agent, str(failure))


def _looked_after(agent: Agent) -> Turn:
    """What became of the memory files since the last turn; the model is told at the tail, so that the prefix holds."""
    if agent.warden is None or agent.giver is not None or not has_memory(agent.session.places):
        return
    yield from agent.warden().between(agent.session.id)
    for text in agent.warden().untold():
        agent.session.record_notice(text, "file")


def _extract(agent: Agent) -> Turn:
    """What the person plainly asserted is proposed, and told when it is kept. A sub-session's task is nobody's word."""
    from agentmem.domain.telling import told
    from agentmem.memory.memory import extract_from

    for verdict in extract_from(agent.session, agent.speaks):
        yield Notice("memory", "\n".join(filter(None, (told(verdict), verdict.diff))))


def _ending(reply: Reply) -> Ending:
    """How a turn ends on a reply without calls."""
    if reply.stop == "length":
        return "length", "The answer was cut off by the model's output limit. Say `continue` to get the rest."
    if reply.stop == "refusal":
        return "refusal", "The model declined to answer."
    return "done", None


def _make_room(agent: Agent, cancel: Cancel) -> Generator[Event, Answer | None, Ending | None]:
    """Before each call: where the window may be filling, what is due then. Gives how the turn ends without room."""
    spent, limits = agent.spent, agent.limits
    pressed = spent.overflow is not None or spent.wish is not None
    # A token is a byte at least: most sessions are known to be small without being weighed.
    due = limits.trigger * agent.window
    if not pressed and (agent.session.fullness.size_bound() < due or agent.session.fullness.most_tokens() < due):
        return None
    from agentmem.agent.pressure import make_room

    return (yield from make_room(agent, cancel))


def _ask(agent: Agent, cancel: Cancel, state: _State) -> Generator[Event, Answer | None, Reply]:
    """One model call: the manifest is on disk before it, the whole reply (fsynced) after it."""
    spent = state.spent
    spent.steps += 1
    yield StepStarted(spent.steps)
    cancel.check()
    prompt = agent.session.prompt(agent.max_output)
    agent.session.record_call(agent.model, agent.door.body(prompt), agent.door.shape)
    if (broken := agent.session.broken()) is not None:
        yield Notice("info", broken)
    state.partial.clear()
    reply: Reply | None = None
    for piece in asking(agent.door, prompt, cancel):
        if isinstance(piece, Reply):
            reply = piece
            continue
        state.saw(piece)
        yield piece
    if reply is None:
        raise ModelError("dropped", f"{agent.model} ended its stream without a reply. Send the message again.")
    from agentmem.domain.event import StepEnded

    agent.session.record_reply(reply)
    agent.session.sync()
    cost = agent.price(reply.usage)
    spent.add(reply.usage, cost)
    yield StepEnded(spent.steps, reply.usage, cost)
    return reply


def _keep_partial(agent: Agent, state: _State) -> None:
    """An answer the person saw half of stays in the history, marked as cut."""
    if text := "".join(state.partial).strip():
        agent.session.record_reply(Reply((Text(text, "agent"),), "interrupted"))
        state.answer = text


def _act(agent: Agent, reply: Reply, cancel: Cancel, state: _State) -> Turn:
    """Run the calls of a reply, or none of them when it was cut off."""
    spent = state.spent
    if reply.stop == "length":
        spent.cut += 1
        for call in reply.calls:
            yield _not_run(agent, call)
        return
    spent.cut = 0
    from agentmem.agent.batch import run_calls  # no first request needs it

    done = yield from run_calls(agent, reply.calls, cancel)
    for one in done:
        spent.saw(one.call, one.result)
        if one.refusal is not None:
            spent.refuse(one.refusal)
    if spent.equal == EQUAL_CALLS:
        agent.session.record_notice(REPEATED, "harness")
        yield Notice("warning", f"The model made the same call {EQUAL_CALLS} times in a row; it was told.")
    yield from _disclose(agent, done, cancel)
    if spent.steps % REMINDED == 0:
        from agentmem.agent.pressure import remind

        remind(agent)
    if agent.skills is not None and (not agent.skills.bare or any(one.call.name == "skill" for one in done)):
        from agentmem.agent import skilled

        yield from skilled.after(agent, agent.skills, done, cancel)


def _equip(agent: Agent, parts: Sequence[Part], cancel: Cancel) -> Turn:
    """The skills that the message calls for."""
    skills = agent.skills
    if skills is None or all(skills.idle(part.text) for part in parts if isinstance(part, Text)):
        return
    from agentmem.agent import skilled  # few messages call for one

    yield from skilled.begin(agent, skills, parts, cancel)


def _remind(agent: Agent, parts: Sequence[Part]) -> Turn:
    """The few memories that surely answer what the person said."""
    if agent.reminds and agent.giver is None and (recaller := agent.recalling()) is not None:
        yield from recaller.begin(agent, parts)


def _not_run(agent: Agent, call: ToolCall) -> ToolEnded:
    from agentmem.domain.event import ToolEnded

    agent.session.record_result(call, ToolResult(CUT_OFF, error=True, malformed="arguments"), 0)
    return ToolEnded(call.id, call.name, CUT_OFF, True, None, 0, None, None)


def _disclose(agent: Agent, done: Sequence[Done], cancel: Cancel) -> Turn:
    """Instruction files of a folder are told when a file in it was first touched."""
    from agentmem.agent.toolcontext import context_for

    for one in done:
        if one.result.error or one.call.name not in agent.tools:
            continue
        context = context_for(agent, one.call, cancel)
        for access in agent.tools[one.call.name].access(one.call.arguments, context):
            if access.kind not in ("read", "write"):
                continue
            for found in agent.session.nested(Path(access.target)):
                agent.session.record_notice(found.block, "file")
                yield Notice("info", f"loaded {found.name}")

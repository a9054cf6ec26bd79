"""Batch: the tool calls of one reply, from permission to their recorded results.

Calls run in the order the model gave them; neighbours that only read run side by side. Every call gets exactly one
result, whatever happens: refused, unknown, interrupted before or while it ran.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from agentmem.agent.agent import Agent
from agentmem.agent.proving import Watch
from agentmem.agent.toolcontext import context_for
from agentmem.domain.cancel import Cancel
from agentmem.domain.entry import Entry
from agentmem.domain.event import Answer, Asked, Event, Notice, Refusal, ToolEnded, ToolOutput, ToolStarted
from agentmem.domain.message import ToolCall
from agentmem.domain.tool import Tool, ToolContext, ToolResult
from agentmem.workspace.permission import Decision, decide_all

SIDE_BY_SIDE = 8
LOOK = 0.2
"""Seconds after which a wait for news is begun anew: a signal that comes just as a wait begins is heeded after it."""

NOT_STARTED = "Not run: the user interrupted the turn before this call began."
NOBODY = (
    "Refused: this needs the user's yes and nobody is here to give it ({reason}). It would run with "
    "`--permission {mode}`. Do not try it another way; go on without it, and say at the end what was refused."
)
NOBODY_EVER = (
    "Refused: this needs the user's yes, which no permission mode does without, and nobody is here to give it "
    "({reason}). Do not try it another way; go on without it, and say at the end what was refused."
)
WITHHELD = (
    "Not run: {mark} stands for a secret that you were not shown; written down it would take the secret's place. "
    "Change what is around it and leave it alone, or let a command take the secret from where it lies."
)
SAID_NO = "Refused: the user said no to this call. Do not try it another way; ask what they want instead."


@dataclass(frozen=True, slots=True)
class Done:
    """One call with its result and how long it ran. `refusal` is set when permission was wanting."""

    call: ToolCall
    result: ToolResult
    ms: int = 0
    refusal: Refusal | None = None


def run_calls(agent: Agent, calls: Sequence[ToolCall], cancel: Cancel) -> Generator[Event, Answer | None, list[Done]]:
    """Run the calls of one reply and record each result; returns them in the order they were recorded."""
    done: list[Done] = []
    for side_by_side, group in groupby(calls, key=lambda call: _reads_only(agent, call)):
        batch = list(group)
        width = SIDE_BY_SIDE if side_by_side else 1
        for start in range(0, len(batch), width):
            done += yield from _run_some(agent, batch[start : start + width], cancel)
    return done


def _reads_only(agent: Agent, call: ToolCall) -> bool:
    tool = agent.tools.get(call.name)
    return tool is not None and tool.reads_only


def _run_some(agent: Agent, calls: Sequence[ToolCall], cancel: Cancel) -> Generator[Event, Answer | None, list[Done]]:
    """Decide on each call, run those that may run side by side, record all in order."""
    settled: dict[int, Done] = {}  # by place: a provider may give two calls one id
    for place, call in enumerate(calls):
        unfit = _unfit(agent, call, cancel)
        if unfit is not None:
            settled[place] = Done(call, unfit)
        elif (refused := (yield from _permit(agent, call, agent.tools[call.name], cancel))) is not None:
            settled[place] = refused
    ready = [(place, call) for place, call in enumerate(calls) if place not in settled]
    yield from _run_ready(agent, ready, cancel, settled)
    done = [settled[place] for place in range(len(calls))]
    for one in done:
        entry = agent.session.record_result(one.call, one.result, one.ms)
        yield _ended(one, entry)
    return done


def _unfit(agent: Agent, call: ToolCall, cancel: Cancel) -> ToolResult | None:
    """The result of a call that cannot run at all."""
    if cancel.cancelled:
        return ToolResult(NOT_STARTED, error=True)
    if call.name not in agent.tools:
        names = ", ".join(agent.tools)
        return ToolResult(f"There is no tool `{call.name}`. The tools are: {names}.", error=True, malformed="tool")
    if call.raw is not None:
        return ToolResult(
            "Not run: the arguments were no valid JSON object. Send the call again with complete JSON.",
            error=True,
            malformed="arguments",
        )
    if not agent.tools[call.name].reads_only and (mark := agent.session.mark_in(call)) is not None:
        return ToolResult(WITHHELD.format(mark=mark), error=True)
    return None


def _permit(agent: Agent, call: ToolCall, tool: Tool, cancel: Cancel) -> Generator[Event, Answer | None, Done | None]:
    """Ask permission for all that the call touches; the settled refusal, or None when it may run."""
    context = context_for(agent, call, cancel)
    accesses = tool.access(call.arguments, context)
    if not accesses:
        return None
    decision = decide_all(agent.mode, accesses, agent.session.places, agent.grants)
    if decision.verdict == "allow":
        return None
    named = ", ".join(access.named for access in accesses)
    if decision.verdict == "deny":
        return _refusal(call, named, decision, f"Refused: {decision.reason}.")
    diff = tool.preview(call.arguments, context) if tool.preview else None
    answer = yield Asked(call.id, call.name, call.arguments, decision.reason, diff, decision.can_always)
    if answer == "always" and decision.can_always:
        agent.grants = agent.grants.extended(accesses)
    if cancel.cancelled or answer == "no":
        return Done(call, ToolResult(NOT_STARTED if cancel.cancelled else SAID_NO, error=True))
    if answer is None:
        nobody = NOBODY if decision.allowed_by is not None else NOBODY_EVER
        return _refusal(call, named, decision, nobody.format(reason=decision.reason, mode=decision.allowed_by))
    return None


def _refusal(call: ToolCall, named: str, decision: Decision, text: str) -> Done:
    refusal = Refusal(call.name, named, decision.allowed_by or "none")
    return Done(call, ToolResult(text, error=True), refusal=refusal)


def _run_ready(
    agent: Agent, ready: Sequence[tuple[int, ToolCall]], cancel: Cancel, settled: dict[int, Done]
) -> Generator[Event, Answer | None, None]:
    """Run each call in a thread of its own and settle it; its output is passed on as it comes, and so are the questions
    of a task that it gave."""
    news: queue.SimpleQueue[_News | tuple[int, Done] | Exception] = queue.SimpleQueue()

    def work(place: int, call: ToolCall) -> None:
        try:
            news.put((place, _run_one(agent, call, _context(agent, call, cancel, news.put), news.put)))
        except Exception as error:  # a defect of the tool, or a log that cannot be written: raised in the turn's thread
            news.put(error)

    for place, call in ready:
        yield ToolStarted(call.id, call.name, call.arguments)
        threading.Thread(target=work, args=(place, call), name=f"tool-{call.name}", daemon=True).start()
    open_calls = len(ready)
    try:
        while open_calls:
            try:
                item = news.get(timeout=LOOK)
            except queue.Empty:
                continue
            if isinstance(item, ToolOutput | Notice):
                yield item
            elif isinstance(item, _Question):
                item.answers.put((yield item.asked))
            elif isinstance(item, Exception):
                raise item
            else:
                settled[item[0]] = item[1]
                open_calls -= 1
    except GeneratorExit:  # nobody listens any more: what still runs must not go on alone
        cancel.cancel()
        raise


@dataclass(frozen=True, slots=True)
class _Question:
    """A question of a task that a running call gave, and where its answer is awaited."""

    asked: Asked
    answers: queue.SimpleQueue[Answer | None] = field(default_factory=queue.SimpleQueue)


_News = ToolOutput | Notice | _Question


def _context(agent: Agent, call: ToolCall, cancel: Cancel, tell: Callable[[_News], None]) -> ToolContext:
    """What a running call works with; `tell` reaches the person."""

    def emit(text: str) -> None:
        tell(ToolOutput(call.id, text))

    ask = _asker(cancel, tell)

    def spawn(task: str) -> ToolResult:
        from agentmem.agent import subsession

        return subsession.run(agent, task, cancel, emit, ask)

    return replace(context_for(agent, call, cancel), emit=emit, spawn=None if agent.giver else spawn)


def _asker(cancel: Cancel, tell: Callable[[_News], None]) -> Callable[[Asked], Answer | None]:
    """What asks the person, in the turn's thread, and waits for the answer."""

    def ask(asked: Asked) -> Answer | None:
        question = _Question(asked)
        with cancel.calling(lambda: question.answers.put(None)):
            tell(question)
            return question.answers.get()

    return ask


def _run_one(agent: Agent, call: ToolCall, context: ToolContext, tell: Callable[[_News], None]) -> Done:
    """Run one call; what it may change is kept first."""
    tool, keeper = agent.tools[call.name], agent.keeper
    keeps = keeper if not tool.reads_only else None
    if keeps is not None:
        for notice in keeps.before(call, tool.access(call.arguments, context), context.cancel):
            tell(notice)
    watch = Watch(agent.session.places) if tool.name == "bash" else None
    begun = agent.clock.monotonic()
    result = _guarded(agent, call, context, tell)
    if watch is not None and (told := watch.settle()) is not None:
        result = replace(result, text=f"{result.text}\n{told}")
    ms = int((agent.clock.monotonic() - begun) * 1000)
    if keeps is not None:
        keeps.after(call)
    return Done(call, result, ms)


def _guarded(agent: Agent, call: ToolCall, context: ToolContext, tell: Callable[[_News], None]) -> ToolResult:
    """Run a call; what a command does to the memory files meanwhile is its word, not the person's."""
    tool, session = agent.tools[call.name], agent.session.id
    if agent.warden is None or not any(one.kind == "run" for one in tool.access(call.arguments, context)):
        return tool.run(call.arguments, context)
    warden = agent.warden()
    ask = _asker(context.cancel, tell)

    def may_go(about: str, diff: str) -> bool:
        # Under an id of its own: a no is none to the call, which has run.
        return ask(Asked(f"{call.id}/memory", call.name, call.arguments, about, diff, False)) in ("yes", "always")

    for notice in warden.before(session):
        tell(notice)
    try:
        return tool.run(call.arguments, context)
    finally:
        for notice in warden.after(session, call, may_go):
            tell(notice)


def _ended(done: Done, entry: Entry) -> ToolEnded:
    """The end of a call as it was recorded: secrets are redacted there, and so they are for whoever listens."""
    result, refused = done.result, done.refusal.allowed_by if done.refusal else None
    call, said = done.call, entry.body.get("content")
    text = said if isinstance(said, str) else result.text
    return ToolEnded(call.id, call.name, text, result.error, result.exit, done.ms, result.diff, result.offload, refused)

"""Subsession: a task in a fresh session with a log of its own; the one who gave it gets the last answer, no more.

It runs under what is left of the giver's turn, with the same permission mode and grants; its questions go to the same
person. It may neither propose memories nor give tasks on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentmem import __version__
from agentmem.agent.agent import Agent
from agentmem.agent.limits import Spent
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Compacted, Event, Notice, Retrying, ToolEnded, ToolStarted, TurnEnded
from agentmem.domain.message import Text
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import new_session

Emit = Callable[[str], None]
Ask = Callable[[Asked], Answer | None]

WITHHELD = frozenset({"task", "remember", "forget", "verify"})
"""Tools that a sub-session does not get."""
UNDER_A_TASK = "AGENTMEM_TASK"
"""Set for its commands: by them too no memory is proposed."""

NOTHING_LEFT = "Not run: too little is left of this turn's limits for a task. Go on without it."
_GIST = 100


def run(giver: Agent, task: str, cancel: Cancel, emit: Emit, ask: Ask) -> ToolResult:
    """Run a task to its end. What it took counts in the giver's turn."""
    limits = giver.spent.left(giver.limits)
    if limits is None:
        return ToolResult(NOTHING_LEFT, error=True)
    session = new_session(giver.session.places, giver.clock, __version__, parent=giver.session_id)
    tools = {name: tool for name, tool in giver.tools.items() if name not in WITHHELD}
    skills = giver.skills and giver.skills.again()
    session.begin_epoch(tuple(tool.spec for tool in tools.values()), giver.window, skills)
    agent = replace(
        giver,
        session=session,
        tools=tools,
        skills=skills,
        limits=limits,
        env={**giver.env, UNDER_A_TASK: "1"},
        seen={},
        spent=Spent(),
        giver=giver.session_id,
        remaking=None,
    )
    emit(f"session {session.id}\n")
    try:
        ended = _play(agent, task, cancel, emit, ask)
    finally:
        session.close()
        giver.grants = agent.grants
        giver.spent.add_turn(agent.spent)
    return _result(ended)


def _play(agent: Agent, task: str, cancel: Cancel, emit: Emit, ask: Ask) -> TurnEnded:
    note = Path(__file__).with_name("task.md").read_text(encoding="utf-8").strip()
    turn = agent.turn([Text(task, "agent"), Text(note, "harness")], cancel)
    answer: Answer | None = None
    while True:
        event = turn.send(answer)  # the last event is a TurnEnded: it returns before the generator is done
        answer = None
        if isinstance(event, TurnEnded):
            turn.close()
            return event
        if isinstance(event, Asked):
            answer = ask(replace(event, reason=f"a task wants it: {event.reason}"))
        elif line := _line(event):
            emit(f"{line}\n")


def _line(event: Event) -> str | None:
    """What the person is told of an event while the task runs."""
    match event:
        case ToolStarted():
            return f"{event.tool} {_gist(event.arguments)}".rstrip()
        case ToolEnded() if event.error:
            return f"  {event.tool}: {' '.join(event.text.split())[:_GIST]}"
        case Retrying():
            return f"the model failed ({event.reason}); asking again"
        case Notice() | Compacted():
            return event.text
        case _:
            return None


def _gist(arguments: Mapping[str, Any]) -> str:
    first = next((value for value in arguments.values() if isinstance(value, str)), "")
    return " ".join(first.split())[:_GIST]


def _result(ended: TurnEnded) -> ToolResult:
    if ended.stop == "done" and ended.text.strip():
        return ToolResult(ended.text)
    if ended.stop == "done":
        return ToolResult("The task ended without an answer.", error=True)
    said = f"\nThe last it said: {ended.text}" if ended.text.strip() else ""
    why = "it was interrupted" if ended.stop == "interrupted" else ended.error or ended.stop
    return ToolResult(f"The task came to no answer: {why}{said}", error=True)

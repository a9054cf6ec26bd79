"""What the loop's tests share: an Agent on real files with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem.agent.agent import Agent
from agentmem.agent.limits import Limits
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.event import Answer, Asked, Event, TurnEnded
from agentmem.domain.message import Text
from agentmem.domain.mode import Mode
from agentmem.domain.places import Places
from agentmem.domain.tool import Tool
from agentmem.memory.memory import new_session, resume_session
from agentmem.model.scripted import ScriptedDoor
from agentmem.tools import tools

Script = Sequence[Mapping[str, Any]]


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def make_agent(
    places: Places,
    script: Script,
    *,
    mode: Mode = "full",
    limits: Limits | None = None,
    resume: str | None = None,
    own_tools: Sequence[Tool] | None = None,
    window: int = 100_000,
) -> Agent:
    """An Agent in `places` whose model plays `script`."""
    file = places.home / "script.jsonl"
    file.write_text("".join(json.dumps(reply) + "\n" for reply in script), encoding="utf-8")
    clock = Clock()
    session = resume_session(places, clock, resume) if resume else new_session(places, clock, "0.0.0")
    every = tools() if own_tools is None else own_tools
    session.begin_epoch(tuple(tool.spec for tool in every), window)
    return Agent(
        session=session,
        door=ScriptedDoor(file),
        tools={tool.name: tool for tool in every},
        clock=clock,
        window=window,
        mode=mode,
        limits=limits or Limits(),
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(places.home)},
    )


def play(
    agent: Agent,
    text: str,
    *,
    cancel: Cancel | None = None,
    answer: Callable[[Asked], Answer | None] = lambda asked: None,
    watch: Callable[[Event], None] = lambda event: None,
) -> list[Event]:
    """Run a turn to its end and give its events; `watch` sees each one as it comes."""
    return driven(agent.turn([Text(text, "person")], cancel or Cancel()), answer, watch)


def driven(
    turn: Generator[Event, Answer | None, object],
    answer: Callable[[Asked], Answer | None] = lambda asked: None,
    watch: Callable[[Event], None] = lambda event: None,
) -> list[Event]:
    """Run what yields events to its end and give them; `watch` sees each one as it comes."""
    events: list[Event] = []
    reply: Answer | None = None
    while True:
        try:
            event = turn.send(reply)
        except StopIteration:
            return events
        events.append(event)
        watch(event)
        reply = answer(event) if isinstance(event, Asked) else None


def ended(events: Sequence[Event]) -> TurnEnded:
    last = events[-1]
    assert isinstance(last, TurnEnded)
    return last


def log_of(agent: Agent) -> list[dict[str, Any]]:
    """The log's lines, parsed."""
    return [json.loads(line) for line in Path(agent.log).read_bytes().split(b"\n") if line]


def results(agent: Agent) -> list[str]:
    """The texts of the recorded tool results, in order."""
    return [line["content"] for line in log_of(agent) if line.get("role") == "tool"]

"""Setting up: the commands that progress.md gives for setup and checks, run by consent, their outcome recorded."""

from __future__ import annotations

import re
from collections.abc import Generator

from agentmem.agent.agent import Agent
from agentmem.agent.verify import Verifier
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event
from agentmem.domain.tool import Access
from agentmem.memory.memory import read_handoff
from agentmem.workspace.permission import decide

MOST = 8
_CODE = re.compile(r"`([^`\n]+)`|^\s*\$ (.+)$", re.MULTILINE)


def commands(text: str) -> tuple[str, ...]:
    """The commands that a section names: what stands in backticks or behind a ``$``."""
    found = (one or other for one, other in _CODE.findall(text))
    return tuple(dict.fromkeys(" ".join(command.split()) for command in found))[:MOST]


def set_up(agent: Agent, cancel: Cancel) -> Generator[Event, Answer | None, None]:
    """Run what the handoff says sets the project up, as far as the permission mode or the person allows; the model is
    told what came of it. Raises `OSError`, `LogWriteError`."""
    places = agent.session.places
    handoff = read_handoff(places)
    rows = []
    for command in commands(handoff.setup if handoff else ""):
        if cancel.cancelled:
            break
        decision = decide(agent.mode, Access("run", command, command), places, agent.grants)
        allowed = decision.verdict == "allow"
        if decision.verdict == "ask":
            why = "progress.md says that it sets the project up or checks it"
            allowed = (yield Asked("setup", "setup", {"command": command}, why, None, False)) in ("yes", "always")
        row = f"`{command}` {_outcome(agent, command, cancel) if allowed else 'was not run: nobody allowed it'}"
        rows.append(row)
        yield Notice("info", f"setup: {row}")
    if rows:
        told = "\n".join(f"- {row}" for row in rows)
        agent.session.record_notice(f"Commands of `Setup and checks` in progress.md, just now:\n{told}", "harness")


def _outcome(agent: Agent, command: str, cancel: Cancel) -> str:
    ended = Verifier(agent.session.places, agent.clock, agent.env, cancel).ran(command)
    if ended is None:
        return "could not be started"
    return (
        f"ended with {ended.code} after {ended.seconds:.1f} s" if ended.how == "exit" else f"was stopped ({ended.how})"
    )

"""Prefetch: the read-only calls that a skill names, run before the model is asked.

prefetch:
  - ls: {path: src}
  - read: {path: .agent/handoff/features.json}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agentmem.agent.agent import Agent
from agentmem.agent.toolcontext import context_for
from agentmem.domain.cancel import Cancel
from agentmem.domain.message import ToolCall
from agentmem.domain.skill import Skill
from agentmem.domain.tool import Access, Tool
from agentmem.workspace.paths import inside
from agentmem.workspace.permission import decide_all

MOST = 5
"""Calls of one skill."""
BYTES = 8_000
"""Of one call's result."""


class BadPrefetch(Exception):
    """A skill names calls that cannot be made; the message says which and why."""


def flaw(skill: Skill, tools: Mapping[str, Tool]) -> str | None:
    """Why the calls that a skill names cannot be made, None when they can."""
    try:
        list(_calls(skill, tools))
    except BadPrefetch as error:
        return str(error)
    return None


def fetch(agent: Agent, skill: Skill, cancel: Cancel) -> str:
    """What the calls of a skill gave, each under its name; "" for none. What fails is told there too. Raises
    `BadPrefetch`."""
    out: list[str] = []
    for call in _calls(skill, agent.tools):
        cancel.check()
        tool, context = agent.tools[call.name], context_for(agent, call, cancel)
        accesses = tool.access(call.arguments, context)
        decision = decide_all(agent.mode, accesses, agent.session.places, agent.grants)
        reason = decision.reason if decision.verdict != "allow" else _astray(agent, skill, accesses)
        text = tool.run(call.arguments, context).text if reason is None else f"not run: {reason}"
        data = text.encode("utf-8", "replace")
        if len(data) > BYTES:
            text = f"{data[:BYTES].decode('utf-8', 'ignore')}\n[the first {BYTES:,} of {len(data):,} bytes]"
        said = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
        out.append(f"[{call.name}({said}) for the skill {skill.id}]\n{text.strip()}")
    return "\n\n".join(out)


def _astray(agent: Agent, skill: Skill, accesses: Iterable[Access]) -> str | None:
    """Why a call reaches too far, None when it does not. Nobody asked for it: what a project's skill names without a
    model, or a person, having looked is the project's, or lies with the skill."""
    if skill.level != "project":
        return None
    near = (agent.session.places.root, Path(os.path.realpath(os.path.dirname(skill.path))))
    far = next((one for one in accesses if not any(inside(Path(one.target), folder) for folder in near)), None)
    return None if far is None else f"{far.named} lies outside of the project"


def _calls(skill: Skill, tools: Mapping[str, Tool]) -> Iterator[ToolCall]:
    value = skill.fields.get("prefetch")
    if value is None:
        return
    items = value if isinstance(value, list) else [value]
    if len(items) > MOST:
        raise BadPrefetch(f"`prefetch` names {len(items)} calls, {MOST} at most")
    for number, item in enumerate(items):
        name, arguments = _named(item)
        if name not in tools:
            raise BadPrefetch(f"`prefetch` names {name!r}: there is no such tool")
        if not tools[name].reads_only:
            raise BadPrefetch(f"`prefetch` names {name}, which does more than read")
        yield ToolCall(f"prefetch-{skill.id}-{number}", name, arguments)


def _named(item: Any) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments; a number that YAML holds as text is one again."""
    if isinstance(item, str):
        return item.strip(), {}
    if isinstance(item, dict) and len(item) == 1:
        ((name, arguments),) = item.items()
        if arguments is None:
            return str(name), {}
        if isinstance(arguments, dict):
            return str(name), {key: _meant(value) for key, value in arguments.items()}
    raise BadPrefetch("`prefetch` wants a list of calls, e.g. `- ls: {path: src}`")


def _meant(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value

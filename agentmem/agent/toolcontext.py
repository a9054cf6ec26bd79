"""Tool context: what one call of an agent runs with, and so what a model can reach."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmem.agent.agent import Agent
from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Claim, Verdict
from agentmem.domain.message import ToolCall
from agentmem.domain.tool import Letting, ToolContext, ToolResult

if TYPE_CHECKING:
    from agentmem.domain.tool import Checks


def context_for(agent: Agent, call: ToolCall, cancel: Cancel) -> ToolContext:
    """What one call runs with. In a sub-session nothing that lasts can be reached: it works for who gave it its task,
    and answers."""
    alone = agent.giver is None
    return ToolContext(
        places=agent.session.places,
        cancel=cancel,
        call_id=call.id,
        seen=agent.seen,
        offload=agent.session.outputs.keep,
        propose=partial(_propose, agent) if alone else _not_here,
        env=agent.env,
        verify=_checks(agent, cancel) if alone and "verify" in agent.tools else None,
        skill=None if agent.skills is None else partial(_skill, agent),
        compact=partial(_wish, agent) if agent.limits.compacts else None,
        draft=partial(_draft, agent) if alone else None,
        recall=None if agent.memories is None else partial(_recall, agent),
        forget=Letting(partial(_look_for, agent), partial(_forget, agent)) if alone else None,
    )


def _propose(agent: Agent, claim: Claim) -> Verdict:
    from agentmem.memory.memory import propose_in

    return propose_in(agent.session, claim, None if agent.speaks() else "agent")


def _not_here(claim: Claim) -> Verdict:
    return Verdict("refused", None, "a sub-session proposes no memories; put it into your answer", "agent")


def _recall(agent: Agent, arguments: Mapping[str, Any]) -> ToolResult:
    found = agent.recalling()
    shown = frozenset(entry.id for entry in agent.session.entries)
    return found.answer(arguments, shown) if found else ToolResult("there is no memory to search here", error=True)


def _skill(agent: Agent, name: str) -> ToolResult:
    from agentmem.agent import skilled

    return skilled.answer(agent, agent.skills, name) if agent.skills else ToolResult("there are no skills", error=True)


def _draft(agent: Agent, text: str) -> Verdict:
    from agentmem.agent import skilled

    return skilled.draft(agent, text)


def _wish(agent: Agent, keep: str) -> None:
    """The model wants its window compacted before its next step."""
    agent.spent.wish = keep


def _look_for(agent: Agent, query: str) -> str:
    return agent.forgetting.preview(query)


def _forget(agent: Agent, query: str) -> ToolResult:
    return agent.forgetting.for_model(query)


def _checks(agent: Agent, cancel: Cancel) -> Checks:
    from agentmem.agent.proving import checks

    return checks(agent, cancel)

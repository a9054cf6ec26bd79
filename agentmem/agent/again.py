"""Again: whether a request that failed is made once more, smaller or without its images, and what is told of it."""

from __future__ import annotations

from agentmem.agent.agent import Agent
from agentmem.agent.unseen import without_images
from agentmem.domain.begun import Notice
from agentmem.memory.memory import sight
from agentmem.model.door import ModelError


def again(agent: Agent, failure: ModelError) -> Notice | None:
    """What to tell before the request is made again; None where that cannot help. Raises `LogWriteError`."""
    overflow = failure.failure == "overflow"
    if overflow and _may_shrink(agent) and agent.spent.overflowed(str(failure), agent.limits):
        return Notice("warning", f"the request did not fit the window of {agent.model}: making room, then asking again")
    return without_images(agent, failure)


def _may_shrink(agent: Agent) -> bool:
    """Whether there is much to be made smaller; a small request that is too large has images a model cannot take."""
    if agent.session.fullness.size_bound() >= agent.limits.trigger * agent.window:
        return True
    return not sight.images(agent.session.prompt(agent.max_output).messages)

"""Room: how full the model's window is, by the very number that the person is shown, and whether work fits it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmem.memory.memory import shortening, weight

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.domain.filling import Filling
    from agentmem.memory.shortening import Room

FULL = 0.85
"""Of the window: from here on steps leave the prompt within a turn too; what is fixed must be less."""
_THOUGHTS = "thinking"
_LEAST, _MOST = 1.0, 8.0  # bytes a token that can be


def room(agent: Agent) -> Room:
    """The room there is now."""
    found = agent.filling()
    fixed = sum(share.tokens for share in found.shares if share.kind != "messages")
    shown = sum(share.tokens for share in found.shares if share.kind == "messages" and share.name != _THOUGHTS)
    if found.usage is None or not shown:  # nothing was counted since: an estimate of an estimate would drift
        ratio = shortening.carried_ratio(agent.session) or weight.BYTES_A_TOKEN
    else:
        ratio = shortening.message_bytes(agent.session) / shown
    return shortening.Room(agent.window, agent.context()[0], fixed, min(max(ratio, _LEAST), _MOST))


def too_small(agent: Agent, now: Room) -> str | None:
    """Why no work fits this window, with numbers; None where some does."""
    if now.fixed < FULL * now.window:
        return None
    parts = _biggest(agent.filling())
    return (
        f"The window of {agent.model} is too small here: {now.fixed:,} of its {now.window:,} tokens are taken before "
        f"anything is said ({parts}). Use a model with a larger window, or shorten what is listed; if the window is "
        "larger than that, say so with `window` in config.yaml."
    )


def full(agent: Agent, now: Room) -> str | None:
    """Why no further request fits, with numbers; None where one does. Thoughts count as used, but few doors send them
    again: whether a request fits with them is for its server to say."""
    if now.used <= now.window or now.used - _thoughts(agent.filling()) <= now.window:
        return None
    said = now.used - now.fixed
    return (
        f"The conversation no longer fits the window of {agent.model}: {now.used:,} of {now.window:,} tokens, of which "
        f"{now.fixed:,} are instructions and tools and {said:,} messages that may not leave. Nothing is lost: take "
        "back the last message with /rewind, put long text into a file and name it, or go on with a larger model."
    )


def refused(agent: Agent, said: str) -> str:
    """What a person reads where the provider found a request too large, in its words, and no more is tried."""
    now = room(agent)
    way = "send it again to make more room" if agent.limits.compacts else "make room with /compact"
    return (
        f"{said.rstrip(' .')}. By our count {now.used:,} of {now.window:,} tokens were in use, of which {now.fixed:,} "
        f"are instructions and tools. Nothing is lost: {way}, take back the last message with /rewind, or go on with a "
        f"larger model. If its window is not {now.window:,} tokens, say so with `window` in config.yaml."
    )


def _thoughts(found: Filling) -> int:
    return sum(share.tokens for share in found.shares if share.kind == "messages" and share.name == _THOUGHTS)


def _biggest(found: Filling) -> str:
    shares = sorted((one for one in found.shares if one.kind != "messages"), key=lambda one: -one.tokens)
    return ", ".join(f"{one.name} {one.tokens:,}" for one in shares[:3])

"""Remembering: a claim typed as a command goes to the gate on the person's word, or on the agent's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from agentmem.app.consent import UNDER_A_TASK, an_agents_doing
from agentmem.app.home import places_of
from agentmem.config import load_config
from agentmem.domain.category import CATEGORIES
from agentmem.domain.claim import Claim, Principal, Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.memory.memory import remember
from agentmem.workspace.trust import trusted

__all__ = ["CATEGORIES", "desk_of", "exit_code", "remember_this", "take_over", "to_json"]

FAILED, REFUSED = 1, 3


def desk_of(env: Mapping[str, str]) -> Desk:
    """What durable memory is decided with here. Raises `ConfigError`."""
    places = places_of(env)
    return Desk(places, Clock(), load_config(places.home, places.own).blocks)


def remember_this(claim: Claim, env: Mapping[str, str]) -> tuple[Verdict, int]:
    """The gate's verdict and the exit code. What an agent's bash runs is the agent's word; a sub-session's is none."""
    if env.get(UNDER_A_TASK):
        return Verdict("refused", None, "a sub-session proposes no memories", "agent"), REFUSED
    by: Principal = "agent" if an_agents_doing(env) else "user"
    take_over(env)
    verdict = remember(desk_of(env), claim, by)
    return verdict, exit_code(verdict)


def exit_code(verdict: Verdict) -> int:
    """3 where the gate refused, 1 where it was the disk that did."""
    if verdict.outcome != "refused":
        return 0
    return FAILED if verdict.unkept else REFUSED


def to_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict as an object of `agentmem remember --json`."""
    return {
        "outcome": verdict.outcome,
        "id": verdict.id,
        "principal": verdict.principal,
        "category": verdict.category,
        "reason": verdict.reason,
        "path": verdict.path,
        "text": verdict.text,
        "replaced": verdict.replaced,
        "diff": verdict.diff,
        "unkept": verdict.unkept,
    }


def take_over(env: Mapping[str, str]) -> list[str]:
    """Take over hand edits and what git brought, as a start does; gives what the person should know. Under a command of
    an agent nothing is: it would be that command's own writing."""
    from agentmem.agent.agent import has_memory

    desk = desk_of(env)
    if not has_memory(desk.places):
        return []
    from agentmem.agent.warden import Warden

    vouched = partial(trusted, desk.places.home, desk.places.root)
    return Warden(desk, env, vouched, lambda: an_agents_doing(env) is None).start()

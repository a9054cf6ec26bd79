"""Remembering: a claim typed as a command goes to the gate on the person's word, or on the agent's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, get_args

from agentmem.app.consent import UNDER_A_TASK
from agentmem.app.home import places_of
from agentmem.domain.category import Category
from agentmem.domain.claim import Claim, Principal, Verdict
from agentmem.domain.clock import Clock
from agentmem.memory.memory import remember
from agentmem.workspace.ancestry import under_an_agent

REFUSED = 3


def remember_this(text: str, category: str, env: Mapping[str, str]) -> tuple[Verdict, int]:
    """The gate's verdict and the exit code. What an agent's bash runs is the agent's word; a sub-session's is none."""
    if env.get(UNDER_A_TASK):
        return Verdict("refused", None, "a sub-session proposes no memories", "agent"), REFUSED
    by: Principal = "agent" if under_an_agent(env) else "user"
    verdict = remember(places_of(env), Clock(), Claim(text, cast(Category, category)), by)
    return verdict, REFUSED if verdict.outcome == "refused" else 0


def told(verdict: Verdict, text: str) -> str:
    """The verdict in a line."""
    match verdict.outcome:
        case "added" | "updated":
            return f"remembered: {' '.join(text.split())} ({verdict.id}) · undo: remove the line in {verdict.path}"
        case "known":
            return f"known already: it stands in {verdict.path}"
        case "queued":
            return f"not remembered yet: it waits for you in {verdict.path} ({verdict.reason})"
        case "refused":
            return f"not remembered: {verdict.reason}"


def to_json(verdict: Verdict) -> dict[str, str | None]:
    """The verdict as an object of `agentmem remember --json`."""
    return {
        "outcome": verdict.outcome,
        "id": verdict.id,
        "principal": verdict.principal,
        "reason": verdict.reason,
        "path": verdict.path,
    }


CATEGORIES: tuple[str, ...] = get_args(Category)

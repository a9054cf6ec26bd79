"""Remembering: a claim typed as a command goes to the gate on the person's word, or on the agent's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from agentmem.app.wiring import places_of
from agentmem.domain.claim import Category, Claim, Verdict
from agentmem.domain.clock import Clock
from agentmem.memory.memory import remember

UNDER_AN_AGENT = "AGENTMEM_AGENT"
REFUSED = 3


def remember_this(text: str, category: Category, env: Mapping[str, str]) -> tuple[Verdict, int]:
    """The gate's verdict and the exit code. What an agent's bash runs is the agent's word."""
    by = "agent" if env.get(UNDER_AN_AGENT) else "user"
    verdict = remember(places_of(env), Clock(), Claim(text, category), by)
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


CATEGORIES: tuple[str, ...] = get_args(Category)

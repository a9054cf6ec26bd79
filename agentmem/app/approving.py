"""Approving: what `agentmem review` does at the queue of this project; only for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.agent.reviewing import Reviewing
from agentmem.app.consent import require_person
from agentmem.app.remembering import desk_of, exit_code, to_json
from agentmem.domain.claim import Verdict


def reviewing(env: Mapping[str, str], what: str | None = None) -> Reviewing:
    """The queue here. `what` says what is about to be decided, None for a look alone. Raises `ConfigError`, and
    `NotThePerson` where an agent would decide."""
    if what is not None:
        require_person(env, what)
    return Reviewing(desk_of(env))


def approve(called: str, text: str | None, why: str | None, env: Mapping[str, str]) -> tuple[Verdict, int]:
    """Let a claim in on the person's word; the verdict and the exit code. Raises `NotThePerson`, `NotWaiting`,
    `MemoryBusy`."""
    verdict = reviewing(env, "approve what waits").approve(called, text, why)
    return verdict, exit_code(verdict)


def reject(called: str, why: str | None, env: Mapping[str, str]) -> dict[str, Any]:
    """Turn a claim down; what is kept of it. Raises `NotThePerson`, `NotWaiting`, `MemoryBusy`."""
    return reviewing(env, "turn down what waits").reject(called, why)


def documents(env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The list of `agentmem review --json`: the queue's own objects, each with what approving it `would` come to."""
    return [{**one.item, "would": to_json(one.would)} for one in reviewing(env).listed()]

"""Pruning: old checkpoints go when a session ends, at most once a day, or when the person says so."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from agentmem.domain.bounds import Bounds
from agentmem.domain.places import Places
from agentmem.memory.memory import session_holder
from agentmem.workspace.checkpoints.prune import Pruned, Pruning, due, kept

AT_CLOSE = 2.0
"""Seconds that the end of a session may take for it; what is left then goes another day, or by `agentmem doctor`."""


def daily(places: Places, bounds: Bounds, now: float, env: Mapping[str, str]) -> None:
    """Prune if a day has gone by. A failure is survived; `agentmem doctor` tells what is too large or too old."""
    pruning = _pruning(places, bounds, env)
    with suppress(OSError):
        if due(pruning.store, now):
            pruning.run(now, AT_CLOSE)


def at_once(places: Places, bounds: Bounds, now: float, env: Mapping[str, str]) -> Pruned:
    """Prune, however long it takes. Raises `OSError`."""
    return _pruning(places, bounds, env).run(now)


def amount(places: Places, bounds: Bounds) -> tuple[int, int]:
    """Of how many sessions something is kept, and its size in bytes."""
    return kept(_pruning(places, bounds, {}).store)


def _pruning(places: Places, bounds: Bounds, env: Mapping[str, str]) -> Pruning:
    return Pruning(places, bounds, env, lambda session: session_holder(places, session) is not None)

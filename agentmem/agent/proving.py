"""Proving: what the tool `verify` does in a session, and the feature list kept from every other hand meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem import regular
from agentmem.domain.cancel import Cancel
from agentmem.domain.places import Places
from agentmem.domain.tool import Checks, ToolResult

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.agent.verify import Verified, Verifier


def checks(agent: Agent, cancel: Cancel) -> Checks:
    """The checks of a session's work tree."""

    def verifier(emit: Callable[[str], None]) -> Verifier:
        from agentmem.agent.verify import Verifier

        return Verifier(agent.session.places, agent.clock, agent.env, cancel, emit)

    def command(own: str) -> str:
        from agentmem.memory.memory import FeatureMissing, ListUnreadable

        try:
            return verifier(lambda text: None).desk.read().called(own).check
        except (FeatureMissing, ListUnreadable, OSError):
            return ""  # `run` says what is wrong

    def run(own: str, emit: Callable[[str], None]) -> ToolResult:
        from agentmem.memory.memory import FeatureMissing, ListUnreadable, MemoryBusy
        from agentmem.workspace.glob import BadGlob

        try:
            done = verifier(emit).verify(own)
        except (FeatureMissing, ListUnreadable, MemoryBusy, BadGlob, OSError) as error:
            return ToolResult(f"verify: {error}", error=True)
        return _result(done)

    return Checks(command, run)


def begin(agent: Agent, cancel: Cancel) -> None:
    """Accept the files that checks rest on as they are before the agent's first turn; what cannot be read is told when
    a check is run."""
    from agentmem.agent.verify import Verifier
    from agentmem.memory.memory import ListUnreadable, MemoryBusy
    from agentmem.workspace.glob import BadGlob

    with suppress(ListUnreadable, MemoryBusy, BadGlob, OSError):
        Verifier(agent.session.places, agent.clock, agent.env, cancel).guards.begin()


def _result(done: Verified) -> ToolResult:
    return ToolResult(done.told(), error=done.outcome != "passed", exit=done.exit, offload=done.output)


_KEPT = ("handoff/features.json", "confirmed.json", "handoff/attempts.jsonl", "work.json")
"""Below `.agent/`: what only the harness and the person write."""
_MOST = 16 << 20


class Watch:
    """The feature list and what is kept beside it, as they stood before a command: what the command makes of them is
    put back."""

    def __init__(self, places: Places) -> None:
        self._own = places.own
        self._before = {name: _look(self._own / name) for name in _KEPT}

    def settle(self) -> str | None:
        """Put back what has changed; gives what the model is told of it."""
        changed = [name for name in _KEPT if _look(self._own / name) != self._before[name]]
        if not changed:
            return None
        from agentmem.memory.memory import put_list_back

        lost = []
        for name in changed:
            try:
                put_list_back(self._own / name, self._before[name][1])
            except OSError as error:
                lost.append(f"\n[.agent/{name} could NOT be put back: {error.strerror or error}]")
        named = ", ".join(f".agent/{name}" for name in changed)
        return (
            f"[the command changed {named}; it was put back as it was: the list is the person's, and `passes` is set "
            f"by the tool `verify` alone]{''.join(lost)}"
        )


def _look(path: Path) -> tuple[str, bytes | None]:
    """Where a path leads, and the bytes there."""
    try:
        return os.path.realpath(path), regular.read(path, _MOST)
    except OSError:
        return os.path.realpath(path), None

"""Proving: what the tool `verify` does in a session, and the feature list kept from every other hand meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

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
        Verifier(agent.session.places, agent.clock, agent.env, cancel).begin()


def _result(done: Verified) -> ToolResult:
    return ToolResult(done.told(), error=done.outcome != "passed", exit=done.exit, offload=done.output)


class Watch:
    """The feature list as it stood before a command: what the command makes of it is put back."""

    def __init__(self, places: Places) -> None:
        self._path: Path = places.own / "handoff" / "features.json"
        self._before = self._bytes()

    def settle(self) -> str | None:
        """Put the list back if it has changed; gives what the model is told of it."""
        if self._bytes() == self._before:
            return None
        from agentmem.memory.memory import put_list_back

        put_list_back(self._path, self._before)
        return (
            "[the command changed .agent/handoff/features.json; it was put back as it was: the list is the person's, "
            "and `passes` is set by the tool `verify` alone]"
        )

    def _bytes(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except OSError:
            return None

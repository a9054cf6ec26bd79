"""Fullness: how much of the window a session's prompt takes, as it was counted or at the most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmem.memory.sessionlog import SessionLog
from agentmem.memory.standing import Standing

if TYPE_CHECKING:
    from agentmem.domain.message import Usage
    from agentmem.memory.read.history import Held


@dataclass(frozen=True, slots=True)
class Fullness:
    """Of the branch of a `log` and the epoch it stands in. All but `last_usage` raise `RuntimeError` before the first
    epoch."""

    log: SessionLog
    standing: Standing

    def held(self) -> Held:
        """What fills the window, before it is measured."""
        from agentmem.memory.read.history import Held

        epoch = self.standing.epoch
        with self.log.guard:
            found = self.log.working.tally()
            return Held(epoch.sections, epoch.tools, found.replay.said(), found.asked, found.counted, found.ratio)

    @property
    def last_usage(self) -> Usage | None:
        """What the provider counted for the last request and the answer that ends the branch; None where nothing was
        counted, or more is to be sent than that."""
        with self.log.guard:
            return self.log.working.last_usage

    def most_tokens(self) -> int:
        """The most tokens that a request made now can take, where the provider's last count is right."""
        with self.log.guard:
            return self.log.working.most_tokens(self._fixed())

    def size_bound(self) -> int:
        """Bytes that a prompt holds at most: those of its parts and of the whole log."""
        with self.log.guard:
            return self._fixed() + self.log.size

    def _fixed(self) -> int:
        return sum(len(section.data) for section in self.standing.epoch.sections)

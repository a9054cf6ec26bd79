"""Enrolment: what the roll of a project's sessions is told of one, and its name, kept near its log's end."""

from __future__ import annotations

from typing import Any

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory.stores import folder, roll
from agentmem.memory.stores.log import NAME_EVERY, NAME_MOST, LogWriter


class Enrolment:
    """`name` is what the session is called, "" for nothing."""

    def __init__(self, places: Places, clock: Clock, own: str, name: str) -> None:
        self.name = name
        self._places = places
        self._clock = clock
        self._own = own
        self._there: bool | None = None  # in the roll; None before the first record
        self._named_at = 0  # the log's size when the name was last told

    def opened(self, writer: LogWriter) -> None:
        """A record stands in the log: the first of this process is told."""
        if self._there is None:
            # A roll that was lost is made anew when there is time: at the end.
            self._there = roll.is_there(self._places.shared) or folder.holds_only(writer.path)
            self.tell("opened", cwd=str(self._places.cwd))

    def rename(self, name: str) -> str:
        """Take another name; gives it as it is kept."""
        self.name, self._named_at = " ".join(name.split())[:NAME_MOST], 0
        return self.name

    def tell(self, event: str, **more: Any) -> None:
        """Tell the roll of something."""
        if self._there or event == "closed":
            roll.append(self._places.shared, roll.line(self._clock.stamp(), event, self._own, **more))

    def closed(self, entries: int) -> None:
        """The session ends here, with so many entries on its branch."""
        if self._there is False:
            from agentmem.memory.manage import enrol  # once in the life of a project

            enrol.rebuild(self._places)
        if self._there is not None:
            self.tell("closed", entries=entries)

    def is_far(self, entry: Entry, size: int) -> bool:
        """Whether the log, `size` bytes with this entry, has grown away from the name: lists read ends alone."""
        if entry.type == "session_info":
            self._named_at = size
        elif self.name and size - self._named_at > NAME_EVERY:
            self._named_at = size
            return True
        return False

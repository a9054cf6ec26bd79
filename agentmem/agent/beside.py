"""Beside: what a command may have changed next to MEMORY.md: the day files, the skills, and what steers a session."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmem.domain.begun import Notice
from agentmem.domain.desk import Desk

if TYPE_CHECKING:
    from agentmem.agent.profilewatch import Profile
    from agentmem.domain.claim import Scope
    from agentmem.memory.memory import daywatch, skillwatch


@dataclass(slots=True)
class Beside:
    """These files as they were when last looked at."""

    desk: Desk
    _days: daywatch.Days | None = None
    _books: skillwatch.Books | None = None
    _profile: Profile | None = None

    def look(self, held: bool) -> tuple[list[Notice], bool]:
        """Look again; what came is a tool's word where it is to be `held`. Gives what the person should know, and False
        where the day files could not be held."""
        days, seen = self._day_files(held)
        return [*days, *self._skill_files(held), *self._steering(held)], seen

    def since(self, scopes: Sequence[Scope], at: int) -> None:
        """Take what stood there before the time `at` (nanoseconds) for what was last seen: a process of then was
        killed."""
        from agentmem.memory.memory import daywatch, skillwatch

        self._days = daywatch.since(self.desk, [self.desk.level(scope) for scope in scopes], at)
        self._books = skillwatch.since(self.desk.places, at)

    def _steering(self, held: bool) -> list[Notice]:
        """What a command changed in AGENT.md, or in the person's own instructions, is told."""
        from agentmem.agent import profilewatch

        before, self._profile = self._profile, profilewatch.look(self.desk.places, self._profile)
        if not held or before is None:
            return []
        return [Notice("warning", text) for text in profilewatch.changed(before, self._profile, self.desk.places)]

    def _skill_files(self, held: bool) -> list[Notice]:
        """Skills that a command wrote are not used before the person has seen them."""
        from agentmem.memory.memory import skillwatch

        if not held or self._books is None:
            self._books = skillwatch.look(self.desk.places, self._books)
            return []
        came, self._books = skillwatch.by_tool(self.desk.places, self._books)
        if not came:
            return []
        from agentmem.workspace import planted

        paths = ", ".join(path.removeprefix(f"{self.desk.places.root}{os.sep}") for path, _ in came)
        try:
            planted.hold(self.desk.places.home, came, self.desk.clock.stamp())
        except OSError as error:
            return [unseen(error, paths)]
        shown = "agentmem skills show NAME, then agentmem skills allow NAME"
        return [Notice("warning", f"a command wrote {paths}; it is not used before you have seen it: {shown}")]

    def _day_files(self, held: bool) -> tuple[list[Notice], bool]:
        from agentmem.memory.memory import MemoryBusy, daywatch

        paths: list[str] = []
        if held and self._days is not None:
            try:
                paths = daywatch.by_tool(self.desk, self._days)
            except (OSError, MemoryBusy) as error:
                return [unseen(error, "the day files")], False
        self._days = daywatch.look(self.desk, self._days)
        told = f"a command wrote into {', '.join(paths)}; nothing recalls it"
        return [Notice("warning", told)] if paths else [], True


def unseen(error: Exception, what: str = "MEMORY.md") -> Notice:
    """That a look failed."""
    return Notice("warning", f"what a command did to {what} was not looked at: {error}")

"""Desk: what durable memory is decided with: where it lies, the time, and how much its capped sections may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentmem.domain.claim import Scope
from agentmem.domain.clock import Clock, local_day
from agentmem.domain.places import Places


@dataclass(frozen=True, slots=True)
class Level:
    """One level's memory: the file of beliefs, its ledger, and the directory they must not lead out of (None: any)."""

    scope: Scope
    folder: Path
    inside: Path | None = None

    @property
    def memory(self) -> Path:
        """What is true."""
        return self.folder / "MEMORY.md"

    @property
    def shown(self) -> str:
        """That file as people are told of it."""
        return "MEMORY.md" if self.scope == "project" else str(self.memory)

    @property
    def days(self) -> Path:
        """Where the day files and the ledger lie."""
        return self.folder / "memory"

    @property
    def ledger(self) -> Path:
        """Why each belief is held."""
        return self.days / "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class Desk:
    """Passed to each of the gate's functions. `caps` says how many characters a section (by its heading) may hold."""

    places: Places
    clock: Clock
    caps: Mapping[str, int] = field(default_factory=dict)

    def level(self, scope: Scope) -> Level:
        """The memory of the person, or of the project."""
        if scope == "user":
            return Level("user", self.places.home)
        return Level("project", self.places.root, self.places.root)

    @property
    def levels(self) -> tuple[Level, Level]:
        """The person's, then the project's."""
        return self.level("user"), self.level("project")

    def lock(self, scope: Scope) -> Path:
        """The lock under which a level is read, decided on and written."""
        return (self.places.home if scope == "user" else self.places.shared) / "memory.lock"

    def votes(self, scope: Scope) -> Path:
        """Where a level's votes lie: with the machine, not with the project's files."""
        return (self.places.home if scope == "user" else self.places.shared) / "votes.jsonl"

    def day(self) -> str:
        """Today, ``2026-11-30``, in UTC as the ledger's times are."""
        return self.clock.stamp()[:10]

    def today(self) -> str:
        """Today where the person is: "yesterday" is the day before it."""
        return local_day(self.clock.stamp())

"""Subject: the session that a compaction is of, as far as it must know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from agentmem.domain.entry import Entry
from agentmem.memory.read.cut import Active


class LeafMoved(Exception):
    """The conversation went on from another place meanwhile: what was planned is not written."""


class Subject(Protocol):
    """What a compaction needs of a session."""

    id: str
    path: Path

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def active(self) -> Active:
        """The active part of the branch."""
        ...

    @property
    def asked(self) -> Mapping[str, Any] | None:
        """What was last said of the model."""
        ...

    def branch(self) -> Sequence[Entry]:
        """The whole branch, root first."""
        ...

    def append(self, kind: str, body: Mapping[str, Any], leaf: str | None, own: str) -> Entry:
        """Record an entry where the leaf is still `leaf`. Raises `LeafMoved`."""
        ...

    def put(self, path: str, data: bytes) -> None:
        """Keep a whole output at a path from the root. Raises `OSError`."""
        ...

    def new_id(self) -> str:
        """An id for an entry."""
        ...

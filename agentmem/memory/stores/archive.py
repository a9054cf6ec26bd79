"""Archive files, `.agent/archive/<session>/<first>-<last>.md`: spans whose summary failed, whole and durable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agentmem.domain.entry import Entry


def put(archive: Path, session: str, span: Sequence[Entry]) -> Path:
    """Keep a span whole, fsynced with its folder; gives the file's path. Raises `OSError`."""
    raise NotImplementedError


def read(path: Path) -> tuple[Entry, ...]:
    """The entries of an archive file, byte for byte as they were put. Raises `OSError`, `ValueError`."""
    raise NotImplementedError

"""Marked: what people wrote as it is shown, with marks where secrets stand: the reading room's one way to the rules."""

from __future__ import annotations

from pathlib import Path

from agentmem.domain.desk import Level
from agentmem.domain.places import Places
from agentmem.memory.stores import semantic
from agentmem.memory.write.marking import Marked, holds, marked
from agentmem.memory.write.redact import without_secrets

__all__ = ["Marked", "holds", "marked", "memory", "shown"]


def memory(level: Level, places: Places) -> Marked:
    """A level's MEMORY.md with marks, empty where there is none; of a file over 16 MB only the beginning. Raises
    `OSError`."""
    return marked(semantic.beginning(level.memory), level.scope, places)


def shown(text: str, home: Path) -> str:
    """A text that a person wrote, with marks under their own key; the same object where it holds no secret."""
    return without_secrets(text, home)

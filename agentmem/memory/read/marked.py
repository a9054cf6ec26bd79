"""Marked: what people wrote as it is shown, with marks where secrets stand: the reading room's one way to the rules.

The rules are loaded when there is something to look through: most starts have little.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem.domain.places import Places

if TYPE_CHECKING:
    from agentmem.domain.desk import Level
    from agentmem.memory.write.marking import Marked


def memory(level: Level, places: Places) -> Marked:
    """A level's MEMORY.md with marks, empty where there is none; of a file over 16 MB only the beginning. Raises
    `OSError`."""
    from agentmem.memory.stores import semantic

    return of(semantic.beginning(level.memory), level, places)


def of(data: bytes, level: Level, places: Places) -> Marked:
    """The bytes of a level's MEMORY.md with marks."""
    from agentmem.memory.write.marking import marked

    return marked(data, level.scope, places)


def shown(text: str, home: Path) -> str:
    """A text that a person wrote, with marks under their own key; the same object where it holds no secret."""
    from agentmem.memory.write.redact import without_secrets

    return without_secrets(text, home)


def values(value: Any, home: Path) -> Any:
    """A JSON value with every text in it so; a list becomes a tuple."""
    match value:
        case str():
            return shown(value, home)
        case Mapping():
            return {key: values(one, home) for key, one in value.items()}
        case list() | tuple():
            return tuple(values(one, home) for one in value)
    return value

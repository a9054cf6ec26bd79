"""Attempts, `.agent/handoff/attempts.jsonl`: what was tried at a feature and failed, a line each, read by the next one.

{"feature":"F3","at":"2026-11-30T11:40:02Z","session":"…","outcome":"failed","tried":"…","check":"make test","exit":2,
 "said":"…","worked":["ruff check"],"failed":["make test"]}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.memory.stores import folder, lines

NAME = "handoff/attempts.jsonl"


def append(own: Path, attempt: Mapping[str, Any]) -> None:
    """Add one to the attempts of the work tree whose `.agent/` is `own`. Raises `OSError`."""
    path = own / NAME
    folder.make_agent_folder(own)
    folder.make_private(path.parent)
    folder.append_private(path, lines.dump(lines.sound(attempt)), durable=True)


def read(own: Path) -> list[dict[str, Any]]:
    """All of them, the oldest first; lines that are none are passed over. Raises `OSError`."""
    try:
        found, _ = lines.read(own / NAME)
    except FileNotFoundError:
        return []
    return [value for _, value in found if isinstance(value.get("feature"), str)]

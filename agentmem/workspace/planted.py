"""Planted: skills that a command of the agent wrote. They are not used before the person has seen them.

    {"path":"/w/shop/skills/deploy/SKILL.md","digest":"9f2c…","at":"2026-11-30T09:14:03Z"}

in `skills.held` of the person's level. The digest is of the file as the command left it: what a person writes there
later is theirs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from agentmem import regular
from agentmem.workspace.guarded import HELD
from agentmem.workspace.records import Record, change, records

_MOST_BYTES = 1 << 20


def hold(home: Path, found: Sequence[tuple[str, str]], at: str) -> None:
    """Keep that a command wrote these files (path, digest). Raises `OSError`."""
    change(home / HELD, lambda held: [*held, *({"path": path, "digest": said, "at": at} for path, said in found)])


def let_go(home: Path, path: str) -> None:
    """The person has seen a skill. Raises `OSError`."""

    def without(held: list[Record]) -> list[Record]:
        return [one for one in held if one.get("path") != path]

    if os.path.exists(home / HELD):
        change(home / HELD, without)


def planted(home: Path, path: str) -> bool:
    """Whether a skill's file stands as a command wrote it, unseen by the person."""
    held = {one.get("digest") for one in records(home / HELD) if one.get("path") == path}
    return bool(held) and regular.digest(path, _MOST_BYTES) in held


def why(name: str) -> str:
    """What the person is told of it."""
    return f"a command wrote it: agentmem skills show {name}, then agentmem skills allow {name}"

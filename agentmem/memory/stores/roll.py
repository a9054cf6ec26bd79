"""The roll, `.agent/sessions.jsonl`: which sessions there were, a line an event, for people; no decision reads it.

    {"at":"2026-11-30T09:02:11Z","event":"opened","session":"2026-11-30T09-02-11-4f2a91","cwd":"/w"}
    {"at":"2026-11-30T10:15:40Z","event":"closed","session":"2026-11-30T09-02-11-4f2a91","entries":41}

Events: opened, named, forked, reset, closed. What cannot be written here is left out: the logs hold all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentmem.memory.stores import folder, lines

NAME = "sessions.jsonl"


def line(at: str, event: str, session: str, **more: Any) -> dict[str, Any]:
    """One event as it stands in the file."""
    return {"at": at, "event": event, "session": session, **more}


def append(shared: Path, told: Mapping[str, Any]) -> None:
    """Add an event: one write, a torn line before it completed first."""
    with suppress(OSError):
        folder.append_private(shared / NAME, lines.dump(lines.sound(told)))


def is_there(shared: Path) -> bool:
    """Whether there is one."""
    return (shared / NAME).exists()


def begin(shared: Path, told: Iterable[Mapping[str, Any]]) -> None:
    """Make it anew from what the logs tell; one that is there is left alone."""
    staged = shared / f".{NAME}.{os.getpid()}.new"
    with suppress(OSError):
        try:
            folder.write_new(staged, b"".join(lines.dump(lines.sound(one)) for one in told), 0o600)
            with suppress(FileExistsError):
                os.link(staged, shared / NAME)
        finally:
            staged.unlink(missing_ok=True)

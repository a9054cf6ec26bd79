"""Entries: the lines of a session log.

First a header, then entries; the conversation is the path from the current leaf to the root:

    {"type":"session","id":"2026-11-30T09-02-11-4f2a","version":1,"at":"2026-11-30T09:02:11Z","cwd":"/w", ...}
    {"type":"message","id":"a1…","parent_id":null,"at":"…","role":"user","content":[{"type":"text", ...}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.message import Message, Role, parts_from_json

LOG_VERSION = 1


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a session log."""

    id: str
    at: str
    cwd: str
    agentmem: str
    parent_session: str | None = None
    version: int = LOG_VERSION

    def to_json(self) -> dict[str, Any]:
        """The header's line, keys in the order people read them."""
        return {
            "type": "session",
            "id": self.id,
            "version": self.version,
            "at": self.at,
            "cwd": self.cwd,
            "parent_session": self.parent_session,
            "agentmem": self.agentmem,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a session log. `body` holds every key but type, id, parent_id and at, in file order."""

    type: str
    id: str
    parent_id: str | None
    at: str
    body: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The entry's line."""
        return {"type": self.type, "id": self.id, "parent_id": self.parent_id, "at": self.at, **self.body}

    def message(self) -> Message | None:
        """The message this entry holds, None for any other type or an unknown role."""
        role: Role
        match (self.type, self.body.get("role")):
            case ("message", "user"):
                role = "user"
            case ("message", "assistant"):
                role = "assistant"
            case ("message", "tool"):
                role = "tool"
            case _:
                return None
        call_id = self.body.get("call_id")
        return Message(
            role,
            parts_from_json(self.body.get("content"), self.body.get("origin")),
            call_id if isinstance(call_id, str) else None,
            self.body.get("error") is True,
        )

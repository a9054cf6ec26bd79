"""Entries: the lines of a session log.

First a header, then entries; the conversation is the path from the current leaf to the root:

    {"type":"session","id":"2026-11-30T09-02-11-4f2a","version":1,"at":"2026-11-30T09:02:11Z","cwd":"/w", ...}
    {"type":"message","id":"a1…","parent_id":null,"at":"…","role":"user","content":[{"type":"text", ...}]}

A `move` hangs on the entry it moves to (null: before the first), so that the path from the last entry still is the
conversation. `label` names an entry and `session_info` the session, on whatever branch they stand; the last one counts:

    {"type":"move","id":"m1…","parent_id":"a1…","at":"…","to":"a1…","why":"another approach"}
    {"type":"label","id":"l1…","parent_id":"m1…","at":"…","of":"a1…","label":"works"}
    {"type":"session_info","id":"n1…","parent_id":"l1…","at":"…","name":"the login bug"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.message import Message, Role, parts_from_json

LOG_VERSION = 1


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a fork was taken: its log begins with a copy of the path to `entry` of `session`, under the same ids."""

    session: str
    entry: str

    def to_json(self) -> dict[str, str]:
        """The header's form."""
        return {"session": self.session, "entry": self.entry}


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a session log. `parent_session` is the session whose sub-session this is, or, with `reset`, the
    one that it goes on from after a reset; `forked_from` marks a fork."""

    id: str
    at: str
    cwd: str
    agentmem: str
    parent_session: str | None = None
    version: int = LOG_VERSION
    forked_from: Fork | None = None
    reset: bool = False

    @property
    def giver(self) -> str | None:
        """The session that gave this one its task, None where it is no sub-session."""
        return None if self.reset else self.parent_session

    def to_json(self) -> dict[str, Any]:
        """The header's line, keys in the order people read them."""
        forked = {} if self.forked_from is None else {"forked_from": self.forked_from.to_json()}
        reset = {"reset": True} if self.reset else {}
        return {
            "type": "session",
            "id": self.id,
            "version": self.version,
            "at": self.at,
            "cwd": self.cwd,
            "parent_session": self.parent_session,
            **reset,
            **forked,
            "agentmem": self.agentmem,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a session log. `body` holds every key but type, id, parent_id and at, in file order. Its message is
    read once, when it is first asked for."""

    type: str
    id: str
    parent_id: str | None
    at: str
    body: Mapping[str, Any] = field(default_factory=dict)
    _read: list[Message | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The entry's line."""
        return {"type": self.type, "id": self.id, "parent_id": self.parent_id, "at": self.at, **self.body}

    def message(self) -> Message | None:
        """The message this entry holds, None for any other type or an unknown role. A `skill` holds one, the body that
        the model was given, and a `recall`: the memories."""
        if not self._read:
            self._read.append(self._message())
        return self._read[0]

    def _message(self) -> Message | None:
        role: Role
        match (self.type, self.body.get("role")):
            case ("message" | "skill" | "recall", "user"):
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

"""Listing: the sessions of a project, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentmem.app.home import places_of
from agentmem.memory.memory import SessionHead, list_sessions


def heads(env: Mapping[str, str]) -> list[SessionHead]:
    """The sessions of the project around the working directory, newest first."""
    return list_sessions(places_of(env))


def to_json(found: Sequence[SessionHead]) -> list[dict[str, Any]]:
    """One object a session; `changed` is in seconds since 1970, `bytes` the log's size."""
    return [
        {
            "id": one.id,
            "at": one.at,
            "cwd": one.cwd,
            "preview": one.preview,
            "changed": one.mtime,
            "bytes": one.size,
        }
        for one in found
    ]


def table(found: Sequence[SessionHead]) -> str:
    """A line a session: id, size, what it was about."""
    if not found:
        return "no sessions here yet; start one with `agentmem`"
    return "\n".join(f"{one.id}  {_size(one.size):>8}  {one.preview[:80]}" for one in found)


def _size(count: int) -> str:
    if count < 1_000_000:
        return f"{max(1, count // 1000)} kB"
    return f"{count / 1_000_000:.1f} MB"

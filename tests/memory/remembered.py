"""What the tests of recall share: a project whose logs are written line by line, and a search of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read.recall.finder import Finder, Wanted
from agentmem.memory.read.recall.hit import Hit, Scope


def message(own: str, text: str, role: str = "user", at: str = "2026-11-01T09:00:00Z", **body: Any) -> dict[str, Any]:
    origin = {"user": "person", "assistant": "agent", "tool": "tool"}[role]
    content = [{"type": "text", "text": text, "origin": origin}]
    return {"type": "message", "id": own, "parent_id": None, "at": at, "role": role, "content": content} | body


def log(places: Places, session: str, *entries: Mapping[str, Any]) -> Path:
    """Append entries to a session's log, begun where it is missing."""
    places.sessions.mkdir(parents=True, exist_ok=True)
    path = places.sessions / f"{session}.jsonl"
    if not path.exists():
        header = {"type": "session", "id": session, "version": 1, "at": "2026-11-01T09:00:00Z", "cwd": "/w"}
        path.write_text(json.dumps(header, separators=(",", ":")) + "\n")
    with path.open("a", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def hits(places: Places, clock: Clock, query: str, scope: Scope = "all", **wanted: Any) -> list[Hit]:
    """What a finder of its own gives."""
    finder = Finder(places, clock)
    try:
        return list(finder.find(Wanted(query, scope, **wanted)).hits)
    finally:
        finder.close()


def ids(found: Sequence[Hit]) -> list[str]:
    return [hit.id for hit in found]

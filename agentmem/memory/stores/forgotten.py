"""Forgotten, `.agent/forgotten.jsonl`: which entries, prompt parts and checkpoints went with words that were forgotten.

It never says which words; readers tell by it what is gone on purpose from what is lost.

{"at":"2026-11-30T09:14:03Z","id":"g0c1f…","hmac":"…","sessions":{"2026-11-30T09-02-11-4f2a":["c3…"]},"blobs":["9f2c…"],
 "objects":["3b18…"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.memory.stores import folder, lines

NAME = "forgotten.jsonl"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """All that was ever forgotten here. `when` maps a phrase's HMAC to the last time it was."""

    entries: Mapping[str, frozenset[str]]
    blobs: frozenset[str]
    objects: frozenset[str]
    when: Mapping[str, str]


def append(shared: Path, record: Mapping[str, Any]) -> None:
    """Write one line and make it durable. Raises `OSError`."""
    folder.make_agent_folder(shared)
    folder.append_private(shared / NAME, lines.dump(lines.sound(record)), durable=True)


def read(shared: Path) -> Forgotten:
    """What was forgotten; nothing where no file is or none can be read."""
    entries: dict[str, frozenset[str]] = {}
    blobs: set[str] = set()
    objects: set[str] = set()
    when: dict[str, str] = {}
    for record in _records(shared / NAME):
        sessions = record.get("sessions")
        for session, named in sessions.items() if isinstance(sessions, dict) else ():
            entries[session] = entries.get(session, frozenset()) | frozenset(_texts(named))
        blobs.update(_texts(record.get("blobs")))
        objects.update(_texts(record.get("objects")))
        if isinstance(own := record.get("hmac"), str):
            when[own] = str(record.get("at", ""))
    return Forgotten(entries, frozenset(blobs), frozenset(objects), when)


def _records(path: Path) -> list[dict[str, Any]]:
    try:
        return [record for _, record in lines.read(path)[0]]
    except OSError:
        return []


def _texts(value: object) -> Iterator[str]:
    return (one for one in (value if isinstance(value, list) else ()) if isinstance(one, str))

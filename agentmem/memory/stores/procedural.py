"""Skill store: the files of skills that the gate writes, and the candidates that wait, were approved or rejected.

`.agent/queue/{waiting,approved,rejected}/<id>.json`, a candidate a file:

    {"id":"q0c1f…","at":"2026-11-30T09:14:03Z","kind":"skill","skill":"release","text":"---\\nname: release\\n…",
     "path":"skills/release/SKILL.md","evidence":["…"],"principal":"agent","confidence":0.6,"reason":"…",
     "origin":{"session":"…","entry":"d4…","spoken_by":"agent"}}

An approved one also holds what stood there before, so that it can be rolled back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from agentmem import regular
from agentmem.domain.skill import AdmittedSkill
from agentmem.memory.stores import folder, queue
from agentmem.memory.stores.skillfile import MOST

KIND = "skill"
Fate = Literal["approved", "rejected"]


class SkillChanged(Exception):
    """What stands in the file is not what the decision was made on."""


def current(path: str) -> str | None:
    """The text of a skill's file, None where there is none. Raises `OSError`, `UnicodeDecodeError`."""
    try:
        return regular.read(path, MOST).decode("utf-8")
    except FileNotFoundError:
        return None


def write(admitted: AdmittedSkill) -> None:
    """Put a skill's file in place, or take it away; the caller holds the memory lock. Raises `SkillChanged`,
    `OSError`."""
    if current(admitted.path) != admitted.before:
        raise SkillChanged(f"{admitted.path} was changed meanwhile")
    path = Path(admitted.path)
    if admitted.text is None:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # other files may lie there
            path.parent.rmdir()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.new")
    folder.write_new(staged, admitted.text.encode(), 0o644, durable=True)
    os.replace(staged, path)
    folder.sync_folder(path.parent)


def waiting(places_queue: Path) -> list[Mapping[str, Any]]:
    """The candidates that wait, the oldest first."""
    found = [item for item in queue.waiting(places_queue) if item.get("kind") == KIND]
    return sorted(found, key=lambda item: (str(item.get("at")), str(item.get("id"))))


def approved(places_queue: Path, skill: str) -> list[Mapping[str, Any]]:
    """What was approved of a skill and not rolled back, the oldest first."""
    items = (item for item in _items(places_queue / "approved") if item.get("skill") == skill)
    return sorted(items, key=lambda item: (str(item.get("decided")), str(item.get("id"))))


def settle(places_queue: Path, item: Mapping[str, Any], fate: Fate) -> Path:
    """Move a candidate to where it belongs now, with what `item` says by now; it waits no more. Raises `OSError`."""
    name = f"{item['id']}.json"
    path = places_queue / fate / name
    folder.make_private(path.parent)
    folder.write_private(path, json.dumps(dict(item), ensure_ascii=False, indent=1).encode() + b"\n")
    for other in ("waiting", "approved", "rejected"):
        if other != fate:
            (places_queue / other / name).unlink(missing_ok=True)
    return path


def _items(where: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(where.glob("*.json")):
        with suppress(OSError, ValueError, RecursionError):
            item = json.loads(regular.read(path, 1 << 20))
            if isinstance(item, Mapping) and item.get("kind") == KIND:
                yield item

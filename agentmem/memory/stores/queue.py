"""The queue, `.agent/queue/waiting/<id>.json`: claims that wait for a person, one a file.

{"id":"q0c1f…","at":"2026-11-30T09:14:03Z","category":"fact","text":"…","principal":"tool","confidence":0.5,
 "reason":"…","scope":"project","replaces":null,"withheld":"…","origin":{"session":"…","entry":"d4…","spoken_by":"tool"}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder as folders

_MOST = 1 << 20


def put(queue: Path, item: Mapping[str, Any]) -> Path:
    """Let a claim wait; `item["id"]` names its file. Raises `OSError`."""
    path = queue / "waiting" / f"{item['id']}.json"
    folders.make_private(path.parent)
    folders.write_private(path, json.dumps(item, ensure_ascii=False, indent=1).encode() + b"\n")
    return path


def waiting(queue: Path) -> Iterator[Mapping[str, Any]]:
    """The claims that wait, by name; a file that is no claim is passed over."""
    return _items(queue / "waiting")


def rejected(queue: Path) -> Iterator[Mapping[str, Any]]:
    """The claims that a person rejected, by name; their `withheld` stands for their words."""
    return _items(queue / "rejected")


def named(queue: Path, called: str, places: Sequence[str] = ("waiting",)) -> list[tuple[str, Mapping[str, Any]]]:
    """The claims whose id is `called`, or begins so, each with the place it lies in."""
    found = [(place, item) for place in places for item in _items(queue / place) if _id(item).startswith(called)]
    return [one for one in found if _id(one[1]) == called] or found


def settle(queue: Path, item: Mapping[str, Any], place: str) -> Path:
    """Move a claim that waited to another place (approved, rejected), as `item` has it now. Raises `OSError`."""
    path = queue / place / f"{item['id']}.json"
    folders.make_private(path.parent)
    folders.write_private(path, json.dumps(item, ensure_ascii=False, indent=1).encode() + b"\n")
    (queue / "waiting" / path.name).unlink(missing_ok=True)
    return path


def _id(item: Mapping[str, Any]) -> str:
    own = item.get("id")
    return own if isinstance(own, str) else ""


def _items(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, RecursionError):
            item = json.loads(regular.read(path, _MOST))
            if isinstance(item, Mapping):
                yield item

"""The feature list, `.agent/handoff/features.json`, and what a person has confirmed of it, `.agent/confirmed.json`.

[{"id":"F1","category":"functional","description":"…","steps":["…"],"check":"pytest tests/test_login.py","covers":[],
  "guards":[],"passes":false,"evidence":null}]

{"features":[…the same items, the person's keys alone…],"guards":{"tests/test_login.py":"9f86d081…"},"begun":["F1"],
  "seal":"5c1f…"}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder

MOST = 16 << 20  # bytes of a list
LIST = "handoff/features.json"
CONFIRMED = "confirmed.json"


class ListUnreadable(Exception):
    """A list that cannot be read as it stands; the message names the file, what is wrong and what to do. Nothing is
    written over it."""


def read(own: Path) -> list[dict[str, Any]]:
    """The items of the work tree's list (its `.agent/` is `own`), as they stand; none where there is no list. Raises
    `ListUnreadable`."""
    path = own / LIST
    value = _json(path)
    if value is None:
        return []
    if not _encodes(value):
        raise ListUnreadable(f"{path} holds half a character (a lone surrogate such as \\ud800): write it whole")
    items = value.get("features") if isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ListUnreadable(f"{path} is no list of features: mend it, or take it back from git")
    return items


def write(own: Path, items: Sequence[Mapping[str, Any]]) -> None:
    """Put a whole list in place at once; what else the person keeps in the file beside it stays. Raises `OSError`."""
    path = own / LIST
    whole = _around(path)
    folder.make_agent_folder(own)
    folder.make_private(path.parent)
    value = list(items) if whole is None else {**whole, "features": list(items)}
    folder.write_private(path, json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n")


def confirmed(own: Path) -> dict[str, Any] | None:
    """What was last confirmed, None where nothing was, empty where it cannot be read."""
    try:
        value = _json(own / CONFIRMED)
    except ListUnreadable:
        return {}
    if value is None:
        return None
    return value if isinstance(value, dict) else {}


def confirm(own: Path, value: Mapping[str, Any]) -> None:
    """Keep what is confirmed. Raises `OSError`."""
    folder.make_agent_folder(own)
    folder.write_private(own / CONFIRMED, json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n")


def _around(path: Path) -> dict[str, Any] | None:
    """The object that holds the list, None where the list stands by itself."""
    try:
        value = _json(path)
    except ListUnreadable:
        return None
    return value if isinstance(value, dict) else None


def _encodes(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _json(path: Path) -> Any:
    try:
        data = regular.read(path, MOST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ListUnreadable(f"{path} cannot be read: {error.strerror}") from error
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ListUnreadable(f"{path} is no JSON ({error}): mend it, or take it back from git") from error

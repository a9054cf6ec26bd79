"""Carried: what goes from one snapshot of a branch to the next beside summaries: todo, state, strikes and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain import todo
from agentmem.domain.entry import Entry
from agentmem.domain.message import ToolCall
from agentmem.domain.todo import Item
from agentmem.memory.read import edits
from agentmem.memory.read.cut import Active

STATE_MOST = 1024
"""Bytes of the state, keys and values together."""


def todos(active: Active) -> tuple[Item, ...]:
    """The list of what is to be done as it stands at the end: that of the last `todo` call that went well."""
    calls: dict[str | None, ToolCall] = {}
    found = todo.read(active.snapshot.body.get("todo")) if active.snapshot is not None else ()
    for entry in active.entries:
        message = entry.message()
        if message is None or entry.body.get("role") == "user":
            continue
        calls.update({call.id: call for call in message.calls if call.name == "todo"})
        if message.role == "tool" and not message.error and (call := calls.pop(message.call_id, None)) is not None:
            found = todo.read(call.arguments.get("items"))
    return found


def state(active: Active) -> dict[str, str]:
    """The state as the harness set it: what the snapshot carries, then each ``state {"set"}`` entry; a null takes a key
    away. What does not fit into 1 KB is left out, the oldest key first."""
    found = _texts(active.snapshot.body.get("state")) if active.snapshot is not None else {}
    for entry in active.entries:
        told = entry.body.get("set") if entry.type == "state" else None
        for key, value in told.items() if isinstance(told, Mapping) else ():
            found.pop(str(key), None)
            if isinstance(value, str) and value.strip():
                found[str(key)] = " ".join(value.split())
    return fitted(found)


def fitted(found: Mapping[str, str]) -> dict[str, str]:
    """As much of a state as 1 KB holds, the newest keys; a value is cut rather than left out where it alone is left."""
    left = STATE_MOST
    kept: dict[str, str] = {}
    for key, value in reversed(list(found.items())):
        room = left - len(key.encode()) - 3
        data = value.encode()
        if room <= 0 or (len(data) > room and kept):
            break
        kept[key] = data[:room].decode(errors="ignore")
        left = room - len(data)
    return dict(reversed(list(kept.items())))


LIMITS = " · "
"""What stands between two of the person's limits in the state."""


def unbound(active: Active, text: str) -> str | None:
    """The limits in the state without those that stand in a text; None where none does."""
    before = [one for one in state(active).get("limits", "").split(LIMITS) if one]
    flat = " ".join(text.split())
    left = [one for one in before if one not in flat]
    return LIMITS.join(left) if len(left) < len(before) else None


def struck(active: Active) -> tuple[str, ...]:
    """The entries that no prompt and no summary shows."""
    before = active.snapshot.body.get("struck") if active.snapshot is not None else None
    listed = [one for one in before if isinstance(one, str)] if isinstance(before, list) else []
    undone = {entry.body.get("of") for entry in active.entries if entry.type == "expand"}
    return tuple(dict.fromkeys((*(one for one in listed if one not in undone), *edits.struck(active.entries))))


def files(active: Active) -> tuple[str, ...]:
    """The instruction files that were told in this session and that the branch may no longer hold."""
    before = active.snapshot.body.get("files") if active.snapshot is not None else None
    listed = [one for one in before if isinstance(one, str)] if isinstance(before, list) else []
    return tuple(dict.fromkeys((*listed, *(one for entry in active.entries for one in told_in(entry)))))


def told_in(entry: Entry) -> tuple[str, ...]:
    """The instruction files that a notice holds."""
    found = entry.body.get("files")
    if entry.body.get("notice") is not True or not isinstance(found, list):
        return ()
    return tuple(path for path in found if isinstance(path, str))


def _texts(value: Any) -> dict[str, str]:
    return {str(key): one for key, one in value.items() if isinstance(one, str)} if isinstance(value, Mapping) else {}

"""Carrying: the body of a snapshot entry, all that a resume needs of what it takes out of the prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain import todo
from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.layout import Layout, Room
from agentmem.memory.read import carried
from agentmem.memory.read.cut import Active

Where = Callable[[Sequence[str]], Mapping[str, int]]
"""Gives the offsets of entries in the log by their ids, as far as they are found."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays: the id of the `first` entry kept in its place, and the `pinned` ones before it."""

    first: str
    pinned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What is told in place of the rest: the form, its own `summary` ("" for none), the live `segments` as the log
    lists them, oldest first (its own among them where it is one), the `frontier`, and `more` keys of the entry."""

    form: str
    summary: str
    segments: Sequence[Mapping[str, Any]]
    frontier: str
    more: Mapping[str, Any]


def body(active: Active, kept: Kept, told: Told, where: Where, limits: Sequence[str] = ()) -> dict[str, Any]:
    """The snapshot's body but for model, name and tokens. `limits` are what the person bound the work to in the span
    that leaves; they join the state."""
    at = where([kept.first, *kept.pinned])
    out: dict[str, Any] = {"form": told.form, "summary": told.summary} if told.summary else {"form": told.form}
    out |= {"first_kept": kept.first, "first_kept_offset": at.get(kept.first), "segments": list(told.segments)}
    out |= told.more
    out["pinned"] = [{"entry": own, "offset": at.get(own)} for own in kept.pinned]
    more: dict[str, Any] = {
        "frontier": told.frontier,
        "state": _state(active, limits),
        "todo": todo.to_json(carried.todos(active)),
        "struck": list(carried.struck(active)),
        "files": list(carried.files(active)),
    }
    return out | {key: value for key, value in more.items() if value}


def after(found: Layout, kept: Kept, written: Mapping[str, Any], room: Room) -> int:
    """Tokens in use once a snapshot with this body stands; a `summary` that is one of its segments is left out."""
    at = next((number for number, one in enumerate(found.entries) if one.id == kept.first), 0)
    size: int = sum(found.sizes[at:])
    size += sum(held for one, held in zip(found.entries[:at], found.sizes, strict=False) if one.id in kept.pinned)
    texts = [written.get("frontier", ""), *(one["text"] for one in written.get("todo", ()))]
    size += sum(len(text.encode()) for text in (*texts, written.get("summary", "")))
    told = sum(int(one["tokens"]) for one in written["segments"] if isinstance(one.get("tokens"), int))
    return room.fixed + told + room.tokens(size)


def _state(active: Active, limits: Sequence[str]) -> dict[str, str]:
    found = carried.state(active)
    before = [one for one in found.pop("limits", "").split(carried.LIMITS) if one]
    said = list(dict.fromkeys((*before, *(" ".join(one.split()) for one in limits))))
    return carried.fitted({**found, "limits": carried.LIMITS.join(said)} if said else found)


def message_ids(entries: Sequence[Entry]) -> list[str]:
    """The messages among some entries."""
    return [entry.id for entry in entries if entry.type == "message"]

"""Expand: what a compaction or a strike took out of the prompt comes back, as the log holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text
from agentmem.memory.read import cut, edits
from agentmem.memory.read.cut import Active


class NotChanged(Exception):
    """What prompts show was left as it is; the message says why, and what can be done."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What comes back: the id whose doing ends, or the text that is told again at the tail (`told`); and the `entries`
    that come back, root first."""

    of: str
    entries: tuple[Entry, ...]
    told: str = ""


def expansion(active: Active, path: Sequence[Entry], known: Mapping[str, Entry], entry: Entry) -> Expansion:
    """What expanding `entry` does; `path` is the branch, whole, `known` the log's entries by id. Raises
    `NotChanged`."""
    if active.snapshot is not None and entry.id == active.snapshot.id:
        before = cut.active(path[: _place(path, entry.id)], known)
        here = {one.id for one in active.entries}
        return Expansion(entry.id, tuple(one for one in before.entries if one.id not in here))
    for layer in edits.layers(active.entries):
        if entry.id == layer.by or entry.id in layer.targets:
            whole = entry.id == layer.by or not layer.apart
            back = layer.targets if whole else {entry.id: None}
            return Expansion(entry.id, tuple(one for one in active.entries if one.id in back))
    at = _place(path, entry.id)
    if cut.is_cut(entry.type, entry.body) and active.snapshot is not None and at < len(path):
        last = active.snapshot.id
        raise NotChanged(f"the compaction {last} came after it: expand that one first")
    message = entry.message()
    if message is None or at == len(path):
        what = "on another branch" if at == len(path) else "nothing that was taken out of the prompt"
        raise NotChanged(f"{entry.id} is {what}")
    if any(one.id == entry.id for one in active.entries):
        raise NotChanged(f"{entry.id} is in the prompt as it stands in the log")
    return Expansion(entry.id, (entry,), _again(entry, message))


def _place(path: Sequence[Entry], own: str) -> int:
    """Where an entry stands on a branch, behind its end for one that does not."""
    return next((number for number, one in enumerate(path) if one.id == own), len(path))


def _again(entry: Entry, message: Message) -> str:
    who = {"user": "What was said to you", "assistant": "What you said", "tool": "A tool's result"}[message.role]
    text = "\n\n".join(part.text for part in message.parts if isinstance(part, Text))
    calls = "\n".join(f"(called {call.name} {dict(call.arguments)})" for call in message.calls)
    head = f"[{who} earlier in this session ({entry.id}), brought back by the person:]"
    return "\n\n".join(one for one in (head, text, calls) if one)

"""Voices: the texts of some entries, each with who or what it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text, Thinking
from agentmem.memory.read.deeds import Deed

Voice = Literal["user", "agent", "wrote", "ran", "tried", "output", "thought", "told"]
"""``wrote`` is the path of a successful write, ``ran`` a successful command, ``tried`` all else in calls, ``told`` what
the harness or a file says in a user's place."""


@dataclass(frozen=True, slots=True)
class Said:
    """A `text` at `place` among the entries."""

    place: int
    voice: Voice
    text: str


def voices(entries: Sequence[Entry], messages: Sequence[Message | None], done: Sequence[Deed]) -> Iterator[Said]:
    """All texts of the `messages` of these entries, in order; those of calls by what became of them (`done`)."""
    calls: dict[int, list[Deed]] = {}
    for deed in done:
        calls.setdefault(deed.place, []).append(deed)
    for place, (entry, message) in enumerate(zip(entries, messages, strict=True)):
        if message is None:
            continue
        for part in message.parts:
            if isinstance(part, Text) and part.text:
                told = part.origin in ("harness", "file") or entry.body.get("notice") is True
                voice: Voice = (
                    "agent" if message.role == "assistant" else "output" if message.role == "tool" else "user"
                )
                yield Said(place, "told" if told and voice == "user" else voice, part.text)
            elif isinstance(part, Thinking) and part.text:
                yield Said(place, "thought", part.text)
        for deed in calls.get(place, ()):
            yield from _of(deed)


def _of(deed: Deed) -> Iterator[Said]:
    path, command = deed.path, deed.command
    if path:
        yield Said(deed.place, "wrote" if deed.ok and deed.verb in ("write", "edit") else "tried", path)
    if command:
        yield Said(deed.place, "ran" if deed.ok and deed.verb == "run" else "tried", command)
    for text in strings(deed.call.arguments):
        if text not in (path, command):
            yield Said(deed.place, "tried", text)
    if deed.call.raw:
        yield Said(deed.place, "tried", deed.call.raw)


def strings(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a JSON value, names of keys left out; what lies deeper than 20 levels is passed over."""
    if isinstance(value, str):
        if value:
            yield value
    elif depth < 20 and isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from strings(item, depth + 1)

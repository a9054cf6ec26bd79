"""Rendering: a prompt's messages as bytes, each made once, so that a longer prompt's body extends the shorter one's."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from math import isfinite
from operator import is_
from typing import Any

from agentmem.domain.message import Image, Message, Text
from agentmem.model.callids import CallIds, IdForm
from agentmem.model.halves import clean

EMPTY = "(empty)"
"""What stands in a message that would have been empty: providers refuse those, for good once one is in a history."""

_NOT_IN_NAMES = "[^A-Za-z0-9_-]"

Group = tuple[Message, ...]


def dump(value: Any) -> bytes:
    """Compact JSON in valid UTF-8. Lone surrogates become U+FFFD; numbers that JSON lacks (NaN, Infinity) null."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def spoken(texts: Sequence[str]) -> list[str]:
    """The texts that say anything: providers refuse blank ones."""
    return [text for text in texts if text.strip()]


def legal_name(name: str) -> str:
    """A tool's name as every provider takes it; a model may have called one that never was."""
    return re.sub(_NOT_IN_NAMES, "_", name)[:64] or "unknown"


def text_of(message: Message) -> str:
    """A tool result's words; an image, where a protocol takes none in results, is named."""
    words = []
    for part in message.parts:
        if isinstance(part, Text):
            words.append(part.text)
        elif isinstance(part, Image):
            words.append(f"[{part.media_type} image left out: this protocol takes none in a tool's result]")
    return "\n\n".join(words) if any(word.strip() for word in words) else EMPTY


class Renderer:
    """Makes groups of messages into bytes by `render`: messages one by one, but tool results that stand side by side
    together.

    A conversation grows at its end, so what was made for the last prompt is kept and only what is new is made. Messages
    are values that never change, so identity is enough to know one again.
    """

    def __init__(self, render: Callable[[Group, CallIds], bytes], form: IdForm) -> None:
        self._render = render
        self._form = form
        self._ids = CallIds(form)
        self._lock = threading.Lock()
        self._seen: list[Message] = []
        self._made: list[tuple[Group, bytes]] = []

    def render(self, messages: Sequence[Message]) -> list[tuple[Group, bytes]]:
        """Each group with its bytes. The same messages give the same bytes, whatever follows them."""
        with self._lock:
            if len(messages) < len(self._seen) or not all(map(is_, self._seen, messages)):
                same = takewhile(bool, map(is_, self._seen, messages))
                self._back_to(sum(1 for _ in same))
            new = messages[len(self._seen) :]
            if new and new[0].role == "tool" and self._made and self._made[-1][0][0].role == "tool":
                new = (*self._made.pop()[0], *new)
            self._made += [(group, self._one(group)) for group in _groups(new)]
            self._seen = list(messages)
            return self._made[:]

    def _back_to(self, count: int) -> None:
        """Forget all but the groups that lie whole within the first `count` messages, and the ids given since."""
        kept, held = 0, 0
        while kept < len(self._made) and held + len(self._made[kept][0]) <= count:
            held += len(self._made[kept][0])
            kept += 1
        del self._made[kept:], self._seen[held:]
        self._ids = CallIds(self._form)
        for message in self._seen:
            self._name(message)

    def _one(self, group: Group) -> bytes:
        for message in group:
            self._name(message)
        return self._render(group, self._ids)

    def _name(self, message: Message) -> None:
        """Give the message's ids their turn: the earlier one has the first choice."""
        for one in _ids(message):
            self._ids.legal(one)


def _groups(messages: Sequence[Message]) -> list[Group]:
    out: list[Group] = []
    for message in messages:
        if message.role == "tool" and out and out[-1][0].role == "tool":
            out[-1] += (message,)
        else:
            out.append((message,))
    return out


def _ids(message: Message) -> list[str]:
    if message.role == "assistant":
        return [call.id for call in message.calls]
    return [] if message.call_id is None else [message.call_id]

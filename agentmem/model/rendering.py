"""Rendering: a prompt's messages as bytes, each made once, so that a longer prompt's body extends the shorter one's."""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from agentmem.domain.message import Image, Message, Text
from agentmem.model.callids import CallIds, IdForm
from agentmem.model.halves import clean

EMPTY = "(empty)"
"""What stands in a message that would have been empty: providers refuse those, for good once one is in a history."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")

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
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def text_of(message: Message) -> str:
    """A tool result's words; an image, where a protocol takes none in results, is named."""
    words = []
    for part in message.parts:
        if isinstance(part, Text):
            words.append(part.text)
        elif isinstance(part, Image):
            words.append(f"[{part.media_type} image left out: this protocol takes none in a tool's result]")
    return "\n\n".join(words) if any(word.strip() for word in words) else EMPTY


def groups(messages: Sequence[Message]) -> list[Group]:
    """Messages one by one, but the tool results that stand side by side together."""
    out: list[Group] = []
    for message in messages:
        if message.role == "tool" and out and out[-1][0].role == "tool":
            out[-1] += (message,)
        else:
            out.append((message,))
    return out


class Renderer:
    """Makes groups of messages into bytes by `render`, keeping what it made. Messages are values that never change, so
    identity is enough to know one again; an entry holds its messages, so that no identity is used twice. What the last
    two prompts or so did not use is let go."""

    def __init__(self, render: Callable[[Group, CallIds], bytes], form: IdForm) -> None:
        self._render = render
        self._form = form
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, ...], tuple[Group, tuple[str, ...], bytes]] = OrderedDict()

    def render(self, messages: Sequence[Message]) -> list[tuple[Group, bytes]]:
        """Each group with its bytes. The same messages give the same bytes, whatever follows them."""
        ids = CallIds(self._form)
        with self._lock:
            rendered = [(group, self._one(group, ids)) for group in groups(messages)]
            while len(self._kept) > 2 * len(rendered) + 64:
                self._kept.popitem(last=False)
        return rendered

    def _one(self, group: Group, ids: CallIds) -> bytes:
        key = tuple(map(id, group))
        named = tuple(ids.legal(one) for message in group for one in _ids(message))
        kept = self._kept.get(key)
        if kept is not None and kept[1] == named:
            self._kept.move_to_end(key)
            return kept[2]
        made = self._render(group, ids)
        self._kept[key] = (group, named, made)
        self._kept.move_to_end(key)
        return made


def _ids(message: Message) -> list[str]:
    if message.role == "assistant":
        return [call.id for call in message.calls]
    return [] if message.call_id is None else [message.call_id]

"""Marker: the line that stands for a tool result in the prompt, and the file that holds all of it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from agentmem.domain.entry import Entry
from agentmem.domain.measure import size
from agentmem.domain.message import Image, Message, ToolCall
from agentmem.memory.manage.compact.layout import Change
from agentmem.memory.read import weight

HEAD, TAIL = 600, 1_200
"""Characters of a result that stay when it is offloaded: the end tells more than the start."""
Row: TypeAlias = "tuple[int, Entry, Message, ToolCall]"
"""The bytes that a result takes in the prompt, its entry, the result and its call."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_GIST = 80
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True)
class Marking:
    """How a form puts markers in place of results: its name, what writes one (given where all of the result lies), and
    from how many bytes that one frees it is worth it."""

    form: str
    write: Callable[[Entry, Message, ToolCall, str], str]
    least: int

    def change(self, rows: Iterable[Row], folder: str, want: int) -> Change | None:
        """What marks results, in their order, until `want` bytes are freed; None where none is worth it."""
        targets: dict[str, str | None] = {}
        files: dict[str, bytes] = {}
        freed = 0
        for held, entry, message, call in rows:
            if freed >= want:
                break
            path, data = kept(entry, message, folder)
            line = self.write(entry, message, call, path)
            gain = held - weight.FRAME - len(line.encode())
            if gain < self.least:
                continue
            freed += gain
            targets[entry.id] = line
            files |= {} if data is None else {path: data}
        return Change(self.form, targets, freed, files) if targets else None


def kept(entry: Entry, message: Message, folder: str) -> tuple[str, bytes | None]:
    """The path from the root at which the whole result lies, and its bytes where it must be put there first."""
    at = entry.body.get("offload")
    if isinstance(at, str) and at:
        return at, None
    name = entry.id if _PLAIN.fullmatch(entry.id) else hashlib.sha256(entry.id.encode()).hexdigest()[:16]
    picture = next((part for part in message.parts if isinstance(part, Image)), None)
    if picture is not None:
        try:
            data = base64.b64decode(picture.data, validate=True)
            return f"{folder}/{name}{_SUFFIXES.get(picture.media_type, '.img')}", data
        except (binascii.Error, ValueError):
            pass
    return f"{folder}/{name}.txt", message.text.encode()


def collapsed(entry: Entry, message: Message, call: ToolCall, path: str) -> str:
    """One line in place of a result."""
    outcome = _outcome(entry, message)
    return f"[collapsed: {said(call)} {outcome} {measured(message)}; all of it: `read` {path}]"


def excerpt(entry: Entry, message: Message, call: ToolCall, path: str) -> str:
    """The ends of a result around a line that says where all of it is."""
    text = message.text
    if len(text) <= HEAD + TAIL:
        return f"[{said(call)}: {measured(message)}; all of it: `read` {path}]"
    left = len(text) - HEAD - TAIL
    note = f"[{left:,} characters left out here; {measured(message)} in all; all of it: `read` {path}]"
    return f"{text[:HEAD]}\n{note}\n{text[-TAIL:]}"


def said(call: ToolCall) -> str:
    """A call in a few words: its name and its first argument."""
    first = next((value for value in call.arguments.values() if isinstance(value, str) and value.strip()), "")
    line = " ".join(first.split())
    return f"{call.name} {line if len(line) <= _GIST else line[: _GIST - 1] + '…'}".rstrip()


def measured(message: Message) -> str:
    """A result's length in people's words."""
    if any(isinstance(part, Image) for part in message.parts):
        return "an image"
    lines = message.text.count("\n") + 1
    return f"{lines:,} line{'' if lines == 1 else 's'}, {size(len(message.text.encode()))}"


def _outcome(entry: Entry, message: Message) -> str:
    code = entry.body.get("exit")
    if isinstance(code, int):
        return f"(exit {code}) gave"
    return "failed with" if message.error else "gave"

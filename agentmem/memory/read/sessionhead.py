"""Session head: a session at a glance, read off the two ends of its log alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.memory.stores import lines
from agentmem.memory.stores.log import NAME_MOST, SUFFIX, TAIL, head_and_tail

_HEAD = 4 * 1024
_LONG_HEAD = 32 * 1024  # where the first 4 kB hold no header or nothing that was said
_PREVIEW = NAME_MOST
_NAMING = b'"session_info"'
_CUT_TEXT = r'"text":"((?:[^"\\]|\\.)*)'


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session at a glance: `at` and `cwd` from its header, `preview` of the first user text and `last` of the last
    message (one line, at most 200 characters), `mtime` in seconds since 1970, `size` in bytes. `name` is what a person
    called it, "" for nothing; `parent` is the session whose sub-session it is, `origin` the one it was forked from,
    `follows` the one it goes on from after a reset."""

    id: str
    at: str
    cwd: str
    preview: str
    last: str
    mtime: float
    size: int
    name: str = ""
    parent: str | None = None
    origin: str | None = None
    follows: str | None = None

    @property
    def title(self) -> str:
        """The name, else what it began with."""
        return self.name or self.preview


def glance(path: str) -> SessionHead:
    """The session of a log. Raises `OSError`."""
    first, end, stat = head_and_tail(path, _HEAD, TAIL)
    header, preview = _first(first)
    if not (header and preview) and len(first) == _HEAD:
        header, preview = _first(head_and_tail(path, _LONG_HEAD, 0)[0])
    # Where both pieces are all of it, a line may lie across their border.
    whole = bool(end) and len(first) + len(end) >= stat.st_size
    last = first + end if whole else end[end.find(b"\n") + 1 :]
    latest = _latest(last or first)
    name = _name(last) if whole else _name(last, first)
    forked = header.get("forked_from")
    return SessionHead(
        session_id(path),
        _text(header.get("at")) or "",
        _text(header.get("cwd")) or "",
        preview,
        latest,
        stat.st_mtime,
        stat.st_size,
        name,
        giver(header),
        _text(forked.get("session")) if isinstance(forked, dict) else None,
        _text(header.get("parent_session")) if header.get("reset") is True else None,
    )


def header_of(path: str) -> dict[str, Any]:
    """A log's header, empty where it has none or cannot be read."""
    try:
        for size in (_HEAD, _LONG_HEAD):
            first = head_and_tail(path, size, 0)[0]
            found = next((one for one in _records(first.split(b"\n")) if one.get("type") == "session"), None)
            if found is not None or len(first) < size:
                return found or {}
    except OSError:
        pass
    return {}


def successor(path: str) -> str | None:
    """The session that goes on from a log which ends in a reset; None for every other log, and where it cannot be
    read."""
    try:
        first, end, _ = head_and_tail(path, _HEAD, TAIL)
    except OSError:
        return None
    rows = (first + end).split(b"\n")
    final = next((one for one in _records(reversed(rows)) if one.get("type") != "session_info"), {})
    return _text(final.get("to")) if final.get("type") == "reset" else None


def giver(header: Mapping[str, Any]) -> str | None:
    """The session whose sub-session this one is; after a reset a session is its own."""
    return None if header.get("reset") is True else _text(header.get("parent_session"))


def session_id(path: str) -> str:
    """The id of the session whose log this is."""
    return os.path.basename(path)[: -len(SUFFIX)]


def _first(head: bytes) -> tuple[dict[str, Any], str]:
    """The header, and what the person said first; lines after both are not read."""
    header: dict[str, Any] = {}
    preview = ""
    start = 0
    while start >= 0 and not (header and preview):
        end = head.find(b"\n", start)
        for one in lines.parse(head[start:] if end < 0 else head[start:end])[0]:
            if one.get("type") == "session":
                header = header or one
            elif not preview:
                preview = _said(one)
        start = end + 1 or -1
    return header, preview or _cut(head)


def _latest(tail: bytes) -> str:
    """What was said last; lines before that are not read."""
    end = len(tail) - tail.endswith(b"\n")
    while end > 0:
        start = tail.rfind(b"\n", 0, end) + 1
        for one in lines.parse(tail[start:end])[0]:
            if text := _any(one):
                return text
        end = start - 1
    return ""


def _name(*pieces: bytes) -> str:
    """The name that these pieces of a log give last, the later piece first; "" without one. A writer tells it anew
    before its tail has grown past it (`NAME_EVERY`), so that the ends of a log are enough."""
    for piece in pieces:
        if piece.rfind(_NAMING) < 0:
            continue
        naming = (row for row in reversed(piece.split(b"\n")) if _NAMING in row)
        found = (one.get("name") for one in _records(naming) if one.get("type") == "session_info")
        if (name := next((name for name in found if isinstance(name, str)), None)) is not None:
            return _line(name)
    return ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _records(rows: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of these lines, read one by one as they are asked for."""
    return (value for raw in rows for value in lines.parse(raw)[0])


def _said(record: dict[str, Any]) -> str:
    """What the person said in a user message; harness notices aside."""
    if record.get("type") != "message" or record.get("role") != "user" or record.get("notice") is True:
        return ""
    return _line(_texts(record.get("content"), "harness"))


def _any(record: dict[str, Any]) -> str:
    """What anyone said."""
    if record.get("type") != "message" or record.get("role") == "user":
        return _said(record)
    return _line(_texts(record.get("content")))


def _texts(content: object, but: str = "") -> str:
    """The texts of a message's content, joined, without those of origin `but`."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    if len(parts) == 1 and isinstance(part := parts[0], dict) and part.get("origin") != but:
        text = part.get("text") if part.get("type") == "text" else None
        return text if isinstance(text, str) else ""
    texts = [
        part if isinstance(part, str) else part.get("text")
        for part in parts
        if isinstance(part, str)
        or (isinstance(part, dict) and part.get("type") == "text" and part.get("origin") != but)
    ]
    return " ".join(text for text in texts if isinstance(text, str))


def _cut(head: bytes) -> str:
    """The beginning of a first message so long that its line does not end within the head."""
    line = head.rpartition(b"\n")[2].decode(errors="replace")
    found = re.search(_CUT_TEXT, line) if '"role":"user"' in line else None
    try:
        return _line(json.loads(f'"{found[1]}"')) if found else ""
    except ValueError:
        return ""


def _line(text: str) -> str:
    line = text[:_PREVIEW]
    if line.isprintable() and "  " not in line:
        return line.strip()
    line = " ".join(text[: _PREVIEW + 20].split())
    if len(line) < _PREVIEW < len(text):  # many blanks in a row
        line = " ".join(text[: 4 * _PREVIEW].split())
    return line[:_PREVIEW]

"""Server-sent events: from a byte stream, cut anywhere, to whole events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

EVENT_LIMIT = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_KEPT_OF_BROKEN = 2000


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; `data` holds its data lines joined by a line feed, `name` is empty when the server gave none."""

    data: str
    name: str = ""


class Events:
    """Splits bytes into events, whatever the pieces. `too_big` counts events over `limit` bytes, which are left out."""

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._first = True
        self._data: list[bytes] = []
        self._name = b""
        self._skipping = False
        self.too_big = 0

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that `chunk` completes, in order."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        events: list[ServerEvent] = []
        for line in chunk.splitlines(keepends=True):
            body = line.rstrip(b"\r\n")
            self._take(body)
            if len(body) < len(line):
                self._end_line(events)
        return events

    def end(self) -> list[ServerEvent]:
        """What the stream's end leaves behind: servers often forget the blank line after their last event."""
        events: list[ServerEvent] = []
        if self._pieces:
            self._end_line(events)
        self._dispatch(events)
        return events

    def _take(self, body: bytes) -> None:
        if not body:
            return
        self._size += len(body)
        if self._size > self._limit:
            self._skipping = True
            self._data.clear()
            # The line's start is kept: whether it is blank decides where the event ends.
            del self._pieces[1:]
        if not self._skipping or not self._pieces:
            self._pieces.append(body)

    def _end_line(self, events: list[ServerEvent]) -> None:
        line = b"".join(self._pieces)
        self._pieces.clear()
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(events)
        elif not self._skipping:
            self._field(line)

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value
        elif not name:
            # A comment keeps the connection alive and belongs to no event.
            self._size -= len(line)

    def _dispatch(self, events: list[ServerEvent]) -> None:
        if self._skipping:
            self.too_big += 1
        elif self._data:
            data = b"\n".join(self._data)
            events.append(ServerEvent(data.decode("utf-8", "replace"), self._name.decode("utf-8", "replace")))
        self._data.clear()
        self._name = b""
        self._size = 0
        self._skipping = False


class JsonEvents:
    """Events whose data is a JSON object. What is neither that nor a mark is kept in `broken`, cut to 2,000 characters.

    `done` is set once the mark ``[DONE]`` was seen; nothing after it counts.
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._events = Events(limit)
        self.done = False
        self.broken: list[str] = []

    @property
    def lost(self) -> int:
        """How many events could not be read."""
        return len(self.broken) + self._events.too_big

    def feed(self, chunk: bytes) -> Iterator[Mapping[str, Any]]:
        """The objects that `chunk` completes."""
        for event in self._events.feed(chunk):
            yield from self._read(event)

    def end(self) -> Iterator[Mapping[str, Any]]:
        """The objects of an event the stream's end left open. A cut one is no broken one: the end itself is told."""
        known = len(self.broken)
        for event in self._events.end():
            yield from self._read(event)
        del self.broken[known:]

    def _read(self, event: ServerEvent) -> Iterator[Mapping[str, Any]]:
        if self.done or not event.data.strip():
            return
        if (whole := parse_object(event.data)) is not None:
            yield whole
            return
        # Some servers set no blank line between events, so that a broken one would take its neighbours with it.
        for line in event.data.split("\n"):
            if self.done or not line.strip():
                continue
            if line.strip() == "[DONE]":
                self.done = True
            elif (one := parse_object(line)) is not None:
                yield one
            else:
                self.broken.append(line[:_KEPT_OF_BROKEN])


def parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object in `text`, None when it holds anything else. Numbers beyond JSON (NaN) are no JSON."""
    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def refuse(constant: str) -> Any:
    """For `json.loads`: NaN and Infinity are no JSON. Raises ValueError."""
    raise ValueError(constant)

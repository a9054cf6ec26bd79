"""Page: the lines of a file that one read shows, taken from a stream of chunks, however long file and lines are."""

from __future__ import annotations

from dataclasses import dataclass

from agentmem.tools.content import BOM, shown
from agentmem.workspace.plain import is_utf8

LINES_MOST = 2_000
BYTES_MOST = 49_500  # of the rows, numbers included; with what is said about them a result stays under 50 KB
LINE_MOST = 4_000  # bytes of a line, unless a column is asked for


@dataclass(frozen=True, slots=True)
class Request:
    """Which part of a file: `count` lines from line `first` (both from 1 up), or with a `column` (byte in the
    line, from 1) only that line from there on."""

    first: int = 1
    count: int = LINES_MOST
    column: int | None = None


class Page:
    """Collects the requested lines while all bytes of the file pass by. Memory holds at most what is shown."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.rows: list[str] = []
        self.complete = False  # nothing further can be added
        self.passed = 0  # lines that ended
        self.foreign = False  # bytes that are not UTF-8 were shown
        self._skip = (request.column or 1) - 1
        self._room = LINE_MOST if request.column is None else BYTES_MOST - 500
        self._most = min(request.count, LINES_MOST) if request.column is None else 1
        self._held = bytearray()  # the wanted part of the current line
        self._length = 0  # bytes of the current line so far
        self._size = 0
        self._fresh = True

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the file."""
        if self._fresh and chunk:
            self._fresh = False
            chunk = chunk.removeprefix(BOM)
        ends = chunk.count(b"\n")
        if self.complete or self.passed + ends < self.request.first - 1:
            self.passed += ends
            self._length = len(chunk) - chunk.rfind(b"\n") - 1 if ends else self._length + len(chunk)
            return
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._add(piece)
            self._end()
        self._add(rest)

    def close(self) -> None:
        """The file is over: a last line without an end counts."""
        if self._length:
            self._end()

    @property
    def next_line(self) -> int:
        """The number of the first line behind those shown."""
        return self.request.first + len(self.rows)

    def _add(self, piece: bytes) -> None:
        if self.passed >= self.request.first - 1 and not self.complete:
            start = max(0, self._skip - self._length)
            self._held += piece[start : start + max(0, self._room + 1 - len(self._held))]
        self._length += len(piece)

    def _end(self) -> None:
        """The current line is over: show it if it is wanted and there is room."""
        number, held, length = self.passed + 1, bytes(self._held), self._length
        self._held.clear()
        self._length = 0
        self.passed = number
        if number < self.request.first or self.complete:
            return
        row, foreign = self._row(number, held, length)
        size = len(row.encode()) + 1
        if self.rows and self._size + size > BYTES_MOST:
            self.complete = True
            return
        self.foreign = self.foreign or foreign
        self.rows.append(row)
        self._size += size
        self.complete = len(self.rows) >= self._most

    def _row(self, number: int, held: bytes, length: int) -> tuple[str, bool]:
        """A line with its number and, of a long one, where it goes on; and whether not all of it is UTF-8."""
        kept = _whole_characters(held, self._room) if len(held) > self._room else held
        while len(text := shown(kept)) > self._room and len(text.encode()) > BYTES_MOST - 200:
            kept = kept[: len(kept) // 2]
        end = self._skip + len(kept)
        end += end == length - 1 and held[len(kept) :] == b"\r"
        foreign = b"\0" in kept or not is_utf8(kept)
        if end < length:
            return f"{number}\t{text} … [line {number} has {length} bytes; column {end + 1} goes on]", foreign
        if self._skip > length:
            return f"{number}\t[line {number} has only {length} bytes]", False
        return f"{number}\t{text.removesuffix(chr(13))}", foreign


def _whole_characters(held: bytes, room: int) -> bytes:
    """At most `room` bytes that do not end within a character."""
    end = room
    while end > room - 4 and end > 0 and held[end] & 0xC0 == 0x80:
        end -= 1
    return held[:end] if held[end] & 0xC0 != 0x80 else held[:room]

"""Output: what a command prints, kept within bounds: head and tail in memory, the whole in a file without a name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from agentmem.workspace.plain import Plain, plain

HEAD = 19_000
"""Bytes shown of the beginning when not all can be shown."""

TAIL = 30_000
"""Bytes shown of the end: errors stand at the end."""

LIMIT = HEAD + TAIL
"""Bytes of output up to which all of it is shown; with its notes a result stays under 50,000."""

KEEP = 50_000_000
"""Bytes of output that are kept at most; what comes after is counted, and its end shown."""

Cut = Callable[[bytes, int], bytes]


@dataclass(frozen=True, slots=True)
class View:
    """What is shown: `head`, and `tail` when something between them was left out. Counts are of the output's own bytes
    and of the line ends among them."""

    head: str
    tail: str = ""
    left_bytes: int = 0
    left_lines: int = 0
    undecodable: bool = False
    reduced: bool = False

    @property
    def exact(self) -> bool:
        """True when the text is the output, whole and unchanged."""
        return not (self.left_bytes or self.undecodable or self.reduced)


class Output:
    """Collects output as it comes; memory stays small however much there is. `total` counts its bytes, `stored` those
    that `whole` gives back, `lost` says why they are fewer than they could be (a full disk)."""

    def __init__(self, keep: int = KEEP) -> None:
        self._keep = keep
        self.total = 0
        self.stored = 0
        self.lost: str | None = None
        self._lines = 0
        self._start = bytearray()
        self._end = bytearray()
        self._over = False
        self._file: int | None = None

    def add(self, piece: bytes) -> None:
        """Take a piece."""
        self.total += len(piece)
        self._lines += piece.count(b"\n")
        if not self._over:
            self._start += piece
            self.stored = len(self._start)
            if len(self._start) <= LIMIT:
                return
            piece = self._overflow()
        self._store(piece)
        self._end += piece[-TAIL:]
        if len(self._end) > 8 * TAIL:
            del self._end[:-TAIL]

    def view(self) -> View:
        """What to show of it, at most LIMIT bytes of UTF-8."""
        start, end = bytes(self._start), bytes(self._end[-TAIL:])
        if not self._over:
            whole = plain(start)
            if len(whole.text.encode()) <= LIMIT:
                return View(whole.text, undecodable=whole.undecodable, reduced=whole.reduced)
            middle = len(start) * HEAD // LIMIT
            start, end = start[:middle], start[middle:]
        head, head_bytes = _fitted(start, HEAD, _first)
        tail, tail_bytes = _fitted(end, TAIL, _last)
        return View(
            head.text,
            tail.text,
            self.total - len(head_bytes) - len(tail_bytes),
            self._lines - head_bytes.count(b"\n") - tail_bytes.count(b"\n"),
            head.undecodable or tail.undecodable,
            head.reduced or tail.reduced,
        )

    def whole(self) -> bytes:
        """All that was kept, from the first byte on."""
        if self._file is None:
            return bytes(self._start)
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            return file.read()

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _overflow(self) -> bytes:
        """From here on the whole goes to a file and only the ends stay in memory. Gives what was taken so far."""
        from tempfile import mkstemp

        taken = bytes(self._start)
        del self._start[HEAD:]
        self._over, self.stored = True, 0
        try:
            self._file, path = mkstemp(prefix="agentmem-output-")
            os.unlink(path)
        except OSError as error:
            self.lost, self.stored = error.strerror or str(error), HEAD
        return taken

    def _store(self, piece: bytes) -> None:
        if self._file is None or self.lost is not None:
            return
        view = memoryview(piece)[: self._keep - self.stored]
        try:
            while view:
                written = os.write(self._file, view)
                self.stored += written
                view = view[written:]
        except OSError as error:
            self.lost = error.strerror or str(error)


def _fitted(data: bytes, size: int, cut: Cut) -> tuple[Plain, bytes]:
    """The text of as much of `data` as gives at most `size` bytes of UTF-8, and the bytes it was made of: bytes that
    are no text grow when they are shown."""
    room = size
    while True:
        piece = cut(data, room)
        text = plain(piece)
        length = len(text.text.encode())
        if length <= size:
            return text, piece
        room = room * size // length - 1


def _first(data: bytes, size: int) -> bytes:
    """The first bytes, up to the end of a line if one is near, never half a character."""
    piece = data[:size]
    line_end = piece.rfind(b"\n") + 1
    if line_end > len(piece) // 2:
        return piece[:line_end]
    for back in range(1, min(4, len(piece) + 1)):
        byte = piece[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return piece[:-back] if back < length else piece
        if byte < 0x80:
            break
    return piece


def _last(data: bytes, size: int) -> bytes:
    """The last bytes, from the start of a line if one is near, never half a character."""
    piece = data[-size:]
    line_end = piece.find(b"\n") + 1
    if 0 < line_end < len(piece) // 2:
        return piece[line_end:]
    skip = 0
    while skip < min(3, len(piece)) and 0x80 <= piece[skip] < 0xC0:
        skip += 1
    return piece[skip:]

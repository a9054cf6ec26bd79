"""The tail of a streaming reply: gives out pieces once they can no longer change, and shows the one that still can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from agentmem.domain.visible import visible
from agentmem.terminal.inline import wrapped
from agentmem.terminal.markdown import Fence, Piece, is_closing, pieces, unindented

_CHUNK = 12  # code lines that wait, still on the live part of the screen, before they are given out together
_LONG = 2000  # characters of an unfinished block beyond which reading it for each new line grows dear
_RAW = 3000  # characters of an unfinished block beyond which its source is shown: rendering it ever again grows dear


@dataclass(frozen=True, slots=True)
class Source:
    """An unfinished block, as it was written."""

    text: str
    gap: int = 1

    def lines(self, width: int) -> list[Text]:
        """The text, wrapped."""
        return wrapped(Text(visible(self.text)), width)


class Tail:
    """Markdown that comes bit by bit.

    CommonMark reads line by line and never opens a closed block again, so once a later top-level block has begun on a
    whole line, the one before it is final. The pieces given out are, together, those of the whole text.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._held = ""
        self._gap: int | None = None
        self._last: Piece | Fence | None = None
        self._open: Fence | None = None
        self._read = 0

    def feed(self, text: str) -> list[Piece | Fence]:
        """Take more text; the pieces that are final now."""
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        self._rest += text
        return self._settle() if "\n" in text and self._worth_reading() else []

    def waiting(self) -> Sequence[Piece | Fence | Source]:
        """What has not been given out yet, as it looks now."""
        if self._open is not None:
            return _filled(_with_line(self._open, self._rest))
        if len(self._rest) > _RAW:
            return [Source(self._rest[-_RAW:], 1 if self._gap is None else self._gap)]
        return [piece for _, piece in pieces(self._rest, self._last, self._gap)]

    def close(self) -> list[Piece | Fence]:
        """The text has ended: all that is left. The tail is used up."""
        if self._rest and not self._rest.endswith("\n"):
            self._rest += "\n"
        out = self._settle()
        if self._open is not None:
            out += _filled(self._open)
        else:
            for _, piece in pieces(self._rest, self._last, self._gap):
                out += _filled(piece)
        return out

    def _worth_reading(self) -> bool:
        """A long unfinished block is not read again for every line: only once it has grown by a quarter."""
        size = len(self._rest)
        if self._open is None and _LONG < size < self._read * 5 // 4:
            return False
        self._read = size
        return True

    def _settle(self) -> list[Piece | Fence]:
        """Move whole lines of the rest on, as far as they decide anything."""
        out: list[Piece | Fence] = []
        while (cut := self._rest.rfind("\n") + 1) > 0:
            if self._open is not None:
                if not self._grow(self._open, cut, out):
                    break
                continue
            found = pieces(self._rest[:cut], self._last, self._gap)
            if not found:
                break
            for _, piece in found[:-1]:
                out += self._give(piece)
            start, piece = found[-1]
            if isinstance(piece, Piece):
                lines = self._rest.split("\n", start)
                self._rest, self._gap = lines[-1], piece.gap
                break
            self._rest, self._gap = self._rest[cut:], None
            if piece.closed:
                out += self._give(piece)
            else:
                self._open = piece
        return out

    def _grow(self, fence: Fence, cut: int, out: list[Piece | Fence]) -> bool:
        """Move the whole lines of the rest into the open fence; True when it ended and there may be more after it."""
        lines = self._rest[:cut].split("\n")[:-1]
        end = next((index for index, line in enumerate(lines) if is_closing(line, fence.mark)), None)
        body = tuple(unindented(line, fence.indent) for line in lines[:end])
        fence = replace(fence, code=fence.code + body)
        if end is not None:
            out += self._give(fence)
            self._rest = self._rest.split("\n", end + 1)[-1]
            self._open = None
            return True
        self._rest = self._rest[cut:]
        if len(fence.code) - fence.start >= _CHUNK:
            out += self._give(fence)
            fence = replace(fence, start=len(fence.code), gap=0)
        self._open = fence
        return False

    def _give(self, piece: Piece | Fence) -> list[Piece | Fence]:
        self._last = piece
        return _filled(piece)


def _with_line(fence: Fence, line: str) -> Fence:
    """An open fence and the line that is not whole yet, unless that looks like the start of the closing mark."""
    if not line.strip(f" {fence.mark[0]}"):
        return fence
    return replace(fence, code=(*fence.code, unindented(line, fence.indent)))


def _filled(piece: Piece | Fence) -> list[Piece | Fence]:
    """Nothing for a fence without lines."""
    return [piece] if isinstance(piece, Piece) or piece.start < len(piece.code) else []

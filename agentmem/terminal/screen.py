"""The screen: the one place that writes. Blocks are printed for good; below them a live part is drawn over and over."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TextIO

from rich.color import ColorSystem
from rich.text import Text

from agentmem.terminal.blocks import Block
from agentmem.terminal.inline import folded, ruler

_KEPT = 200  # blocks that can be printed again when a resize has broken the screen

# Drawing between these two is shown at once by terminals that know them; the others ignore them.
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"


class Screen:
    """A terminal, or a plain stream: then there is no live part, no colour and no escape sequence.

    Lines are final text: whoever made them has seen to it that they hold no control characters.
    """

    def __init__(self, out: TextIO, env: Mapping[str, str]) -> None:
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="replace")
        self._out = out
        self.terminal = out.isatty() and env.get("TERM") != "dumb"
        self._colour = ColorSystem.STANDARD if self.terminal else None
        self._no_colour = bool(env.get("NO_COLOR"))
        self._live: list[Text] = []
        self._kept: deque[Block] = deque(maxlen=_KEPT)
        self._drawn_at = self.size()

    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        try:
            columns, rows = os.get_terminal_size(self._out.fileno())
        except (OSError, ValueError):
            columns, rows = 0, 0
        return columns or 80, rows or 24

    def show(self, blocks: Sequence[Block], live: Sequence[Text] = ()) -> None:
        """Print `blocks` for good above the live part, and draw `live` in its place."""
        width, rows = self.size()
        broken = self._broken(width)
        self._kept.extend(blocks)
        drawn = [part for line in live for part in folded(line, width)][-(rows - 1) :] if self.terminal else []
        if not blocks and not broken and drawn == self._live:
            return
        # The last line is always drawn again, so that the cursor ends behind it.
        same = 0 if blocks or broken else max(0, min(_same(self._live, drawn), len(drawn) - 1))
        out = "".join(self._again(width, rows)) if broken else self._to_line(same) + self._printed(blocks, width)
        out += "\r\n".join(self._ansi(line) for line in drawn[same:])
        self._live, self._drawn_at = drawn, (width, rows)
        self._write(f"{_HOLD}\x1b[?25l{out}{'' if drawn else chr(27) + '[?25h'}{_SHOW}" if self.terminal else out)

    def keep(self, block: Block) -> None:
        """Remember something that another hand has printed, for a repaint."""
        self._kept.append(block)

    def write(self, sequence: str) -> None:
        """Send a control sequence, to a terminal only."""
        if self.terminal:
            self._write(sequence)

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    def _to_line(self, index: int) -> str:
        """From the end of the live part to the start of its line `index`, with all from there on erased."""
        if not self.terminal or not self._live:
            return ""
        if index >= len(self._live):
            return "\r\n"
        up = len(self._live) - 1 - index
        return ("\r" if up == 0 else f"\r\x1b[{up}A") + "\x1b[J"

    def _printed(self, blocks: Sequence[Block], width: int) -> str:
        end = "\r\n" if self.terminal else "\n"
        return "".join(self._ansi(line) + end for block in blocks for line in _spaced(block, width))

    def _broken(self, width: int) -> bool:
        """True when the terminal got so narrow that rows of the live part no longer lie where they were drawn.

        Some terminals then fold a row in two and some cut it off; nobody can tell which.
        """
        return width < self._drawn_at[0] and any(line.cell_len > width for line in self._live)

    def _again(self, width: int, rows: int) -> list[str]:
        """The visible screen anew: the last of what was printed."""
        lines: list[Text] = []
        for block in reversed(self._kept):
            lines[:0] = [part for line in _spaced(block, width) for part in folded(line, width)]
            if len(lines) >= rows:
                break
        return ["\x1b[H\x1b[J", *(self._ansi(line) + "\r\n" for line in lines[-rows:])]

    def _ansi(self, line: Text) -> str:
        out = []
        for text, style, _ in line.render(ruler(), end=""):
            if style is not None and self._no_colour:
                style = style.without_color
            out.append(style.render(text, color_system=self._colour) if style is not None else text)
        return "".join(out)


def _spaced(block: Block, width: int) -> list[Text]:
    return [*[Text("")] * block.gap, *block.lines(width)]


def _same(old: Sequence[Text], new: Sequence[Text]) -> int:
    """How many first lines are equal; none of them is drawn again."""
    count = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        count += 1
    return count

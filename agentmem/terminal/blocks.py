"""Blocks: the things a turn leaves on the screen, as values that render to lines at any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rich.text import Text

from agentmem.domain.visible import settled, visible
from agentmem.terminal.gist import counted, first_line
from agentmem.terminal.inline import folded, indented, wrapped
from agentmem.terminal.patch import patch_lines

State = Literal["running", "ok", "failed", "refused"]

_HEAD, _TAIL = 3, 5  # lines of an output that stay when it is folded: the end tells more than the start
_PATCH = 40  # lines of a diff that stay
_DOTS: dict[State, tuple[str, str]] = {
    "running": ("○", "cyan"),
    "ok": ("●", "green"),
    "failed": ("●", "red"),
    "refused": ("●", "yellow"),
}


class Block(Protocol):
    """Something printed for good. `gap` blank lines go before it."""

    @property
    def gap(self) -> int:
        """Blank lines before it."""
        ...

    def lines(self, width: int) -> list[Text]:
        """Its lines at `width` cells."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One plain remark with a sign in front, wrapped, or cut to one line where it is `short`."""

    text: str
    style: str = ""
    sign: str = ""
    gap: int = 1
    short: bool = False

    def lines(self, width: int) -> list[Text]:
        """The remark; its further lines stand under its first word."""
        sign = f"{self.sign} " if self.sign else ""
        text = Text(visible(self.text), self.style)
        if self.short:
            text.truncate(width - len(sign), overflow="ellipsis")
        body = wrapped(text, width - len(sign))
        return indented(body, sign, " " * len(sign), self.style)


@dataclass(frozen=True, slots=True)
class Said:
    """What the person sent."""

    text: str
    gap: int = 1

    def lines(self, width: int) -> list[Text]:
        """The message behind the prompt's sign."""
        body = [line for row in visible(self.text).split("\n") for line in folded(Text(row), width - 2)]
        return indented(body, "❯ ", "  ", "bold")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: what it was, what came of it, folded, and how it ended. `hint` says how to see what was left out."""

    tool: str
    about: str
    state: State
    output: str = ""
    diff: str | None = None
    foot: str = ""
    gap: int = 1
    hint: str = " · /show"

    def lines(self, width: int) -> list[Text]:
        """A line for the call, its diff or the head and tail of its output, and a line for its end."""
        out = [call_line(self.tool, self.about, self.state, width)]
        if self.diff:
            out += indented(cut(patch_lines(self.diff, width - 2), _PATCH, 0, self.hint), "  ", "  ")
        elif self.output:
            out += indented(cut(output_lines(self.output, width - 2), _HEAD, _TAIL, self.hint), "  ", "  ")
        if self.foot:
            style = {"failed": "red", "refused": "yellow"}.get(self.state, "dim")
            out += indented(wrapped(Text(visible(self.foot), style), width - 4), "  └ ", "    ", style)
        return out


@dataclass(frozen=True, slots=True)
class Whole:
    """An output with nothing left out."""

    title: str
    text: str
    diff: bool = False
    gap: int = 1

    def lines(self, width: int) -> list[Text]:
        """The title, then every line."""
        if self.diff:
            body = patch_lines(self.text, width)
        else:
            rows = settled(self.text).expandtabs(8).removesuffix("\n").split("\n")
            body = [part for row in rows for part in folded(Text(row), width)]
        return [Text(first_line(self.title), "bold"), *body]


def call_line(tool: str, about: str, state: State, width: int) -> Text:
    """``● bash  make test`` on one line."""
    dot, colour = _DOTS[state]
    line = Text.assemble((dot, colour), " ", (visible(tool), "bold"), "  ", first_line(about).expandtabs(4))
    line.rstrip()
    line.truncate(width, overflow="ellipsis")
    return line


def output_lines(text: str, width: int) -> list[Text]:
    """Tool output line by line, each cut to `width`: a folded output is a glance, not the whole."""
    out = []
    for row in settled(text).removesuffix("\n").split("\n"):
        line = Text(row[: 2 * width].expandtabs(8), "dim")
        line.truncate(width, overflow="ellipsis")
        out.append(line)
    return out


def cut(lines: Sequence[Text], head: int, tail: int, hint: str) -> list[Text]:
    """`lines` without their middle when that leaves out more than one of them; in its place a count and the hint."""
    left = len(lines) - head - tail
    if left < 2:
        return list(lines)
    return [*lines[:head], Text(f"… {counted(left, 'line')} more{hint}", "dim italic"), *lines[len(lines) - tail :]]

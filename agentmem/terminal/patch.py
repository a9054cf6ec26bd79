"""Patches: a unified diff as coloured lines."""

from __future__ import annotations

from rich.text import Text

from agentmem.domain.visible import visible
from agentmem.terminal.inline import folded

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def patch_lines(diff: str, width: int) -> list[Text]:
    """The lines of `diff` at `width` cells, without the file names of its head; what is longer goes on below."""
    out: list[Text] = []
    for line in _body(diff):
        style = _STYLES.get(line[:1], "")
        out.extend(folded(Text(visible(line).expandtabs(8), style), width))
    return out


def changed(diff: str) -> tuple[int, int]:
    """How many lines a diff adds and removes."""
    body = _body(diff)
    return sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body)


def _body(diff: str) -> list[str]:
    """What follows the first file's head. A later file's head stays, as it says where its lines belong."""
    lines = diff.removesuffix("\n").split("\n")
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        return lines[2:]
    return lines

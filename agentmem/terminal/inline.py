"""Inline text: wrapping to a width in cells, and Markdown's inline marks as styled text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache

from markdown_it.tree import SyntaxTreeNode
from rich.cells import chop_cells
from rich.console import Console
from rich.text import Text

from agentmem.domain.visible import visible

_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


@cache
def ruler() -> Console:
    """A console that only measures and lays out; it writes nowhere and reads no environment."""
    return Console(file=io.StringIO(), width=80, color_system=None, legacy_windows=False, _environ={})


def wrapped(text: Text, width: int) -> list[Text]:
    """`text` as lines of at most `width` cells, broken between words where possible, without blanks at their ends."""
    if not text.plain:
        return [Text("")]
    lines = list(text.wrap(ruler(), max(width, 2), overflow="fold"))
    for line in lines:
        line.rstrip()
    return lines


def folded(text: Text, width: int) -> list[Text]:
    """One line cut where a terminal of `width` cells would go on in the next row; a wide character is never split."""
    if text.cell_len <= width:
        return [text]
    ends, end = [], 0
    for part in chop_cells(text.plain, max(width, 2)):
        end += len(part)
        ends.append(end)
    return list(text.divide(ends[:-1]))


def indented(lines: Sequence[Text], first: str, rest: str, style: str = "") -> list[Text]:
    """`lines` with `first` before the first of them and `rest` before the others."""
    return [
        Text.assemble((first if index == 0 else rest, style), line)
        if line.plain
        else Text((first if index == 0 else rest).rstrip(), style)
        for index, line in enumerate(lines)
    ]


def inline(node: SyntaxTreeNode, style: str = "") -> Text:
    """The text of an inline node. A line break in the source stays one: models break lines where they mean it."""
    out = Text(style=style)
    for child in node.children:
        _append(out, child, "")
    return out


def _append(out: Text, node: SyntaxTreeNode, style: str) -> None:
    match node.type:
        case "text":
            out.append(visible(node.content), style)
        case "code_inline":
            out.append(visible(node.content), f"{style} cyan".strip())
        case "softbreak" | "hardbreak":
            out.append("\n")
        case "strong" | "em" | "s":
            for child in node.children:
                _append(out, child, f"{style} {_STYLES[node.type]}".strip())
        case "link":
            _link(out, node, style)
        case "image":
            out.append(f"[image: {visible(node.content)}] ({visible(str(node.attrs.get('src', '')))})", f"{style} dim")
        case _:
            out.append(visible(node.content), style)


def _link(out: Text, node: SyntaxTreeNode, style: str) -> None:
    """A link shows where it leads: an address that only a click would tell can deceive."""
    start = len(out)
    for child in node.children:
        _append(out, child, f"{style} underline".strip())
    target = visible(str(node.attrs.get("href", "")))
    if out.plain[start:] not in (target, target.removeprefix("mailto:")):
        out.append(f" ({target})", f"{style} dim".strip())

"""Markdown: a text as pieces that are rendered each on its own, so that a reply can be printed while it streams.

A piece is a top-level block, one item of a top-level list, or lines of a top-level code fence. Reference definitions
(`[x]: url`) and raw HTML stay text: the first would change pieces that are printed already, the second is the person's
to see as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.text import Text

from agentmem.domain.visible import visible
from agentmem.terminal.code import code_lines
from agentmem.terminal.inline import folded, indented, inline, wrapped
from agentmem.terminal.table import table_lines

_HEADINGS = {"h1": "bold underline", "h2": "bold", "h3": "bold"}
_BLANK = re.compile(r"[>\s]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block or a list item. `gap` blank lines go before it; `marker` and `number` are a list item's."""

    source: str
    gap: int = 1
    marker: str = ""
    number: int | None = None

    def lines(self, width: int) -> list[Text]:
        """The piece as lines of at most `width` cells."""
        rows = self.source.split("\n")
        tree = _tree(self.source)
        if self.marker and tree.children and tree.children[0].children:
            return _item(tree.children[0].children[0], rows, width, self.number)
        return _blocks(tree.children, rows, width)


@dataclass(frozen=True, slots=True)
class Fence:
    """Lines of a top-level code fence from `start` on; `code` holds all of it up to here, `closed` tells it ended.

    Code lines are not wrapped: the terminal folds them, and a copy of them has no breaks that were not there.
    """

    language: str
    code: tuple[str, ...]
    start: int = 0
    gap: int = 1
    closed: bool = True
    mark: str = "```"
    indent: int = 0

    def lines(self, width: int) -> list[Text]:
        """The code from `start` on, indented by two."""
        return indented(code_lines(self.language, self.code, self.start), "  ", "  ")


def pieces(source: str, before: Piece | Fence | None = None, gap: int | None = None) -> list[tuple[int, Piece | Fence]]:
    """The pieces of `source`, each with the number of the line it starts on.

    `before` is the piece that came before `source`, `gap` the blank lines between the two when that is known.
    """
    rows = source.split("\n")
    out: list[tuple[int, Piece | Fence]] = []
    for node in _tree(source).children:
        for start, piece in _cut(node, rows, before):
            out.append((start, piece))
            before = piece
    if out and gap is not None:
        out[0] = out[0][0], replace(out[0][1], gap=gap)
    return out


def is_closing(line: str, mark: str) -> bool:
    """True when `line` closes the fence that `mark` opened."""
    body = line.strip(" \t")
    return (
        len(body) >= len(mark)
        and not body.strip(mark[0])
        and len(line) - len(line.lstrip(" ")) < 4
        and not line.lstrip(" ").startswith("\t")
    )


def unindented(line: str, indent: int) -> str:
    """A line of a fence whose opening was indented by `indent` spaces."""
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


def _cut(node: SyntaxTreeNode, rows: Sequence[str], before: Piece | Fence | None) -> list[tuple[int, Piece | Fence]]:
    start, end = _span(node)
    if node.type == "fence":
        return [(start, _fence(node, rows[start:end]))]
    if node.type not in ("bullet_list", "ordered_list"):
        return [(start, Piece("\n".join(rows[start:end])))]
    out: list[tuple[int, Piece | Fence]] = []
    for item in node.children:
        start, end = _span(item)
        number = int(item.info) if item.info.isdigit() else None
        follows = isinstance(before, Piece) and before.marker
        if isinstance(before, Piece) and before.marker == item.markup and before.number is not None:
            number = before.number + 1
        gap = 0 if follows and not _blank_above(rows, start) else 1
        before = Piece("\n".join(rows[start:end]), gap, item.markup, number)
        out.append((start, before))
    return out


def _fence(node: SyntaxTreeNode, rows: Sequence[str]) -> Fence:
    indent = len(rows[0]) - len(rows[0].lstrip(" "))
    closed = len(rows) > 1 and is_closing(rows[-1], node.markup)
    body = rows[1:-1] if closed else rows[1:]
    words = node.info.split()
    return Fence(
        words[0] if words else "",
        tuple(unindented(row, indent) for row in body),
        closed=closed,
        mark=node.markup,
        indent=indent,
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 60})
    return parser.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])


def _tree(source: str) -> SyntaxTreeNode:
    return SyntaxTreeNode(_parser().parse(source))


def _span(node: SyntaxTreeNode) -> tuple[int, int]:
    return node.map if node.map else (0, 0)


def _blank_above(rows: Sequence[str], start: int) -> bool:
    return start > 0 and _BLANK.fullmatch(rows[start - 1]) is not None


def _blocks(nodes: Sequence[SyntaxTreeNode], rows: Sequence[str], width: int) -> list[Text]:
    """Blocks under each other; the blank lines between them are those of the source, one at most."""
    out: list[Text] = []
    for node in nodes:
        if out and _blank_above(rows, _span(node)[0]):
            out.append(Text(""))
        out.extend(_block(node, rows, max(width, 4)))
    return out


def _block(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    kind = _KINDS.get(node.type)
    return kind(node, rows, width) if kind else wrapped(Text(visible(node.content)), width)


def _paragraph(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    return [line for child in node.children for line in wrapped(inline(child), width)]


def _heading(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    style = _HEADINGS.get(node.tag, "bold dim")
    return [line for child in node.children for line in wrapped(inline(child, style), width)]


def _quote(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    return indented(_blocks(node.children, rows, width - 2), "│ ", "│ ", "dim")


def _code(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    words = node.info.split()
    code = node.content.removesuffix("\n").split("\n")
    lines = code_lines(words[0] if words else "", code)
    return indented([part for line in lines for part in folded(line, width - 2)], "  ", "  ")


def _list(node: SyntaxTreeNode, rows: Sequence[str], width: int) -> list[Text]:
    out: list[Text] = []
    number = None
    for item in node.children:
        if out and _blank_above(rows, _span(item)[0]):
            out.append(Text(""))
        if item.info.isdigit():
            number = int(item.info) if number is None else number + 1
        out.extend(_item(item, rows, width, number))
    return out


def _item(item: SyntaxTreeNode, rows: Sequence[str], width: int, number: int | None) -> list[Text]:
    mark = "• " if number is None else f"{number}{item.markup} "
    body = _blocks(item.children, rows, width - len(mark)) or [Text("")]
    return indented(body, mark, " " * len(mark))


_KINDS: Mapping[str, Callable[[SyntaxTreeNode, Sequence[str], int], list[Text]]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": _quote,
    "fence": _code,
    "code_block": _code,
    "table": lambda node, rows, width: table_lines(node, width),
    "hr": lambda node, rows, width: [Text("─" * min(width, 24), style="dim")],
}

"""Tables: laid out in columns, or as records where the screen is too narrow for columns."""

from __future__ import annotations

from typing import Literal

from markdown_it.tree import SyntaxTreeNode
from rich import box
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from agentmem.terminal.inline import inline, ruler, wrapped

_NARROWEST = 8  # cells a column needs to be read


def table_lines(node: SyntaxTreeNode, width: int) -> list[Text]:
    """A Markdown table as lines of at most `width` cells."""
    rows = [row.children for part in node.children for row in part.children]
    heads, body = [inline(cell.children[0], "bold") for cell in rows[0]], rows[1:]
    cells = [[inline(cell.children[0]) for cell in row] for row in body]
    if len(heads) > 1 and width // len(heads) < _NARROWEST:
        return _records(heads, cells, width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, border_style="dim")
    for head, cell in zip(heads, rows[0], strict=True):
        table.add_column(head, justify=_justify(cell), overflow="fold")
    for row in cells:
        table.add_row(*row)
    options = ruler().options.update(width=width)
    return [_line(segments) for segments in ruler().render_lines(table, options, pad=False)]


def _records(heads: list[Text], rows: list[list[Text]], width: int) -> list[Text]:
    out: list[Text] = []
    for row in rows:
        if out:
            out.append(Text(""))
        for head, cell in zip(heads, row, strict=True):
            out.extend(wrapped(Text.assemble(head, ": ", cell), width))
    return out


def _justify(cell: SyntaxTreeNode) -> Literal["left", "center", "right"]:
    match str(cell.attrs.get("style", "")):
        case "text-align:right":
            return "right"
        case "text-align:center":
            return "center"
        case _:
            return "left"


def _line(segments: list[Segment]) -> Text:
    line = Text.assemble(*((part.text, part.style or "") for part in segments))
    line.rstrip()
    return line

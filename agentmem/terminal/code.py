"""Code: lines coloured by their language, in the terminal's own sixteen colours."""

from __future__ import annotations

from collections.abc import Sequence

from rich.syntax import Syntax
from rich.text import Text

from agentmem.domain.visible import visible

# What is beyond stays plain: colouring starts again from the top for every few new lines of a growing fence.
_COLOURED_LINES = 400
_COLOURED_WIDTH = 500


def code_lines(language: str, code: Sequence[str], start: int = 0) -> list[Text]:
    """The lines of `code` from `start` on, coloured as their place in the whole asks; tabs are four columns."""
    if not language or start >= _COLOURED_LINES:
        return [Text(_plain(line)) for line in code[start:]]
    head = [_plain(line) for line in code[:_COLOURED_LINES]]
    rest = [Text(_plain(line)) for line in code[_COLOURED_LINES:]]
    coloured = _coloured(language, head)
    return [*coloured[start:], *rest]


def _coloured(language: str, head: list[str]) -> list[Text]:
    if all(len(line) <= _COLOURED_WIDTH for line in head):
        text = Syntax("", language, theme="ansi_dark", background_color="default").highlight("\n".join(head))
        lines = list(text.split("\n", allow_blank=True))[: len(head)]
        # A lexer may drop or add a character; then it colours nothing, for the text counts.
        if [line.plain for line in lines] == head:
            return lines
    return [Text(line) for line in head]


def _plain(line: str) -> str:
    return visible(line).expandtabs(4)

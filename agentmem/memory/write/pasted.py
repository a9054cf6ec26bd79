"""Pasted: the lines of a message that look like output, a patch, a table or a document, not like its writer's words.

Fences and block quotes say so themselves; most of what is pasted does not. A line that is taken for pasted and is not
costs a question to the person.
"""

from __future__ import annotations

import re

# What these begin goes on to the next blank line.
_BEGINS = re.compile(
    r"\s*(?:[$%❯] \S|[\w.-]+@[\w.-]+:\S*[$#] \S|PS [A-Za-z]:\\|Traceback \(most recent call last\)|diff --git |"
    r"@@ -|--- a/|commit [0-9a-f]{7,40}\b)"
)
_ALONE = re.compile(
    r"\s*(?:\+(?:\s|\+\+ )|\||\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|"
    r"\[\d\d:\d\d(?::\d\d)?\]|[\w./-]+\.\w+:\d+:|at \S+ \(\S+:\d+)"
)
_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,}|<{5,}.*|>{5,}.*)\s*")
_OPEN = re.compile(r"\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>\s*")
_CLOSE = re.compile(r"\s*</([A-Za-z][\w-]*)>\s*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?[0-9a-z]{1,3}[.)])\s")
_INDENTED = re.compile(r"(?: {4}|\t)")


def without(text: str) -> str:
    """The text with blank lines for those that were pasted."""
    lines = text.split("\n")
    ends = _blocks(lines)
    out: list[str] = []
    until, block, blank = -1, False, True
    for at, line in enumerate(lines):
        until = ends.get(at, until)
        empty = not line.strip()
        block = not empty and (block or _BEGINS.match(line) is not None or (blank and _is_code(line)))
        pasted = at <= until or block or _ALONE.match(line) is not None
        out.append("" if pasted else line)
        blank = empty
    return "\n".join(out)


def _is_code(line: str) -> bool:
    """Whether a line behind a blank one is set in, as Markdown has its code."""
    return _INDENTED.match(line) is not None and _ITEM.match(line) is None


def _blocks(lines: list[str]) -> dict[int, int]:
    """First and last line of what stands between two rules, or between a tag and its end."""
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
    found = dict(zip(rules[::2], rules[1::2], strict=False))
    closing: dict[str, int] = {}
    for at in reversed(range(len(lines))):
        if tag := _CLOSE.fullmatch(lines[at]):
            closing[tag[1]] = at
        elif (tag := _OPEN.fullmatch(lines[at])) and tag[1] in closing:
            found[at] = max(found.get(at, at), closing[tag[1]])
    return found

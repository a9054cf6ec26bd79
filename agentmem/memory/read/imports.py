"""Imports: the ``@path`` words of an instruction file, outside code."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_WORD = re.compile(r"(?:(?<=\s)|^)@(\S+)")
_TRAILING = ".,;:!?)]}>\"'*_"
_PATHLIKE = re.compile(r"^(?:\.{1,2}/|~/|/)|\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$", re.IGNORECASE)


def targets(text: str) -> list[str]:
    """What the text imports, each once, in order. Half of all such words are no imports (`@org/package`, people):
    whether one is shows when its file is there."""
    found: dict[str, None] = {}
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        elif "@" in line:
            for word in _WORD.findall(_SPAN.sub(" ` ", line)):
                if target := word.rstrip(_TRAILING):
                    found[target] = None
    return list(found)


def looks_like_a_file(target: str) -> bool:
    """True when a missing target is worth a note."""
    return _PATHLIKE.search(target) is not None


def only_imports(text: str) -> bool:
    """True when the text says nothing beside its imports."""
    return not _WORD.sub("", text).strip()

"""Trimming: of a written summary the lines that name the most for their length, where there is no room for all."""

from __future__ import annotations

from agentmem.memory.manage.compact.receipt import Ground

SHARES = (0.0, 0.25, 0.5, 0.75)
"""Of a text's lines, that are let go at first, and while too much of what it should name has no room."""


def trimmed(text: str, of: Ground, share: float) -> str:
    """The text without `share` of its lines (headings and the first line aside), those first that name the least of the
    span's salient identifiers for their length. What they named is left to the completion, which says it in less."""
    lines = text.split("\n")
    names = [one.text for one in of.salient.every]
    worth: list[tuple[float, int]] = []
    for at, line in enumerate(lines):
        if at and line.strip() and not line.lstrip().startswith("#"):
            worth.append((sum(len(name) for name in names if name in line) / len(line), at))
    gone = {at for _, at in sorted(worth)[: int(share * len(worth))]}
    return "\n".join(line for at, line in enumerate(lines) if at not in gone)

"""Contained: the pieces of a name that are names themselves, so that they need not be told beside it."""

from __future__ import annotations

from collections.abc import Iterator

_DEEPEST = 24
"""Parts of a path that are looked at; of a longer one the last."""


def pieces(name: str) -> Iterator[str]:
    """The ends, the directories and the parts of a path, a URL or a dotted name, the whole left out; some of them may
    be no name at all, and one may come twice."""
    if "/" in name:
        parts = name.split("/")[-_DEEPEST:]
        for at in range(1, len(parts)):
            yield "/".join(parts[at:])
            head = "/".join(parts[:at])
            yield head
            yield f"{head}/"
        for part in parts:
            yield part
            yield from _dotted(part)
    else:
        yield from _dotted(name)


def _dotted(name: str) -> Iterator[str]:
    parts = name.split(".")
    if 1 < len(parts) <= _DEEPEST:
        yield from parts
        for at in range(1, len(parts) - 1):
            yield ".".join(parts[at:])
            yield ".".join(parts[: at + 1])

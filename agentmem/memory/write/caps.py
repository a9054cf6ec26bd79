"""Caps: sections of MEMORY.md with a cap, which are always shown whole and therefore must stay small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def cap(section: str, caps: Mapping[str, int]) -> int | None:
    """How many characters a section may hold, None without a cap; headings are told apart without their case."""
    return next((most for name, most in caps.items() if name.casefold() == section.casefold()), None)


def used(texts: Iterable[str]) -> int:
    """How many characters these beliefs take: each with the ``- `` before it and the line end after it."""
    return sum(len(text) + 3 for text in texts)


def full(section: str, texts: Iterable[str], new: str, caps: Mapping[str, int]) -> str | None:
    """Why `new` has no room in a section that holds `texts`, and what to do; None where it has."""
    most = cap(section, caps)
    if most is None:
        return None
    taken, more = used(texts), used([new])
    if taken + more <= most:
        return None
    return (
        f"not stored: {section} is capped at {most:,} characters, {taken:,} of {most:,} are used and this takes "
        f"{more:,}; merge or remove lines there, say it shorter, or raise memory.blocks.{section} in config.yaml"
    )

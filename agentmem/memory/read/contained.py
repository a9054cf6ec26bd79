"""Contained: the pieces of a name that are names themselves, so that they need not be told beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agentmem.memory.read.kinds import Memo, named

_DEEPEST = 12
"""Parts of a path that are looked at; of a longer one the last."""


def within(names: Iterable[tuple[str, bool]], memo: Memo) -> Mapping[str, tuple[str, ...]]:
    """Of each name the others that stand in it. A name comes with whether it is a text that names things (a command),
    and `memo` is that of what was read."""
    all_ = dict(names)
    found: dict[str, tuple[str, ...]] = {}
    for name, text in all_.items():
        parts = [part for _, part in named(name, memo)] if text else [name]
        inner = dict.fromkeys(piece for part in parts for piece in (part, *pieces(part)) if piece in all_)
        inner.pop(name, None)
        if inner:
            found[name] = tuple(inner)
    return found


def pieces(name: str) -> Iterator[str]:
    """The runs of parts of a path, a URL or a dotted name, the whole left out; some of them may be no name at all, and
    one may come twice."""
    if "/" in name:
        parts = name.split("/")[-_DEEPEST:]
        for run in _runs(parts, "/"):
            yield run
            yield f"{run}/"
        for part in parts:
            yield from _dotted(part)
    elif "." in name:
        yield from _dotted(name)


def _dotted(name: str) -> Iterator[str]:
    return _runs(name.split(".")[-_DEEPEST:], ".")


def _runs(parts: list[str], sign: str) -> Iterator[str]:
    count = len(parts)
    for start in range(count):
        for end in range(start + 1, count + (start > 0)):
            yield sign.join(parts[start:end])

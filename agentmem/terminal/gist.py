"""Gist: a tool call, its length and its numbers in a few words for a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agentmem.domain.message import Usage
from agentmem.domain.visible import visible

Arguments = Mapping[str, Any]


def _path(arguments: Arguments) -> str:
    where = _word(arguments, "path") or "."
    return f"{where}:{offset}" if isinstance(offset := arguments.get("offset"), int) else where


def _search(arguments: Arguments) -> str:
    where = _word(arguments, "path")
    return _word(arguments, "pattern") + (f"  in {where}" if where else "")


_GISTS: Mapping[str, Callable[[Arguments], str]] = {
    "bash": lambda arguments: _word(arguments, "command"),
    "read": _path,
    "write": _path,
    "edit": _path,
    "ls": _path,
    "grep": _search,
    "find": _search,
    "remember": lambda arguments: _word(arguments, "text"),
    "forget": lambda arguments: _word(arguments, "query"),
    "task": lambda arguments: _word(arguments, "prompt"),
}


def gist(tool: str, arguments: Arguments) -> str:
    """What a call is about: the whole command, the path, the pattern, or else its arguments as JSON."""
    text = _GISTS[tool](arguments) if tool in _GISTS else ""
    if not text and arguments:
        text = json.dumps(dict(arguments), ensure_ascii=False, default=str)
    return visible(text)


def first_line(text: str) -> str:
    """The first line, and how many more there are."""
    lines = text.strip("\n").split("\n")
    return lines[0] if len(lines) == 1 else f"{lines[0]} … +{counted(len(lines) - 1, 'line')}"


def counted(number: int, noun: str) -> str:
    """``1 line``, ``14 lines``, ``1,204 lines``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def spell(seconds: float) -> str:
    """A length of time: ``4 ms``, ``1.2 s``, ``14 s``, ``3 min 5 s``."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def tokens(number: int) -> str:
    """A number of tokens: ``950``, ``12.3k``, ``1.2M``."""
    if number < 1000:
        return str(number)
    if number < 999_950:
        return f"{number / 1000:.1f}k".replace(".0k", "k")
    return f"{number / 1_000_000:.1f}M".replace(".0M", "M")


def bill(usage: Usage, cost: float | None) -> str:
    """Tokens and cost: ``12.3k in (8.1k cached) · 1.2k out · $0.0123``; a cost that is not known is left out."""
    cached = f" ({tokens(usage.cached)} cached)" if usage.cached else ""
    text = f"{tokens(usage.input)} in{cached} · {tokens(usage.output)} out"
    return text if cost is None else f"{text} · ${cost:.4f}"


def _word(arguments: Arguments, key: str) -> str:
    value = arguments.get(key)
    return value if isinstance(value, str) else ""

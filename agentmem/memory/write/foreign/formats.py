"""Formats: the tools whose logs can be read, each told by what only its records have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.memory.write.foreign import claude_code, codex, pi
from agentmem.memory.write.foreign.draft import Reader


@dataclass(frozen=True, slots=True)
class Format:
    """A tool's log: its name, whether a record can only be one of its, and its reader."""

    name: str
    recognise: Callable[[Mapping[str, Any]], bool]
    read: Reader


FORMATS: tuple[Format, ...] = (
    Format("claude-code", claude_code.recognise, claude_code.read),
    Format("codex", codex.recognise, codex.read),
    Format("pi", pi.recognise, pi.read),
)


def named(name: str) -> Format:
    """The format of that name. Raises `KeyError`."""
    return {one.name: one for one in FORMATS}[name]


def is_own(value: Mapping[str, Any]) -> bool:
    """Whether a record is the header of agentmem's own log, which is a session already."""
    return value.get("type") == "session" and "agentmem" in value


def told(values: Iterable[Mapping[str, Any]]) -> Format | None:
    """The format of the first record that can be of one alone; None where there is none."""
    return next((one for value in values for one in FORMATS if one.recognise(value)), None)

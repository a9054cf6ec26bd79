"""Narrative: raw entries that leave the prompt, and what is told in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.entry import Entry


@dataclass(frozen=True, slots=True)
class Leaving:
    """Raw entries to be told in a summary, none of them struck; `first` is the number of the first entry kept after
    them, `pinned` are those before it that stay; the live segments before them as the log lists them; and the most
    tokens that the summary may take, None for as many as such a span allows."""

    first: int
    pinned: tuple[Entry, ...]
    entries: tuple[Entry, ...]
    segments: tuple[Mapping[str, Any], ...]
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Narrative:
    """What was told in place of a span: the form, the text, its segment as the log lists it (None: it is none), the
    frontier, what binds the work, more keys of the entry (receipt, archive, fault, calls), and whether what is carried
    of the work's progress is to be read off the log anew."""

    form: str
    text: str
    segment: Mapping[str, Any] | None
    frontier: str = ""
    limits: Sequence[str] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of what is told before the prompt, to be told anew from its raw entries: the number of its segment among
    the live ones, None for the stand-in of what no accepted summary covers yet."""

    leaving: Leaving
    number: int | None

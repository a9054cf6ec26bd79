"""Identifiers: the names in a span that must survive byte for byte, found by rules in linear time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agentmem.domain.entry import Entry

Kind = Literal["path", "command", "hash", "number", "url", "host", "error", "decision"]
KINDS: tuple[Kind, ...] = ("decision", "path", "command", "error", "hash", "number", "url", "host")


@dataclass(frozen=True, slots=True)
class Identifier:
    """One name: `text` as it stands in the span; `count` of the entries it stands in; `last` is the place (from 0) in
    the span of the last of them."""

    kind: Kind
    text: str
    count: int
    last: int


@dataclass(frozen=True, slots=True)
class Salient:
    """The salient identifiers of a span, by kind, in the order in which they first stand there."""

    found: Mapping[Kind, tuple[Identifier, ...]]


def salient(entries: Sequence[Entry]) -> Salient:
    """What in these entries must survive: in user words, in assistant prose, in successful writes and commands, or
    named twice."""
    raise NotImplementedError

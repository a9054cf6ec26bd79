"""The receipt: how much of a span's salient identifiers a summary holds byte for byte, which it lost, which it made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.read.identifiers import Kind


@dataclass(frozen=True, slots=True)
class Count:
    """Of one kind: how many are salient in the span, how many survive, and those that do not, the weightiest first."""

    salient: int
    kept: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a summary kept of its span. `span` is the SHA-256 of the span's entries, each as its JSON line; `before` and
    `after` are tokens. `must` are the missing ones whose floor is 1.0 (decisions, changed files, failing checks)."""

    span: str
    kinds: Mapping[Kind, Count]
    must: tuple[str, ...]
    invented: tuple[str, ...]
    before: int
    after: int

    @property
    def survival(self) -> float:
        """The share of all salient identifiers that survive; 1.0 where there are none."""
        raise NotImplementedError

    @property
    def passed(self) -> bool:
        """Whether it is over both floors and nothing is invented."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The form in a compaction entry's `receipt`."""
        raise NotImplementedError


def receipt(span: Sequence[Entry], text: str, known: str = "") -> Receipt:
    """The receipt of a summary `text` of `span`. Identifiers that stand in `known` (instructions, the focus) are not
    invented either."""
    raise NotImplementedError

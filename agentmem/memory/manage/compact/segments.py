"""Segments: summaries of neighbouring spans; when they outgrow their share two are made again from their raw spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.memory.manage.compact.summary import Ask, Job, Summary

SHARE = 0.15
"""Of the window, for all segments together."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A live segment: `entry` is the compaction entry that holds its text; `first` and `last` are the ids of the ends of
    its own span; `records` and `span_tokens` measure the span, `tokens` the text; `level` is how often its oldest
    record was summarised again (0: once)."""

    entry: str
    first: str
    last: str
    records: int
    span_tokens: int
    tokens: int
    level: int = 0

    def to_json(self) -> dict[str, Any]:
        """The form in a snapshot's `segments`; an `offset` may be put beside it."""
        raise NotImplementedError

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Segment | None:
        """Read what a snapshot lists, None for what is none."""
        raise NotImplementedError


def outgrown(segments: Sequence[Segment], window: int) -> tuple[Segment, Segment] | None:
    """The two neighbours to make again, None while all fit their share of the window."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Remaking:
    """Two neighbours on their way to be one: `jobs` are the chunks of their raw spans, `done` the summaries of the first
    of them. The old segments stand until `summary` gives the new one."""

    pair: tuple[Segment, Segment]
    jobs: tuple[Job, ...]
    done: tuple[Summary, ...] = ()

    def step(self, ask: Ask | None) -> Remaking:
        """One more chunk done, with at most one ask: one step per idle moment."""
        raise NotImplementedError

    @property
    def summary(self) -> Summary | None:
        """The chunks' summaries side by side once all are done, else None. Its receipt is of the whole span."""
        raise NotImplementedError


def remake(pair: tuple[Segment, Segment], whole: Job) -> Remaking:
    """Begin to make two neighbours again; the span of `whole` is the raw span of both."""
    raise NotImplementedError

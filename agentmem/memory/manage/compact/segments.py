"""Segments: summaries of neighbouring spans; when they outgrow their share two are made again from their raw spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.receipt import Receipt, ground, receipt, tokens_of
from agentmem.memory.manage.compact.retelling import chunks
from agentmem.memory.manage.compact.summary import Ask, Job, Summary, summarise
from agentmem.memory.read.weight import BYTES_A_TOKEN

SHARE = 0.15
"""Of the window, for all segments together."""
ONE_SHARE = SHARE / 3
"""Of the window, for a new segment at most: then there is room for those of all levels."""
SHRINKS = 0.3
"""Of the tokens of two segments, for the one that is made of them. Each level is then 0.6 times as long as the one
below, and one of each level adds up to 2.5 times the first, however long a session is."""
LEAST = 100
"""Tokens of a chunk's summary under which no model is asked for it, and of a segment where the window is not small."""
_CHUNK_SHARE = 0.5  # of the window, for the record in one call
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Segment:
    """A live segment: `entry` is the compaction entry that holds its text; `first` and `last` are the ids of the ends
    of its own span; `records` and `span_tokens` measure the span, `tokens` the text; `level` is how often its oldest
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
        return {
            "entry": self.entry,
            "first": self.first,
            "last": self.last,
            "records": self.records,
            "span_tokens": self.span_tokens,
            "tokens": self.tokens,
            "level": self.level,
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Segment | None:
        """Read what a snapshot lists, None for what tells of no span (another tool's, or one of an older form)."""
        texts = [value.get(key) for key in ("entry", "first", "last")]
        numbers = [value.get(key, 0) for key in ("records", "span_tokens", "tokens", "level")]
        if not all(isinstance(text, str) and text for text in texts):
            return None
        if not all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers):
            return None
        return Segment(*texts, *numbers)  # type: ignore[arg-type]  # the two loops above have looked at each


def outgrown(segments: Sequence[Segment], window: int) -> tuple[Segment, Segment] | None:
    """The two neighbours to make again, None while all fit their share of the window.

    Neighbours of one level go first, the oldest of the lowest level: so a record moves up a level each time, and over n
    segments it is summarised about log2(n) times. Where no two are of one level, the two with the smallest spans.
    """
    if len(segments) < 2 or sum(one.tokens for one in segments) <= window * SHARE:
        return None
    pairs = list(pairwise(segments))
    alike = [pair for pair in pairs if pair[0].level == pair[1].level]
    if alike:
        return min(alike, key=lambda pair: pair[0].level)
    return min(pairs, key=lambda pair: pair[0].span_tokens + pair[1].span_tokens)


def length(pair: tuple[Segment, Segment], window: int) -> int:
    """Tokens for the one segment that is made of two."""
    return max(int((pair[0].tokens + pair[1].tokens) * SHRINKS), min(LEAST, int(window * SHARE / 20)), 1)


@dataclass(frozen=True, slots=True)
class Remaking:
    """Two neighbours on their way to be one: `jobs` are the chunks of their raw spans, `done` the summaries of the
    first of them. The old segments stand until `summary` gives the new one. `failures` counts those of the chunk that
    is next."""

    pair: tuple[Segment, Segment]
    jobs: tuple[Job, ...]
    done: tuple[Summary, ...] = ()
    failures: int = 0

    @property
    def finished(self) -> bool:
        """Whether all chunks are done."""
        return len(self.done) == len(self.jobs)

    def step(self, ask: Ask | None) -> Remaking:
        """One more chunk done, with at most one ask: one step per idle moment. A chunk whose ask fails is tried once
        more at the next step, then made by rule; one whose share is under 100 tokens is made by rule at once."""
        if self.finished:
            return self
        job = self.jobs[len(self.done)]
        asking = ask if (job.budget or 0) >= LEAST and self.failures < _TRIES else None
        made = summarise(job, asking)
        if asking is not None and (not isinstance(made, Summary) or made.outcome == "ruled"):
            failed = replace(self, failures=self.failures + 1)
            return failed if failed.failures < _TRIES else failed.step(None)
        if not isinstance(made, Summary):  # a chunk that says nothing, or next to nothing
            made = Summary("", receipt(ground(job.span), ""), "ruled", 0, 0)
        return replace(self, done=(*self.done, made), failures=0)

    @property
    def summary(self) -> Summary | None:
        """The chunks' summaries side by side once all are done, else None. Its receipt is of the whole span."""
        if not self.finished:
            return None
        text = "\n\n".join(one.text for one in self.done if one.text)
        told = _receipt(tuple(entry for job in self.jobs for entry in job.span), text)
        written = all(one.outcome == "accepted" for one in self.done)
        calls = sum(one.calls for one in self.done)
        return Summary(text, told, "accepted" if written else "ruled", calls, tokens_of(text))

    def segment(self, entry: str) -> Segment | None:
        """The segment that takes the place of the two, its text held by the compaction entry of this id; None until
        all is done."""
        made = self.summary
        if made is None:
            return None
        one, two = self.pair
        records, span = one.records + two.records, one.span_tokens + two.span_tokens
        return Segment(entry, one.first, two.last, records, span, made.tokens, max(one.level, two.level) + 1)


def remake(pair: tuple[Segment, Segment], whole: Job) -> Remaking:
    """Begin to make two neighbours again; the span of `whole` is the raw span of both. Each chunk gets its share of the
    new length by the tokens of its own span; where that would be too little to say anything, neighbouring chunks are
    taken together. A failed chunk leaves no archive file, for the old segments stand."""
    tokens = length(pair, whole.window)
    parts = [entries for entries, _ in chunks(whole.span, max(2_000, int(whole.window * _CHUNK_SHARE * BYTES_A_TOKEN)))]
    parts = _joined(parts, max(1, tokens // LEAST))
    sizes = [max(1, ground(entries).before) for entries in parts]
    jobs = [
        replace(whole, span=entries, archive=None, budget=max(1, tokens * size // sum(sizes)), calls=1, strict=True)
        for entries, size in zip(parts, sizes, strict=True)
    ]
    return Remaking(pair, tuple(jobs))


def _joined(parts: Sequence[tuple[Entry, ...]], most: int) -> list[tuple[Entry, ...]]:
    """Neighbouring chunks put together until there are so many at most: in a few tokens a chunk says nothing."""
    width = -(-len(parts) // most)
    rows = (parts[at : at + width] for at in range(0, len(parts), width))
    return [tuple(entry for part in row for entry in part) for row in rows]


def _receipt(span: tuple[Entry, ...], text: str) -> Receipt:
    return receipt(ground(span), text)

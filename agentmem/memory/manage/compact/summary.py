"""Summary: a span told in text by a model, checked against what it replaces, else told by rule with the span archived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Reply
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact.receipt import Receipt

Outcome = Literal["accepted", "ruled"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What an ask gave: a `reply`, or None with the `fault` in words; `too_long` when the provider said that the
    prompt does not fit its window."""

    reply: Reply | None
    fault: str = ""
    too_long: bool = False


Ask = Callable[[Prompt], Answered]
"""Asks the model once, without tools; retries of a lost connection are the caller's, inside one ask. It must not raise
for what a provider or a network does; `Interrupted`-like exceptions of the person may pass through: then nothing was
changed."""


@dataclass(frozen=True, slots=True)
class Job:
    """A span to summarise and what it is done with.

    `span` are entries of one branch, root first, whole steps (no call without its result where there is one). `window`
    is in tokens, of the model that is asked. `focus` is what the person gave with ``--focus``; `compact` the
    ``### Compact Instructions`` of AGENT.md (see `compact_instructions`); `instructions` the instruction files' texts.
    `budget` is how many tokens the text may take, None for `allowance(span)`. At most `calls` asks are made. A failed
    span goes to ``archive/<session>/``.
    """

    session: str
    span: tuple[Entry, ...]
    archive: Path
    window: int
    focus: str = ""
    compact: str = ""
    instructions: tuple[str, ...] = ()
    budget: int | None = None
    calls: int = 2


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary that may stand for its span. `outcome` is ``accepted`` when a model wrote it and it was checked (it may
    be completed by rule), ``ruled`` when it is made by rule alone; then `fault` says why ("" where no model was to be
    asked) and `archive` is the file that holds the span whole. `calls` counts asks; `tokens` is an estimate of `text`.
    """

    text: str
    receipt: Receipt
    outcome: Outcome
    calls: int
    tokens: int
    archive: Path | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing may be removed: the span says nothing, or neither summary nor archive could be made; `reason` is for the
    person."""

    reason: str
    calls: int = 0


def summarise(job: Job, ask: Ask | None) -> Summary | Refusal:
    """Summarise a span: one ask, one more with what is missing, then completion by rule. With `ask` None the summary is
    made by rule. Does not raise for a full disk or a failing model."""
    raise NotImplementedError


def allowance(span: Sequence[Entry]) -> int:
    """How many tokens a summary of this span may take: 4 % of the span's, 300 at least."""
    raise NotImplementedError


def compact_instructions(profile: str) -> str:
    """The text of the section ``### Compact Instructions`` (any level) of an AGENT.md; "" where it has none."""
    raise NotImplementedError

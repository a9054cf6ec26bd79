"""Narrating: a span that leaves the prompt, told in text: summarised and checked, with its segment and the frontier."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact import frontier
from agentmem.memory.manage.compact.cutting import frontier_most
from agentmem.memory.manage.compact.narrative import Leaving, Narrative
from agentmem.memory.manage.compact.segments import ONE_SHARE, Remaking, Segment
from agentmem.memory.manage.compact.summary import Ask, Job, Refusal, Summary, allowance, summarise
from agentmem.memory.read import weight
from agentmem.memory.read.actions import Actions, limits


@dataclass(frozen=True, slots=True)
class Brief:
    """How spans are told: the session, where failed ones are archived (None: nowhere) and the `root` that paths are
    told from, the window in tokens, what gives the actions of the whole branch, what the person wants kept (`focus`),
    the project's own order (`compact`), the texts of the instruction files, and how many calls may be made."""

    session: str
    archive: Path | None
    root: Path
    window: int
    progress: Callable[[], Actions]
    focus: str = ""
    compact: str = ""
    instructions: tuple[str, ...] = ()
    calls: int = 2

    def job(self, span: Sequence[Entry], most: int | None = None) -> Job:
        """The job of telling a span, in at most so many tokens."""
        most = max(min(round(ONE_SHARE * self.window), most or self.window), 1)
        return Job(
            session=self.session,
            span=tuple(span),
            archive=self.archive,
            window=self.window,
            focus=self.focus,
            compact=self.compact,
            instructions=self.instructions,
            budget=min(allowance(span), most),
            calls=self.calls,
        )


def tell(leaving: Leaving, brief: Brief, ask: Ask | None) -> Narrative | Refusal:
    """What stands for a span that leaves; `ask` None: made by rule."""
    made = summarise(brief.job(leaving.entries, leaving.most), ask)
    if isinstance(made, Refusal):
        return made
    return written(made, leaving.entries, brief)


def written(made: Summary, span: Sequence[Entry], brief: Brief) -> Narrative:
    """A summary as a snapshot holds it; only an accepted one is a segment."""
    accepted = made.outcome == "accepted"
    receipt = made.receipt
    segment = Segment("", span[0].id, span[-1].id, len(span), receipt.before, made.tokens)
    more: dict[str, Any] = {"receipt": receipt.to_json(), "calls": made.calls}
    more |= {"archive": os.path.relpath(made.archive, brief.root)} if made.archive is not None else {}
    more |= {"fault": made.fault} if made.fault else {}
    return Narrative(
        "summary" if accepted else "window",
        made.text,
        segment.to_json() if accepted else None,
        standing(brief),
        limits(span),
        more,
    )


def standing(brief: Brief) -> str:
    """Where the work stands, of the whole branch."""
    return frontier.told(brief.progress(), round(frontier_most(brief.window) * weight.BYTES_A_TOKEN))


def remade(done: Remaking, brief: Brief) -> Narrative | None:
    """Two neighbours made again, as a snapshot holds them; None while that is not done, or where it says nothing."""
    summary, segment = done.summary, done.segment("")
    if summary is None or segment is None or not summary.text.strip():
        return None
    span = [entry for job in done.jobs for entry in job.span]
    return replace(written(summary, span, brief), form="summary", segment=segment.to_json(), limits=())

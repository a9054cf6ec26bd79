"""Reviewing: what waits for the person's word, in words for them, and what they decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmem.domain.claim import Verdict
from agentmem.domain.desk import Desk
from agentmem.domain.obstacle import NotWaiting
from agentmem.domain.telling import told_whole
from agentmem.domain.visible import visible
from agentmem.memory.memory import oversight

if TYPE_CHECKING:
    from agentmem.memory.oversight import Waiting


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The queue at a desk, in a person's hands."""

    desk: Desk

    def listed(self) -> list[Waiting]:
        """What waits, the oldest first. Raises `OSError`."""
        return oversight.waiting(self.desk)

    def approve(self, called: str, text: str | None = None, why: str | None = None) -> Verdict:
        """Let a claim in on the person's word, as `text` where they changed it; a refused one goes on waiting. Raises
        `NotWaiting`, `MemoryBusy`, `OSError`."""
        return oversight.approve(self.desk, called, text, why)

    def reject(self, called: str, why: str | None = None) -> dict[str, Any]:
        """Turn a claim down; what is kept of it. Raises `NotWaiting`, `MemoryBusy`, `OSError`."""
        return dict(oversight.reject(self.desk, called, why))

    def text_of(self, called: str) -> str:
        """The words of a claim that waits. Raises `NotWaiting`, `OSError`."""
        found = [one for one in self.listed() if one.text("id").startswith(called)]
        found = [one for one in found if one.text("id") == called] or found
        if len(found) != 1:
            raise NotWaiting(f"nothing waits under {called!r}; `agentmem review` lists what does")
        return found[0].text("text")


def lines(one: Waiting) -> list[str]:
    """A claim that waits, for a person: what it says, whose word it is and why it waits, the diff it would make."""
    where = " ".join(part for part in (one.text("session"), one.text("entry")) if part)
    said_by = one.text("spoken_by") or one.text("principal")
    out = [
        f"{one.text('id')}  {one.text('category')}, the word of {one.text('principal')}",
        f"  {_line(one.text('text'))}",
        f"  from: {said_by}{f' ({where})' if where else ''}, {one.text('at')}",
    ]
    if one.text("quote"):
        out.append(f"  quote: “{_line(one.text('quote'))}”")
    out.append(f"  waits because: {_line(one.text('reason'))}")
    out += [f"  {row}" for row in would_lines(one)]
    return [visible(row) for row in out]


def would_lines(one: Waiting) -> list[str]:
    """What approving it would change."""
    if one.would.diff:
        return [f"would change {one.would.path}:", *(f"  {row}" for row in one.would.diff.split("\n"))]
    return [f"approving it would change nothing: {one.would.reason}"]


def table(found: Sequence[Waiting]) -> str:
    """All that waits, for a person."""
    if not found:
        return "nothing waits for you"
    hint = "agentmem review approve ID · agentmem review reject ID [--why TEXT] · agentmem review edit ID [TEXT]"
    return "\n\n".join([*("\n".join(lines(one)) for one in found), hint])


def settled(verdict: Verdict) -> str:
    """What approving came to, in a line, and below it the diff."""
    return visible(f"it goes on waiting: {verdict.reason}" if verdict.outcome == "refused" else told_whole(verdict))


def _line(text: str) -> str:
    return " ".join(text.split())

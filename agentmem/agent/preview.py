"""Preview: what a compaction would do, form by form, and what its receipt would say; nothing is written or asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmem.agent import room as rooms
from agentmem.agent.amends import wanted
from agentmem.agent.relief import brief
from agentmem.domain.visible import visible
from agentmem.memory.memory import shortening

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be done: `used` of `window` tokens now, the `target`, each recoverable form with its targets' names
    and the tokens it frees, and what leaves (None: nothing): messages, tokens, and the receipt by rule."""

    used: int
    window: int
    target: int
    changes: tuple[tuple[str, tuple[str, ...], int], ...]
    leaves: Mapping[str, Any] | None
    after: int

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        changes = [{"form": form, "results": list(names), "tokens": tokens} for form, names, tokens in self.changes]
        return {
            "used": self.used,
            "window": self.window,
            "target": self.target,
            "changes": changes,
            "leaves": self.leaves,
            "after": self.after,
        }

    def lines(self) -> Iterator[str]:
        """For people."""
        yield f"{self.used:,} of {self.window:,} tokens are in use; the aim is {self.target:,}"
        for form, names, tokens in self.changes:
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            yield visible(f"{form}: {', '.join(names[:_NAMED])}{more}; {tokens:,} tokens")
        if self.leaves is not None:
            yield from _leaves(self.leaves)
        if not self.changes and self.leaves is None:
            yield "nothing would leave the prompt"
        yield f"then about {self.after:,} tokens are in use; nothing was changed"


def preview(agent: Agent, focus: str) -> Preview:
    """Look at what `compact` would do. The summary is made by rule here, whoever would write it."""
    work = shortening.begin_compaction(agent.session, rooms.room(agent))
    aim = wanted(agent)
    plan = work.plan(aim)
    found = work.found
    changes = tuple((one.form, shortening.named(found, one), work.room.tokens(one.freed)) for one in plan.changes)
    leaves: dict[str, Any] | None = None
    after = plan.room.used
    if plan.cut is not None and (leaving := work.leaving(plan.cut)) is not None:
        told = shortening.tell(leaving, shortening.looking(brief(agent, focus)), None)
        count = sum(entry.type == "message" for entry in leaving.entries)
        leaves = {"messages": count, "tokens": plan.room.tokens(plan.cut.freed)}
        leaves |= {"first": leaving.entries[0].id, "last": leaving.entries[-1].id}
        if isinstance(told, shortening.Refusal):
            leaves["refused"] = told.reason
        else:
            leaves |= {"summary": told.text, "receipt": told.more["receipt"]}
            after -= leaves["tokens"] - plan.room.tokens(len(told.text.encode()) + len(told.frontier.encode()))
    return Preview(work.room.used, work.room.window, aim.target, changes, leaves, after)


def _leaves(leaves: Mapping[str, Any]) -> Iterator[str]:
    where = f"{leaves['first']} to {leaves['last']}"
    yield f"window: {leaves['messages']:,} messages leave ({where}); {leaves['tokens']:,} tokens"
    if "refused" in leaves:
        yield f"summary: none; {leaves['refused']}, so nothing would leave"
        return
    receipt = leaves["receipt"]
    told = f"{receipt['survival']:.0%} of what they name is in it"
    yield f"summary: by rule, of {receipt['tokens']['after']:,} tokens; {told}"
    for kind, count in receipt["kinds"].items():
        missing = ", ".join(count.get("missing", ())[:_NAMED])
        yield visible(f"  {kind}: {count['kept']} of {count['salient']}" + (f"; without {missing}" if missing else ""))

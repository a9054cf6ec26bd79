"""Votes, `.agent/votes.jsonl`: who found a belief confirmed or contradicted, one line a vote; at zero it expires.

{"at":"2026-11-30T09:14:03Z","fact":"m7f3a2c9d01b8","vote":"confirmed","by":"2026-11-30T09-02-11-4f2a"}

The counts stay out of the prompt's prefix and of the ledger, which only learns of changes of state.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem.memory.stores import folder, lines

BEGIN = 2
"""The support a belief begins with: one contradiction does not end it."""
MOST = 5

Ballot = Literal["confirmed", "contradicted"]


@dataclass(frozen=True, slots=True)
class Support:
    """How a belief stands: its support, from 0 to 5, and when it was last confirmed ("" for never)."""

    count: int = BEGIN
    confirmed_at: str = ""


def read(path: Path) -> dict[str, Support]:
    """The support of each belief that was voted on. A voter counts once a belief, with the last vote. Raises
    `OSError`."""
    if not path.exists():
        return {}
    last: dict[tuple[str, str], tuple[str, str]] = {}
    for _, line in lines.read(path)[0]:
        fact, by, vote, at = (line.get(key) for key in ("fact", "by", "vote", "at"))
        if isinstance(fact, str) and isinstance(by, str) and vote in ("confirmed", "contradicted"):
            last.pop((fact, by), None)
            last[fact, by] = (str(vote), at if isinstance(at, str) else "")
    found: dict[str, Support] = {}
    for (fact, _), (vote, at) in last.items():
        before = found.get(fact, Support())
        up = vote == "confirmed"
        count = min(MOST, max(0, before.count + (1 if up else -1)))
        found[fact] = Support(count, max(at, before.confirmed_at) if up else before.confirmed_at)
    return found


def cast(path: Path, fact: str, ballot: Ballot, by: str, at: str) -> Support:
    """Add a vote; gives the belief's support then. The caller holds the memory lock. Raises `OSError`."""
    folder.make_private(path.parent)
    folder.append_private(path, lines.dump(lines.sound({"at": at, "fact": fact, "vote": ballot, "by": by})))
    return read(path).get(fact, Support())

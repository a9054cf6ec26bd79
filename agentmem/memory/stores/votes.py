"""Votes, `.agent/votes.jsonl`: who found a belief confirmed or contradicted, one line a vote; at zero it expires.

{"at":"2026-11-30T09:14:03Z","fact":"m7f3a2c9d01b8","vote":"confirmed","by":"2026-11-30T09-02-11-4f2a"}

A line with the vote `ended` says that it did: what is written again later begins anew. The counts stay out of the
prompt's prefix and of the ledger, which only learns of changes of state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

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
    return _counted(_last(lines.read(path)[0]))


def cast(path: Path, fact: str, ballot: Ballot, by: str, at: str) -> Support:
    """Add a vote; gives the belief's support then. What the voter said last already is not written again. The caller
    holds the memory lock. Raises `OSError`."""
    last = _last(lines.read(path)[0]) if path.exists() else {}
    if last.get((fact, by), ("", ""))[0] != ballot:
        _append(path, {"at": at, "fact": fact, "vote": ballot, "by": by})
        last.pop((fact, by), None)
        last[fact, by] = (ballot, at)
    return _counted(last).get(fact, Support())


def end(path: Path, fact: str, at: str) -> None:
    """Say that a belief expired for want of support. The caller holds the memory lock. Raises `OSError`."""
    _append(path, {"at": at, "fact": fact, "vote": "ended"})


def _last(found: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[tuple[str, str], tuple[str, str]]:
    """By belief and voter the last vote with its time, in the order they were given."""
    last: dict[tuple[str, str], tuple[str, str]] = {}
    for _, line in found:
        fact, by, vote, at = (line.get(key) for key in ("fact", "by", "vote", "at"))
        if vote == "ended":
            last = {key: value for key, value in last.items() if key[0] != fact}
        elif isinstance(fact, str) and isinstance(by, str) and vote in ("confirmed", "contradicted"):
            last.pop((fact, by), None)
            last[fact, by] = (str(vote), at if isinstance(at, str) else "")
    return last


def _counted(last: Mapping[tuple[str, str], tuple[str, str]]) -> dict[str, Support]:
    found: dict[str, Support] = {}
    for (fact, _), (vote, at) in last.items():
        before = found.get(fact, Support())
        up = vote == "confirmed"
        count = min(MOST, max(0, before.count + (1 if up else -1)))
        found[fact] = Support(count, max(at, before.confirmed_at) if up else before.confirmed_at)
    return found


def _append(path: Path, vote: Mapping[str, Any]) -> None:
    folder.make_private(path.parent)
    folder.append_private(path, lines.dump(lines.sound(vote)))

"""Forgetting: words leave everything that is kept, once the person has seen where they stand; and how that is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem.agent.agent import Agent
from agentmem.domain.clock import Clock
from agentmem.domain.obstacle import StillOpen
from agentmem.domain.phrase import NoPhrase
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.domain.visible import visible
from agentmem.memory.memory import LogWriteError, Session, oversight
from agentmem.workspace.worktree import siblings

if TYPE_CHECKING:
    from agentmem.memory.oversight import Receipt, Sighting, Sightings, Wanted

MANY = 1_000
"""Places from which on a phrase stands in so much that a yes alone is not enough."""

_ROWS = 40
_EXPECTED = (NoPhrase, StillOpen, oversight.MemoryBusy, LogWriteError, OSError)


@dataclass(slots=True)
class Forgetting:
    """What is sought and forgotten in `places`. `agent` is this process's, if it has one; `tell` shows progress."""

    places: Places
    clock: Clock
    agent: Agent | None = None
    tell: Callable[[str], None] = field(default=lambda text: None)

    def __post_init__(self) -> None:
        others = tuple(Path(root) for root in siblings(str(self.places.root)))
        self.places = replace(self.places, others=others)

    def look(self, query: str) -> tuple[Wanted, Sightings]:
        """What `query` means and where it stands. Raises `NoPhrase`, `OSError`."""
        return oversight.sought(self.places, query, self.tell)

    def perform(self, wish: Wanted) -> Receipt:
        """Have it forgotten. Raises `StillOpen`, `MemoryBusy`, `LogWriteError`, `OSError`."""
        own: Session | None = self.agent.session if self.agent is not None else None
        try:
            return oversight.forget(wish, self.places, self.clock, own, self.tell)
        finally:
            if self.agent is not None:
                self.agent.rewound()  # what it knew of files may be of checkpoints that are gone
                if self.agent.keeper is not None:
                    self.agent.keeper.begin_anew()

    def preview(self, query: str) -> str:
        """Where it stands, for whoever is asked whether it may go."""
        try:
            wish, seen = self.look(query)
        except _EXPECTED as error:
            return str(error)
        return "\n".join(found_lines(wish, seen, self.places))

    def for_model(self, query: str) -> ToolResult:
        """Have it forgotten after the person said yes; what the model is told holds none of the words."""
        try:
            wish, seen = self.look(query)
            if not seen.found:
                return ToolResult("Nothing that is kept holds it.", error=True)
            receipt = self.perform(wish)
        except _EXPECTED as error:
            return ToolResult(f"Not forgotten: {error}", error=True)
        return ToolResult("\n".join(receipt_lines(receipt, self.places)), error=not receipt.done)


def broad(wish: Wanted, seen: Sightings) -> bool:
    """Whether so much would go that the person should say how many places they expect."""
    return seen.count > MANY or (wish.short and seen.count > 0)


def found_lines(wish: Wanted, seen: Sightings, places: Places) -> list[str]:
    """Where the words stand, before anything is changed."""
    words = " / ".join(f"“{_short(text)}”" for text in wish.texts)
    if not seen.found:
        return [f"nothing that is kept holds {words}", *_aside(seen, places)]
    lines = [f"{words}: {_counted(seen)}", *_rows(seen, places)]
    if seen.objects:
        lines.append("checkpoints that hold it are dropped whole: /rewind then cannot put those files back")
    if broad(wish, seen):
        lines.append(f"this is {'a short phrase' if wish.short else 'very much'}: look at the list before you agree")
    return [*lines, *_aside(seen, places)]


def receipt_lines(receipt: Receipt, places: Places) -> list[str]:
    """What was done and what was looked through again; nothing of the words themselves."""
    before, left = receipt.before, receipt.left
    lines = [f"forgotten: {_counted(before)}"]
    lines += _rows(before, places)
    if receipt.facts:
        lines.append(f"facts that are gone: {', '.join(receipt.facts)}")
    if receipt.done:
        lines.append(f"looked again at all {left.looked:,} files and {left.git:,} git objects: none of them holds it")
    else:
        lines.append("NOT all of it is gone:")
        lines += [*_rows(left, places), *(f"  {text}" for text in left.unreadable)]
        lines.append("mend what is named, then run this again")
    lines += _aside(left, places, before)
    in_git = any(os.path.lexists(folder / ".git") for folder in (places.root, *places.root.parents))
    if in_git and before.of("memory", "page", "ledger"):
        lines.append("if MEMORY.md, memory/ or .agent/handoff/ were ever committed, your own git still has it: ")
        lines.append("  `git log --all -S'…' -- MEMORY.md memory/ .agent/handoff/` finds it; agentmem never touches it")
    return lines


def to_json(seen: Sightings, places: Places, receipt: Receipt | None = None) -> dict[str, Any]:
    """The object of `agentmem forget --json`; `left` is null where nothing was done."""
    return {
        "done": receipt.done if receipt else None,
        "count": seen.count,
        "places": [_place(one, places) for one in seen.found],
        "left": [_place(one, places) for one in receipt.left.found] if receipt else None,
        "unreadable": list((receipt.left if receipt else seen).unreadable),
        "facts": list(receipt.facts) if receipt else [],
        "not_touched": [oversight.shown(path, places) for path in (*seen.yours, *seen.away)],
        "in_places_that_stay": seen.kept,
    }


def _counted(seen: Sightings) -> str:
    files = len(seen.found)
    return f"{seen.count:,} place{'s' * (seen.count != 1)} in {files:,} file{'s' * (files != 1)}"


def _place(one: Sighting, places: Places) -> Mapping[str, Any]:
    return {"path": oversight.shown(one.holding.path, places), "kind": one.holding.kind, "count": one.count}


_KINDS: Mapping[str, str] = {
    "blob": "part of a prompt; removed",
    "left": "half-written; removed",
    "git": "private git",
    "derived": "made anew",
    "index": "made anew",
    "log": "session",
}


def _rows(seen: Sightings, places: Places) -> list[str]:
    rows = [
        f"  {one.count:>6,}  {_path(one.holding.path, places)}"
        + (f"  ({_KINDS[one.holding.kind]})" if one.holding.kind in _KINDS else "")
        for one in seen.found
    ]
    return rows if len(rows) <= _ROWS else [*rows[:_ROWS], f"  … and {len(rows) - _ROWS:,} more files"]


def _aside(seen: Sightings, places: Places, before: Sightings | None = None) -> list[str]:
    """What is named, and not touched."""
    lines = [f"yours, not touched: {_path(path, places)} holds it" for path in seen.yours]
    lines += [f"a link that leads elsewhere, not followed: {_path(path, places)}" for path in seen.away]
    if seen.kept:
        lines.append(f"{seen.kept:,} places stay where it is part of a time, an id, a path or a record's form")
    twins = before.twins if before else seen.twins
    lines += [f"{_path(path, places)} has another name on this disk: look there too" for path in twins]
    tracked = (before or seen).tracked
    still = [path for path in tracked if not _ours(path) and os.path.lexists(places.root / path)]
    if still:
        more = "" if len(still) <= 5 else f" and {len(still) - 5} more"
        lines.append(f"files of yours that had it, not touched: {visible(', '.join(still[:5]))}{more}")
    return lines


def _path(path: Path, places: Places) -> str:
    return visible(oversight.shown(path, places))


def _ours(path: str) -> bool:
    return path == "MEMORY.md" or path.startswith(("memory/", ".agent/"))


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= 80 else f"{line[:79]}…"

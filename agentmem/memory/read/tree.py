"""Tree: the lines of a log as entries with sound parents, the branch that ends in its leaf, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry, Header
from agentmem.memory.read.cut import Active, active
from agentmem.memory.read.growth import Growth
from agentmem.memory.stores.lines import Fault, Line

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Tree:
    """What a log holds. `entries` are in file order, ids unique, every parent an earlier entry or None; `header` is
    made up where the file has none; `notices` say once, with file and lines, what was passed over or mended.

    Of a log that was read from its end only the active branch is here: its first entry's parent was not read, and
    `segments` are the entries before it whose summaries are told. `name` is the session's then, None for unknown."""

    header: Header
    entries: tuple[Entry, ...]
    notices: tuple[str, ...]
    segments: tuple[Entry, ...] = ()
    name: str | None = None

    def branch(self) -> list[Entry]:
        """The path from the root to the leaf, which is the last entry."""
        return self.path(self.entries[-1].id) if self.entries else []

    def path(self, end: str | None) -> list[Entry]:
        """The path from the root to the entry `end`; empty for None, which is before the first."""
        by_id = {entry.id: entry for entry in self.entries}
        path: list[Entry] = []
        at = by_id[end] if end is not None else None
        while at is not None:
            path.append(at)
            at = by_id.get(at.parent_id) if at.parent_id is not None else None
        return path[::-1]

    def active(self, end: str | None) -> Active:
        """The part of the path to `end` that prompts are made of, and what is told in place of the rest."""
        return active(self.path(end), {entry.id: entry for entry in (*self.segments, *self.entries)})

    def called(self) -> str:
        """What the session is called, "" without a name."""
        if self.name is not None or not self.entries:
            return self.name or ""
        from agentmem.memory.read.outline import name_of  # a new session has no name

        return name_of(self.entries)

    def last_call(self) -> tuple[Entry, Mapping[str, Any] | None] | None:
        """The session's last request, wherever in the tree it stands, and what was last said of the model before it."""
        call = next((one for one in reversed(self.entries) if one.type == "call" and "purpose" not in one.body), None)
        if call is None:
            return None
        said = (entry.body for entry in reversed(self.path(call.id)) if entry.type == "model")
        return call, next(said, None)


def grow(name: str, session: str, found: Iterable[Line], faults: Sequence[Fault]) -> Tree:
    """The tree of a log named `name` (for notices). Its file name says it is `session`, whatever its header says."""
    growth = Growth(session)
    for fault in faults:
        growth.tell(*fault_told(fault))
    for number, value in found:
        growth.take(number, value)
    return Tree(header_of(growth), tuple(growth.entries), notices(name, growth.told))


def fault_told(fault: Fault) -> tuple[str, int]:
    """What a damaged line is told as, and its number."""
    return f"skipped ({fault.what})" if fault.lost else f"read in part ({fault.what})", fault.number


def header_of(growth: Growth) -> Header:
    """The header that was read; a log without one gets one, and it is told."""
    if growth.header is not None:
        return growth.header
    growth.told["missing: the header that belongs first"] = []
    return Header(growth.session, growth.entries[0].at if growth.entries else "", "", "")


def notices(name: str, told: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """One line for the person, with file and lines; none when nothing was wrong."""
    return (f"{name}: " + "; ".join(_line(what, at) for what, at in told.items()),) if told else ()


def _line(what: str, numbers: Sequence[int]) -> str:
    if not numbers:
        return what
    shown = ", ".join(map(str, numbers[:_NAMED])) + (
        f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    )
    return f"line{'s' if len(numbers) > 1 else ''} {shown} {what}"

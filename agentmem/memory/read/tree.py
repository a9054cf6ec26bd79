"""Tree: the lines of a log as entries with sound parents, the branch that ends in its leaf, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import LOG_VERSION, Entry, Fork, Header
from agentmem.memory.stores.lines import Fault, Line

_FIXED = frozenset({"type", "id", "parent_id", "at"})
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Tree:
    """What a log holds. `entries` are in file order, ids unique, every parent an earlier entry or None; `header` is
    made up where the file has none; `notices` say once, with file and lines, what was passed over or mended."""

    header: Header
    entries: tuple[Entry, ...]
    notices: tuple[str, ...]

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
            at = by_id[at.parent_id] if at.parent_id is not None else None
        return path[::-1]


def grow(name: str, session: str, found: Iterable[Line], faults: Sequence[Fault]) -> Tree:
    """The tree of a log named `name` (for notices). Its file name says it is `session`, whatever its header says."""
    return _Growth(session).grow(name, found, faults)


class _Growth:
    def __init__(self, session: str) -> None:
        self.session = session
        self.header: Header | None = None
        self.entries: list[Entry] = []
        self.raw: dict[str, dict[str, Any]] = {}
        # The latest entry of each id as it stands in the file: a second one under the same id has another name here.
        self.latest: dict[str, str] = {}
        self.told: dict[str, list[int]] = {}

    def grow(self, name: str, found: Iterable[Line], faults: Sequence[Fault]) -> Tree:
        for fault in faults:
            self.tell(f"skipped ({fault.what})" if fault.lost else f"read in part ({fault.what})", fault.number)
        for number, value in found:
            self.take(number, value)
        if self.header is None:
            self.header = Header(self.session, self.entries[0].at if self.entries else "", "", "")
            self.told["missing: the header that belongs first"] = []
        notices = (f"{name}: " + "; ".join(_line(what, at) for what, at in self.told.items()),) if self.told else ()
        return Tree(self.header, tuple(self.entries), notices)

    def tell(self, what: str, number: int) -> None:
        self.told.setdefault(what, []).append(number)

    def take(self, number: int, value: dict[str, Any]) -> None:
        kind, own = value.get("type"), value.get("id")
        if kind == "session":
            self.take_header(number, value)
        elif not (isinstance(kind, str) and kind and isinstance(own, str) and own):
            self.tell("skipped (an object that is no entry)", number)
        elif value in (self.raw.get(own), self.raw.get(self.latest.get(own, own))):
            self.tell("skipped (the same entry again)", number)
        else:
            self.take_entry(number, kind, own, value)

    def take_header(self, number: int, value: dict[str, Any]) -> None:
        if self.header is not None:
            self.tell("skipped (a second header)", number)
            return
        if self.entries:
            self.tell("out of place (the header is not first)", number)
        texts: dict[str, str] = {key: text for key, text in value.items() if isinstance(text, str)}
        version = value.get("version")
        self.header = Header(
            self.session,
            texts.get("at", ""),
            texts.get("cwd", ""),
            texts.get("agentmem", ""),
            texts.get("parent_session"),
            version if isinstance(version, int) else LOG_VERSION,
            _fork(value.get("forked_from")),
        )
        if self.header.version > LOG_VERSION:
            self.tell(f"written by a newer agentmem (log version {self.header.version})", number)

    def take_entry(self, number: int, kind: str, own: str, value: dict[str, Any]) -> None:
        name = own
        if own in self.latest:
            self.tell("kept under another name (an id that was used before)", number)
            again = 2
            while (name := f"{own}~{again}") in self.raw:
                again += 1
        parent = self.parent(number, value, "to" if kind == "move" else "parent_id")
        at = value.get("at")
        body = {key: item for key, item in value.items() if key not in _FIXED}
        self.entries.append(Entry(kind, name, parent, at if isinstance(at, str) else "", body))
        self.raw[name] = value
        self.latest[own] = name

    def parent(self, number: int, value: dict[str, Any], key: str) -> str | None:
        if not self.entries:
            return None
        named = value.get(key, "")
        if named is None:
            return None
        if isinstance(named, str):
            if (known := self.latest.get(named)) is not None:
                return known
            if named in self.raw:  # an entry recorded after one that has another name here
                return named
        self.tell("joined to the entry before (its parent is not there)", number)
        return self.entries[-1].id


def _fork(value: object) -> Fork | None:
    if not isinstance(value, dict):
        return None
    session, entry = value.get("session"), value.get("entry")
    return Fork(session, entry) if isinstance(session, str) and isinstance(entry, str) else None


def _line(what: str, numbers: Sequence[int]) -> str:
    if not numbers:
        return what
    shown = ", ".join(map(str, numbers[:_NAMED])) + (
        f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    )
    return f"line{'s' if len(numbers) > 1 else ''} {shown} {what}"

"""Resume: the active branch of a log read backwards to its last cut, so that cost follows that part and not the file.

What is given is what reading the whole file gives, as far as the active branch goes; damage before that part is not
read. A part that cannot be told with certainty from the end (nothing was ever cut, the snapshot's own entries are
damaged) means the whole file, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.read import cut
from agentmem.memory.read.growth import BEFORE, Growth, as_entry
from agentmem.memory.read.outline import name_of
from agentmem.memory.read.tree import Tree, fault_told, grow, header_of, notices
from agentmem.memory.stores import lines, stretch
from agentmem.memory.stores.lines import Fault

_CUTS = (b'"type":"compaction"', b'"type":"reset"')
_HEAD = 16 * 1024
# Ids that stand in a file as they are; another one (escaped, or given anew where two entries had one id) takes the
# whole file to be sure of.
_PLAIN = re.compile(r"[A-Za-z0-9_.:-]{1,200}")


def read(path: Path, name: str, session: str) -> Tree:
    """The tree of a log (see `grow`), or only its active branch where the log's end says where that begins. Raises
    `OSError`."""
    with stretch.opened(path) as handle:
        found = _Tail(handle, session).read(name)
    return found or grow(name, session, *lines.read(path))


class _Unclear(Exception):
    """The end alone does not tell."""


class _Tail:
    def __init__(self, handle: int, session: str) -> None:
        self.handle = handle
        self.session = session
        self.size = stretch.size(handle)
        self.start = self.size
        self.lost: set[str] = set()
        self.head = self._head()
        self.growth = self.head
        self.by_id: dict[str, Entry] = {}

    def read(self, name: str) -> Tree | None:
        """The active branch, None where only the whole file tells."""
        begin = next(self._cuts(), 0)
        if begin == 0:
            return None
        self.start = begin
        try:
            while True:
                self._grow()
                if (path := self._path()) is not None:
                    return self._tree(name, path)
        except _Unclear:
            return None

    def _head(self) -> Growth:
        """What the file's first lines say of the session."""
        head = Growth(self.session)
        for raw in stretch.head(self.handle, _HEAD).split(b"\n"):
            for value in lines.parse(raw)[0]:
                if value.get("type") == "session":
                    head.take(1, value)
                    return head
        return head

    def _cuts(self) -> Iterator[int]:
        """Where the lines begin that hold a cut, the last one first."""
        for at in stretch.backwards(self.handle, _CUTS, self.size):
            start = stretch.line_start(self.handle, at)
            if any(cut.is_cut(value.get("type"), value) for value in self._objects(start)):
                yield start

    def _objects(self, at: int) -> list[dict[str, Any]]:
        raw = stretch.line_at(self.handle, at)
        return [] if raw is None else lines.parse(raw)[0]

    def _grow(self) -> None:
        """Read from `start` to the end; numbers count from there."""
        if self.start <= 0:
            raise _Unclear
        self.growth = Growth(self.session, partial=True, lost=frozenset(self.lost))
        self.growth.header = self.head.header
        for number, raw in enumerate(stretch.lines_from(self.handle, self.start), 1):
            objects, fault = lines.parse(raw)
            if fault is not None:
                self.growth.tell(*fault_told(Fault(number, fault, not objects)))
            for value in objects:
                self.growth.take(number, value)
        self.by_id = {entry.id: entry for entry in self.growth.entries}

    def _path(self) -> list[Entry] | None:
        """The active branch, root first; None when more of the file had to be read first: `start` says from where."""
        if not self.growth.entries:
            self._further(self.start - 1)
            return None
        path: list[Entry] = []
        at: Entry | None = self.growth.entries[-1]
        snapshot: Entry | None = None
        undone: set[str | None] = set()
        while at is not None:
            path.append(at)
            undone.add(cut.expanded(at))
            if snapshot is None and cut.stands(at, undone):
                if at.type == "reset":
                    return self._begun(path)
                snapshot = at
            elif snapshot is not None and at.id == snapshot.body["first_kept"]:
                return path[::-1] if self._covers(snapshot) else self._begun(path)
            if at.parent_id is None:
                break
            if at.id in self.growth.away:
                self._look_for(at.parent_id, snapshot)
                return None
            at = self.by_id[at.parent_id]
        if snapshot is not None:
            raise _Unclear  # its first kept entry is not on the branch
        return self._begun(path)

    def _covers(self, snapshot: Entry) -> bool:
        """Whether all since the snapshot was written was read, its first kept entry standing where it says."""
        at = cut.offset(snapshot.body.get("first_kept_offset"))
        return at is not None and at >= self.start and self._bears(at, str(snapshot.body["first_kept"]))

    def _begun(self, path: list[Entry]) -> list[Entry]:
        """The branch, if its leaf is no old entry that stands in the file again: that one counts once, where it was."""
        if self._record_of(path[0].id) is not None:
            raise _Unclear
        return path[::-1]

    def _look_for(self, parent: str, snapshot: Entry | None) -> None:
        """Read on from further ahead: from the snapshot's first kept entry, or from the parent that was not read."""
        if parent == BEFORE:
            self._further(self.start - 1)
        elif snapshot is not None and (kept := str(snapshot.body["first_kept"])) not in self.by_id:
            at = cut.offset(snapshot.body.get("first_kept_offset"))
            if at is None or at >= self.start or not self._bears(at, kept):
                at = self._record_of(kept)
            if at is None:
                raise _Unclear
            self.start = at
        elif (at := self._record_of(parent)) is not None:
            self._further(at)
        else:
            self.lost.add(parent)

    def _further(self, at: int) -> None:
        """Read from byte `at` on, and from so far ahead that reading anew each time costs little over all."""
        at = min(at, self.size - 2 * (self.size - self.start))
        if at <= 0:
            raise _Unclear
        self.start = stretch.line_start(self.handle, at)

    def _record_of(self, own: str) -> int | None:
        """Where the last entry with this id stands before `start`, None where none does."""
        if not _PLAIN.fullmatch(own):
            raise _Unclear
        for at in stretch.backwards(self.handle, (json.dumps(own).encode(),), self.start):
            start = stretch.line_start(self.handle, at)
            if self._bears(start, own):
                return start
        return None

    def _bears(self, at: int, own: str) -> bool:
        return any(value.get("id") == own and value.get("type") != "session" for value in self._objects(at))

    def _tree(self, name: str, path: list[Entry]) -> Tree:
        undone = {cut.expanded(one) for one in path}
        snapshot = next((one for one in reversed(path) if cut.stands(one, undone)), None)
        before = tuple(self._named(snapshot)) if snapshot is not None else ()
        named = snapshot.body.get("name") if snapshot is not None else None
        called = name_of(self.growth.entries) or (named if isinstance(named, str) else "")
        header = header_of(self.growth)
        return Tree(header, tuple(path), notices(name, self._told()), before, called)

    def _told(self) -> dict[str, list[int]]:
        """What was wrong in what was read, with line numbers of the whole file."""
        told = {what: list(at) for what, at in self.head.told.items()}
        if self.growth.told:
            ahead = stretch.count_lines(self.handle, self.start)
            for what, numbers in self.growth.told.items():
                told.setdefault(what, []).extend(ahead + number for number in numbers)
        return told

    def _named(self, snapshot: Entry) -> Iterator[Entry]:
        """The entries that are told or shown besides and that were not read with the branch."""
        for own, at in (*cut.segments(snapshot), *cut.named(snapshot, "pinned")):
            if own == snapshot.id:
                continue
            if (entry := self.by_id.get(own)) is None:
                where = at if at is not None and self._bears(at, own) else self._record_of(own)
                entry = None if where is None else self._entry_at(where, own)
            if entry is not None:
                yield entry

    def _entry_at(self, at: int, own: str) -> Entry | None:
        return next((as_entry(value, own, None) for value in self._objects(at) if value.get("id") == own), None)

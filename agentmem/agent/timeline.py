"""Timeline: what the checkpoints of a log say was written since an entry. Values in, values out.

Files have one history, whatever branch of the conversation a write stands on: so all entries count, in file order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentmem.domain.checkpoint import TYPE, State, results, writes
from agentmem.domain.entry import Entry


@dataclass(frozen=True, slots=True)
class Written:
    """One file that was written: what it held before the first time, what was found before the last time, and what it
    held after that (None: not known, the call was cut off). `sure` tells that it must hold `after`, or was never
    written the last time; `made` counts directories that the first time made."""

    path: bytes
    first: State
    last: State
    after: State | None
    sure: bool
    made: int

    def holds(self, now: State) -> bool:
        """Whether nobody but a tool or a rewind has changed the file since."""
        return now == self.after or (not self.sure and now == self.last)


def written_since(entries: Sequence[Entry], start: int) -> dict[bytes, Written]:
    """The files written by tools and rewinds from the entry number `start` on, by path."""
    found: dict[bytes, Written] = {}
    before: dict[tuple[str, bytes], Written | None] = {}  # by entry and path: what was known until then
    for entry in entries[start:]:
        kind = _kind(entry)
        if kind in ("before", "rewind"):
            for write in writes(entry):
                old = before[entry.id, write.path] = found.get(write.path)
                first, made = (old.first, old.made) if old else (write.before, write.made)
                after = write.after if kind == "rewind" else None
                found[write.path] = Written(write.path, first, write.before, after, False, made)
        elif kind == "after":
            for path, after in results(entry):
                _end(found, before, (str(entry.body.get("of")), path), after)
    return found


def _end(
    found: dict[bytes, Written], before: dict[tuple[str, bytes], Written | None], key: tuple[str, bytes], after: State
) -> None:
    """A call has ended; one that changed nothing counts as if it had not been made."""
    one = found.get(key[1])
    if one is None or key not in before:
        return
    if after != one.last:
        found[key[1]] = replace(one, after=after, sure=True)
    elif (old := before[key]) is not None:
        found[key[1]] = old
    else:
        del found[key[1]]


def snapshot_since(entries: Sequence[Entry], start: int) -> tuple[str, str | None] | None:
    """The first snapshot from the entry number `start` on: its tree, and the blob of what was only seen."""
    for entry in entries[start:]:
        tree, seen = entry.body.get("tree"), entry.body.get("seen")
        if _kind(entry) == "tree" and isinstance(tree, str) and State.read(f"link {tree}"):
            return tree, seen if isinstance(seen, str) and State.read(f"link {seen}") else None
    return None


def last_rewind(entries: Sequence[Entry]) -> int | None:
    """The number of the last rewind's entry, None without one."""
    return next((number for number in reversed(range(len(entries))) if _kind(entries[number]) == "rewind"), None)


def files_by_turn(entries: Sequence[Entry]) -> dict[str, int]:
    """How many files the tools of each turn have written, those of its tasks too, by the id of its user message. A call
    that changed nothing (it was refused, or failed) wrote none; one that was cut off may have."""
    found: dict[str, set[tuple[object, bytes]]] = {}
    ended = {entry.body.get("of"): dict(results(entry)) for entry in entries if _kind(entry) == "after"}
    for entry in entries:
        turn = entry.body.get("turn")
        if _kind(entry) == "before" and isinstance(turn, str):
            after = ended.get(entry.id, {})
            wrote = [one.path for one in writes(entry) if after.get(one.path) != one.before]
            found.setdefault(turn, set()).update((entry.body.get("root"), path) for path in wrote)
    return {turn: len(paths) for turn, paths in found.items() if paths}


def _kind(entry: Entry) -> object:
    return entry.body.get("kind") if entry.type == TYPE else None

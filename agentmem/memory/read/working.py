"""Working memory: what is happening now, the replay of a session's active branch as it grows; not on disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentmem.domain.entry import Entry
from agentmem.memory.read import cut
from agentmem.memory.read.cut import Active
from agentmem.memory.read.replay import Replay
from agentmem.memory.read.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

    from agentmem.domain.message import Usage
    from agentmem.memory.read.tally import Tally


class Working:
    """The entries of the active part of a branch, root or first kept one first, and what they come to.

    `date` is the last one the model was told, `asked` what was last said of the model, `call` the last request on the
    branch since its last cut, `before` what is told in place of what a cut took out.
    """

    def __init__(self, tree: Tree) -> None:
        self.stand(tree.active(tree.entries[-1].id if tree.entries else None))
        self._last = tree.last_call()
        self._broke: tuple[Entry, Mapping[str, Any] | None] | None = None

    def stand(self, active: Active) -> None:
        """Begin anew with the active part of a branch."""
        self.entries: list[Entry] = []
        self.replay, self.before = Replay(active.before), active.before
        self.date: str | None = None
        self.call: Entry | None = None
        self.asked = None if active.snapshot is None else cut.model_of(active.snapshot)
        for entry in active.entries:
            self.take(entry)

    def take(self, entry: Entry) -> None:
        """The next entry of the branch."""
        self.entries.append(entry)
        self.replay.add(entry)
        if isinstance(date := entry.body.get("date"), str):
            self.date = date
        if entry.type == "model":
            self.asked = entry.body
        elif entry.type == "call":
            self.call = entry
        elif cut.is_cut(entry.type, entry.body):
            self.call = None  # no request extends one from before it

    @property
    def leaf(self) -> str | None:
        """The id of the entry that the next one hangs on, None while there is none."""
        return self.entries[-1].id if self.entries else None

    def called(self, call: Entry, before: Entry | None) -> None:
        """A request was recorded; `before` was the last one on the branch then, None after a cut."""
        last, extends = self._last, self._last is not None and self._last[0] is before
        self._last = (call, self.asked)
        same = extends and last is not None and (last[0].body.get("epoch"), last[1]) == (call.body["epoch"], self.asked)
        self._broke = None if same else last

    def broken(self, blobs: Path) -> str | None:
        """See `Session.broken`."""
        if self._broke is None:
            return None
        from agentmem.memory.read import breaks  # most requests extend the one before

        return breaks.told(*self._broke, self.tally(), blobs)

    def tally(self) -> Tally:
        """The last request and what was counted for it."""
        from agentmem.memory.read import asked, tally

        said = asked.read(self.asked) if self.asked is not None else None
        return tally.tally(Active(tuple(self.entries), self.before), said)

    @property
    def last_usage(self) -> Usage | None:
        """See `Session.last_usage`."""
        from agentmem.memory.read.tally import counts

        answer = self.entries[-1].message() if self.entries else None
        return None if answer is None or answer.calls or not answer.text.strip() else counts(self.entries[-1])

    def told_files(self) -> tuple[str, ...]:
        """The instruction files that the branch holds."""
        return tuple(path for entry in self.entries for path in _files(entry))


def _files(entry: Entry) -> tuple[str, ...]:
    files = entry.body.get("files")
    if entry.body.get("notice") is not True or not isinstance(files, list):
        return ()
    return tuple(path for path in files if isinstance(path, str))

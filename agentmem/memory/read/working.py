"""Working memory: what is happening now, the replay of a session's active branch as it grows; not on disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentmem.domain.entry import Entry
from agentmem.memory.read import cut
from agentmem.memory.read.assemble import Frame
from agentmem.memory.read.cut import Active
from agentmem.memory.read.replay import Replay
from agentmem.memory.read.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

    from agentmem.domain.message import Usage
    from agentmem.memory.read.gauge import Gauge
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
        self.replay, self.before, self.snapshot = Replay(active.before), active.before, active.snapshot
        self._gauge: Gauge | None = None
        self.date: str | None = None
        self.call: Entry | None = None
        self.asked = None if active.snapshot is None else cut.model_of(active.snapshot)
        for entry in active.entries:
            self._note(entry)
        for entry in active.shown():
            self.replay.add(entry)

    def take(self, entry: Entry) -> None:
        """The next entry of the branch."""
        if cut.is_edit(entry.type, entry.body):
            self.stand(Active((*self.entries, entry), self.before, self.snapshot))
        else:
            self._note(entry)
            self.replay.add(entry)

    @property
    def active(self) -> Active:
        """What it stands on."""
        return Active(tuple(self.entries), self.before, self.snapshot)

    def _note(self, entry: Entry) -> None:
        self.entries.append(entry)
        if isinstance(date := entry.body.get("date"), str):
            self.date = date
        if entry.type == "model":
            self.asked = entry.body
        elif entry.type == "call" and "purpose" not in entry.body:
            self.call = entry
        elif cut.is_cut(entry.type, entry.body) or cut.is_edit(entry.type, entry.body):
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
        return tally.tally(self.active, said)

    @property
    def last_usage(self) -> Usage | None:
        """See `Session.last_usage`."""
        from agentmem.memory.read.tally import counts

        answer = self.entries[-1].message() if self.entries else None
        return None if answer is None or answer.calls or not answer.text.strip() else counts(self.entries[-1])

    def most_tokens(self, fixed: int) -> int:
        """The most tokens that a request made now can take; `fixed` bytes stand before the messages."""
        if self._gauge is None:
            from agentmem.memory.read.gauge import Gauge  # most sessions are known to be small by their log's size

            self._gauge = Gauge(self.before)
        return self._gauge.most(self.entries, fixed)

    def frame(self) -> Frame:
        """What an epoch begun now must know of the branch."""
        if self.snapshot is None and not any("files" in one.body or one.type == "state" for one in self.entries):
            return Frame()
        from agentmem.memory.read import carried  # little of it is there in a first turn

        told = tuple(path for entry in self.entries for path in carried.told_in(entry))
        again = tuple(path for path in carried.files(self.active) if path not in told)
        return Frame(told, again, carried.state(self.active))

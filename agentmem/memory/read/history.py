"""History: a session's log read whole and left alone: its calls, and what each of them was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message
from agentmem.domain.prompt import Prompt
from agentmem.memory.read import manifest
from agentmem.memory.read.asked import Asked
from agentmem.memory.read.manifest import PartLost, Prefix
from agentmem.memory.read.replay import Replay
from agentmem.memory.read.tally import Counted, Sent, Tally
from agentmem.memory.read.tree import Tree


@dataclass(frozen=True, slots=True)
class Held:
    """What fills a model's window: the parts before the messages (empty where they are lost), the messages of a request
    made now, who is asked, and what was last counted."""

    prefix: Prefix
    messages: tuple[Message, ...]
    asked: Asked | None
    counted: Counted | None


class History:
    """One session, looked back on. Calls count from 1 in the order of the file, those of branches that were left
    included: what is appended never changes the number of a call."""

    def __init__(self, tree: Tree, blobs: Path) -> None:
        self.session = tree.header.id
        self.notices = tree.notices
        self.calls: tuple[Entry, ...] = tuple(entry for entry in tree.entries if entry.type == "call")
        self._tree = tree
        self._blobs = blobs

    def sent(self, call: Entry) -> tuple[Sent, Prompt]:
        """A call and the prompt that was sent. Raises `PartLost`."""
        replay, tally = self._fold(path_to(self._tree.entries, call.id))
        sent = tally.sent
        if sent is None or sent.id != call.id:
            raise PartLost(f"the entry {call.id} is no call")
        prefix = manifest.read(self._blobs, sent.epoch)
        limit = sent.asked.max_output if sent.asked else None
        return sent, Prompt(prefix.system, prefix.tools, replay.messages(), limit)

    def before(self, call: Entry) -> tuple[Entry, ...]:
        """The calls before this one on its own branch, the first one first."""
        return tuple(one for one in path_to(self._tree.entries, call.id)[:-1] if one.type == "call")

    def since(self, start: Entry | None, call: Entry) -> tuple[Entry, ...]:
        """The entries on the branch of `call` after `start` (None: from the root) and before it."""
        path = path_to(self._tree.entries, call.id)[:-1]
        at = next((place for place, one in enumerate(path, 1) if start is not None and one.id == start.id), 0)
        return tuple(path[at:])

    @cached_property
    def held(self) -> Held:
        """What the session's next request would carry, with the parts of its last one."""
        replay, tally = self._fold(self._tree.branch())
        try:
            prefix = manifest.read(self._blobs, tally.sent.epoch) if tally.sent else Prefix(())
        except PartLost:
            prefix = Prefix(())
        return Held(prefix, replay.said(), tally.asked, tally.counted)

    @staticmethod
    def _fold(path: Sequence[Entry]) -> tuple[Replay, Tally]:
        replay, tally = Replay(), Tally()
        for entry in path:
            replay.add(entry)
            tally.add(entry, replay.settled)
        return replay, tally


def path_to(entries: Sequence[Entry], leaf: str) -> list[Entry]:
    """The entries from the root to `leaf`."""
    by_id = {entry.id: entry for entry in entries}
    path: list[Entry] = []
    at = by_id.get(leaf)
    while at is not None:
        path.append(at)
        at = by_id.get(at.parent_id) if at.parent_id is not None else None
    return path[::-1]

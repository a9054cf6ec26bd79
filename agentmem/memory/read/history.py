"""History: a session's log read whole and left alone: its calls, and what each of them was made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.memory.read import asked, manifest, parts
from agentmem.memory.read.asked import Asked
from agentmem.memory.read.manifest import Section
from agentmem.memory.read.parts import PartLost
from agentmem.memory.read.tally import Counted, Sent, Tally, last_asked, tally
from agentmem.memory.read.tree import Tree
from agentmem.memory.stores import forgotten


@dataclass(frozen=True, slots=True)
class Held:
    """What fills a model's window: the parts before the messages (empty where they are lost) and the tools among them,
    the messages of a request made now, who is asked, what was last counted, and the bytes a token by which a compaction
    since then was measured."""

    sections: tuple[Section, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    asked: Asked | None
    counted: Counted | None
    ratio: float | None = None


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
        if "purpose" in call.body:
            return self._aside(call)
        found = self._tally(call.id)
        if found.sent is None or found.sent.id != call.id:
            raise PartLost(f"the entry {call.id} is no call")
        sections = parts.read(self._blobs, found.sent.epoch)
        limit = found.sent.asked.max_output if found.sent.asked else None
        messages = found.replay.messages()
        return found.sent, Prompt(manifest.system(sections), parts.tools(sections), messages, limit)

    def forgotten(self, call: Entry) -> bool:
        """Whether words that a call sent were forgotten since: it cannot be rebuilt any more, and nothing is wrong."""
        gone = forgotten.read(self._blobs.parent)
        ids = {entry.id for entry in (*self._tree.path(call.id), *self._tree.segments)}
        if ids & gone.entries.get(self.session, frozenset()):
            return True
        epoch, alone = (str(call.body.get(key, "")) for key in ("epoch", "prompt"))
        if alone:
            return any(name.startswith(alone) for name in gone.blobs)
        try:
            return any(part.sha256 in gone.blobs for part in parts.named(self._blobs, epoch))
        except PartLost:
            return any(epoch and name.startswith(epoch) for name in gone.blobs)

    def _aside(self, call: Entry) -> tuple[Sent, Prompt]:
        """A call that was asked beside the conversation; its prompt is kept whole."""
        from agentmem.memory.read import aside

        digest, kept = (value if isinstance(value := call.body.get(key), str) else "" for key in ("sha256", "prompt"))
        prompt = aside.read(self._blobs, kept)
        return Sent(call.id, call.at, "", digest, len(prompt.messages), asked.read(call.body)), prompt

    def before(self, call: Entry) -> tuple[Entry, ...]:
        """The calls before this one on its own branch, the first one first."""
        return tuple(one for one in self._tree.path(call.id)[:-1] if one.type == "call")

    def since(self, start: Entry | None, call: Entry) -> tuple[Entry, ...]:
        """The entries on the branch of `call` after `start` (None: from the root) and before it."""
        path = self._tree.path(call.id)[:-1]
        at = next((place for place, one in enumerate(path, 1) if start is not None and one.id == start.id), 0)
        return tuple(path[at:])

    @cached_property
    def held(self) -> Held:
        """What the session's next request would carry, with the parts of its last one."""
        found = self._tally(self._tree.entries[-1].id if self._tree.entries else None)
        sections: tuple[Section, ...] = ()
        tools: tuple[ToolSpec, ...] = ()
        if found.sent is not None:
            try:
                sections = parts.read(self._blobs, found.sent.epoch)
                tools = parts.tools(sections)
            except PartLost:
                sections = ()
        return Held(sections, tools, found.replay.said(), found.asked, found.counted, found.ratio)

    def _tally(self, end: str | None) -> Tally:
        return tally(self._tree.active(end), last_asked(self._tree.path(end)))

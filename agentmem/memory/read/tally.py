"""Tally: the last request of a branch, and what its provider counted for it; a fold over the entries."""

from __future__ import annotations

from dataclasses import dataclass

from agentmem.domain.entry import Entry
from agentmem.domain.message import Usage
from agentmem.memory.read import asked
from agentmem.memory.read.asked import Asked


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as its `call` entry tells of it: `messages` is how many it carried, `asked` what was last said of the
    model before it."""

    id: str
    at: str
    epoch: str
    sha256: str
    messages: int
    asked: Asked | None


@dataclass(frozen=True, slots=True)
class Counted:
    """What the provider counted: `usage` of the request `sent`, whose reply came at `at` as the entry `reply`."""

    usage: Usage
    sent: Sent
    at: str
    reply: str


class Tally:
    """Feed it a branch entry by entry, root first, with the number of messages that are settled then."""

    def __init__(self) -> None:
        self.asked: Asked | None = None
        self.sent: Sent | None = None
        self.counted: Counted | None = None

    def add(self, entry: Entry, settled: int) -> None:
        """Take the next entry of the branch."""
        if entry.type == "call":
            self.sent = sent(entry, settled, self.asked)
        elif entry.type == asked.KIND:
            self.asked = asked.read(entry) or self.asked
        elif entry.type == "message" and entry.body.get("role") == "assistant" and self.sent is not None:
            usage = Usage.from_json(entry.body.get("usage"))
            if usage.input:
                self.counted = Counted(usage, self.sent, entry.at, entry.id)


def sent(entry: Entry, messages: int, model: Asked | None) -> Sent:
    """What a `call` entry says."""
    epoch, digest = entry.body.get("epoch"), entry.body.get("sha256")
    return Sent(
        entry.id,
        entry.at,
        epoch if isinstance(epoch, str) else "",
        digest if isinstance(digest, str) else "",
        messages,
        model,
    )

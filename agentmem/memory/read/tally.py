"""Tally: the last request of a branch, and what its provider counted for it; a fold over the entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Usage
from agentmem.memory.read import asked
from agentmem.memory.read.asked import Asked
from agentmem.memory.read.cut import Active, is_cut, is_edit, model_of
from agentmem.memory.read.replay import Replay


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
    """What the provider counted: `usage` of the request `sent`, whose reply came at `at`."""

    usage: Usage
    sent: Sent
    at: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What stands at the end of a branch: who is asked, the last request and the one before it, the last count, and the
    replay of it all. `turned` is the type of the entry that last changed what a request begins with, "" for none;
    `ratio` are the bytes a token that were measured before it."""

    asked: Asked | None
    sent: Sent | None
    before: Sent | None
    counted: Counted | None
    replay: Replay
    turned: str = ""
    ratio: float | None = None


def tally(active: Active, said: Asked | None = None) -> Tally:
    """Fold the active part of a branch; `said` is what was last said of the model before it."""
    replay, sent, before, counted, turned, ratio = Replay(active.before), None, None, None, "", None
    if said is None and active.snapshot is not None:
        said = asked.read(model_of(active.snapshot) or {})
    for entry in active.shown():
        replay.add(entry)
        if entry.type == "call" and "purpose" not in entry.body:
            before, sent = sent, _sent(entry, replay.settled, said)
        elif entry.type == asked.KIND:
            said = asked.read(entry.body) or said
        elif entry.type == "move":
            turned = entry.type
        elif is_cut(entry.type, entry.body) or is_edit(entry.type, entry.body):
            # What was sent and counted before it held other messages.
            turned, sent, counted, ratio = entry.type, None, None, ratio_of(entry) or ratio
        elif sent is not None and (usage := counts(entry)) is not None:
            counted = Counted(usage, sent, entry.at)
    return Tally(said, sent, before, counted, replay, turned, ratio)


def last_asked(path: Iterable[Entry]) -> Asked | None:
    """What was last said of the model on a path."""
    bodies: list[Mapping[str, Any]] = [one.body for one in path if one.type == asked.KIND]
    return next((found for body in reversed(bodies) if (found := asked.read(body)) is not None), None)


def counts(entry: Entry) -> Usage | None:
    """What a provider counted for the request that this reply answers; None for any other entry, or no count."""
    if entry.type != "message" or entry.body.get("role") != "assistant":
        return None
    usage = Usage.from_json(entry.body.get("usage"))
    return usage if usage.input else None


def ratio_of(entry: Entry) -> float | None:
    """The bytes a token that a compaction was measured with."""
    tokens = entry.body.get("tokens")
    found = tokens.get("bytes_a_token") if isinstance(tokens, Mapping) else None
    return float(found) if isinstance(found, int | float) and 0.5 <= found <= 20 else None


def _sent(entry: Entry, messages: int, said: Asked | None) -> Sent:
    """What a `call` entry says."""
    epoch, digest = (value if isinstance(value := entry.body.get(key), str) else "" for key in ("epoch", "sha256"))
    return Sent(entry.id, entry.at, epoch, digest, messages, said)

"""Weave: a settled strand as the lines of a log, ids given, every call answered, the current branch last.

Ids come from the file's content and the draft's place in it, so that the same file gives the same log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from agentmem.memory.stores.staged import Spool
from agentmem.memory.write import joining
from agentmem.memory.write.foreign import draft
from agentmem.memory.write.foreign.draft import Skip
from agentmem.memory.write.strand import Node, Strand, Tell

NO_RESULT = "no result in the source"
_WHERE_IT_STOOD = "the branch that was current where this was imported from"

Put = Callable[[dict[str, Any]], int]
"""Writes one line and gives the byte it begins at."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a strand comes from: what each of its entries says of it, the time of the first and the seed of their
    ids."""

    tool: str
    version: str
    file: str
    at: str
    seed: str


@dataclass(slots=True)
class Tally:
    """What was written. `messages` counts by role, stand-ins not among them; `last` is the latest time."""

    messages: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    stand_ins: int = 0
    compactions: int = 0
    meta: int = 0
    last: str = ""


def weave(strand: Strand, spool: Spool, source: Source, put: Put, tell: Tell) -> Tally:
    """Write the entries of a strand that was settled. Raises what `put` raises."""
    return _Weaver(strand, spool, source, put, tell).run()


class _Weaver:
    def __init__(self, strand: Strand, spool: Spool, source: Source, put: Put, tell: Tell) -> None:
        self.strand, self.spool, self.source, self.put, self.tell = strand, spool, source, put, tell
        self.tally = Tally()
        self.begins: dict[int, tuple[str, int]] = {}  # node -> its first entry, and where that stands in bytes
        self.ends: dict[int, str] = {}  # node -> the entry that what hangs on it hangs on
        self.root: str | None = None
        self.latest: tuple[str | None, int] = (None, 0)
        self.at = source.at  # of an entry that has no time: that of the one before
        self.name: tuple[str, str] | None = None  # the entry that names the session, and the name

    def run(self) -> Tally:
        for number, spot in enumerate(self.strand.head):
            self.root = self.write(self.entry_id("head", number), self.root, self.spool.get(spot))
        for number in self.strand.order():
            self.node(self.strand.nodes[number])
        leaf = self.strand.leaf()
        end = self.root if leaf is None else self.ends[leaf]
        if end is not None and end != self.latest[0]:
            end = self.line(self.entry_id("move"), end, {"type": "move", "to": end, "why": _WHERE_IT_STOOD})
        if self.name is not None and self.name[0] != end:  # lists look for a name at the ends of a log
            self.line(self.entry_id("name"), end, {"type": "session_info", "name": self.name[1]})
        return self.tally

    def entry_id(self, *place: object) -> str:
        return sha256(f"{self.source.seed}:{':'.join(map(str, place))}".encode()).hexdigest()[:12]

    def node(self, node: Node) -> None:
        up = self.root if node.up is None else self.ends[node.up]
        record = joining.one([self.spool.get(spot) for spot in node.spots])
        if node.answers is not None:
            self.tell(Skip(node.line, "a result whose call is not in the file, or has one", kept=True))
            record |= {"type": "meta", "body": draft.meta("result", record["body"], why="it answers no call")}
        if node.kind == "compaction":
            record, up = self.compaction(node, record, up)
        end = self.write(self.entry_id(node.number), up, record)
        self.begins[node.number] = (end, self.latest[1])
        for place, call in enumerate(node.calls):
            end = self.answer(node, place, call, end)
        for place, spot in enumerate(node.trail):
            end = self.write(self.entry_id(node.number, "trail", place), end, self.spool.get(spot))
        self.ends[node.number] = end

    def answer(self, node: Node, place: int, call: str, up: str) -> str:
        """The result of a call, or what stands in for it."""
        found = node.answered.get(place)
        if found is not None:
            record = joining.one([self.spool.get(spot) for spot in self.strand.nodes[found].spots])
            return self.write(self.entry_id(found), up, record)
        self.tally.stand_ins += 1
        body = draft.result(call, [draft.imported(NO_RESULT)], error=True)
        told = self.told({"line": node.line, "source": {"orig_id": None, "stand_in": True}})
        return self.line(self.entry_id(node.number, "call", place), up, {"type": "message", **body, "source": told})

    def compaction(self, node: Node, record: dict[str, Any], up: str | None) -> tuple[dict[str, Any], str | None]:
        """The compaction as it goes into the log, and what it hangs on. It must name an entry that it keeps first:
        where the source kept none, that is a mark before it."""
        body = record["body"]
        if not body["summary"].strip():
            self.tell(Skip(node.line, "a compaction without a summary: what it covers stays", kept=True))
            why = "there is no summary in it"
            return {**record, "type": "meta", "body": draft.meta("compaction", body, why=why)}, up
        kept = self.kept(node, body["first_kept"])
        if kept is None:
            mark = draft.meta("boundary", None, why="nothing before it was kept")
            up = self.write(self.entry_id(node.number, "boundary"), up, {**record, "type": "meta", "body": mark})
            kept = (up, self.latest[1])
        return {**record, "body": {**body, "first_kept": kept[0], "first_kept_offset": kept[1]}}, up

    def kept(self, node: Node, key: object) -> tuple[str, int] | None:
        """The entry that a compaction keeps first, never a result without its call; None where it is not before it."""
        found = self.strand.node_of(key)
        first = None if found is None else found.number if found.home is None else found.home
        at = node.up
        while at is not None and at != first:
            at = self.strand.nodes[at].up
        return None if at is None else self.begins[at]

    def write(self, own: str, up: str | None, record: dict[str, Any]) -> str:
        """One entry; gives its id."""
        self.at = record["at"] or self.at
        kind, body = self.fitted(record)
        self.tally.calls += len(joining.calls(body)) if kind == "message" else 0
        self.tally.messages.update([body["role"]] if kind == "message" else ())
        self.tally.compactions += kind == "compaction"
        self.tally.meta += kind == "meta"
        if kind == "session_info":
            self.name = (own, body["name"])
        return self.line(own, up, {"type": kind, **body, "source": self.told(record)})

    def line(self, own: str, up: str | None, entry: Mapping[str, Any]) -> str:
        at = self.put({"type": entry["type"], "id": own, "parent_id": up, "at": self.at, **entry})
        self.latest = (own, at)
        self.tally.last = max(self.tally.last, self.at)
        return own

    def told(self, record: Mapping[str, Any]) -> dict[str, Any]:
        here = {"tool": self.source.tool, "version": self.source.version, "file": self.source.file}
        return {**here, "line": record["line"], **record["source"]}

    def fitted(self, record: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Type and body as they go into the log: the source's ids translated, what cannot stand there as meta."""
        kind, body = record["type"], record["body"]
        named = self.strand.node_of(body["of"]) if kind in ("label", "session_info") and "of" in body else None
        lost = draft.meta(kind, body, why="what it names is not in the file")
        match kind:
            case "label":
                known = named is not None and named.kind != "link"
                return (kind, {**body, "of": self.entry_id(named.number)}) if named and known else ("meta", lost)
            case "session_info":
                return ("meta", lost) if "of" in body and named is None else (kind, {"name": body["name"]})
            case "message" if body["role"] == "assistant":
                return joining.reply(body)
        return kind, body

"""Weave: a settled strand as the lines of a log, ids given, every call answered, the current branch last.

Ids come from the file's content and the draft's place in it, so that the same file gives the same log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from agentmem.memory.stores.staged import Spool, Spot
from agentmem.memory.write.foreign import draft
from agentmem.memory.write.foreign.draft import Skip
from agentmem.memory.write.strand import Node, Strand, Tell

NO_RESULT = "no result in the source"

Put = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a strand comes from: what each of its entries says of its source, and the seed of their ids."""

    tool: str
    version: str
    file: str
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


def weave(strand: Strand, spool: Spool, origin: Origin, put: Put, tell: Tell) -> Tally:
    """Write the entries of a strand that was settled. Raises what `put` raises."""
    return _Weaver(strand, spool, origin, put, tell).run()


class _Weaver:
    def __init__(self, strand: Strand, spool: Spool, origin: Origin, put: Put, tell: Tell) -> None:
        self.strand, self.spool, self.origin, self.put, self.tell = strand, spool, origin, put, tell
        self.tally = Tally()
        self.ends: dict[int, str] = {}  # node -> the entry that what hangs on it hangs on
        self.root: str | None = None
        self.latest: str | None = None
        self.at = ""
        self.name: tuple[str, dict[str, Any]] | None = None

    def run(self) -> Tally:
        for number, spot in enumerate(self.strand.head):
            self.root = self.write(self.entry_id("head", number), self.root, self.spool.get(spot))
        for number in self.strand.order():
            self.node(self.strand.nodes[number])
        leaf = self.strand.leaf()
        end = None if leaf is None else self.ends[leaf]
        if end is not None and end != self.latest:
            move = {"type": "move", "to": end, "why": "the branch that was current where this was imported from"}
            self.line(self.entry_id("move", 0), end, move, {})
        if self.name is not None and self.name[0] != self.latest:
            self.line(self.entry_id("name", 0), self.latest, *self.name[1:])
        return self.tally

    def entry_id(self, *place: object) -> str:
        return sha256(f"{self.origin.seed}:{':'.join(map(str, place))}".encode()).hexdigest()[:12]

    def node(self, node: Node) -> None:
        up = self.root if node.up is None else self.ends[node.up]
        record = self.joined(node)
        if node.answers is not None:
            self.tell(Skip(node.line, "a result whose call is not in the file, or has one", kept=True))
            record = {**record, "type": "meta", "body": draft.meta("result", record["body"], why="it answers no call")}
        end = self.write(self.entry_id(node.number), up, record)
        for place, call in enumerate(node.calls):
            answer = node.answered.get(place)
            if answer is None:
                end = self.stand_in(node, place, call, end)
            else:
                end = self.write(self.entry_id(answer), end, self.joined(self.strand.nodes[answer]))
        for place, spot in enumerate(node.trail):
            end = self.write(self.entry_id(node.number, "trail", place), end, self.spool.get(spot))
        self.ends[node.number] = end

    def joined(self, node: Node) -> dict[str, Any]:
        """The record of a node; of those that tell one reply, together: contents in order, the usage once."""
        found = [self.spool.get(spot) for spot in node.spots]
        first = found[0]
        if len(found) == 1:
            return first
        bodies = [one["body"] for one in found]
        body = {key: value for one in reversed(bodies) for key, value in one.items()}
        if "content" in body:
            body["content"] = [part for one in bodies for part in one.get("content", ())]
        if "summary" in body:
            body["summary"] = "\n\n".join(one["summary"] for one in bodies if one["summary"])
        if used := [one["usage"] for one in bodies if "usage" in one]:
            body["usage"] = max(used, key=lambda one: int(one["output"]))
        if stops := [one["stop"] for one in bodies if "stop" in one]:
            body["stop"] = stops[-1]
        told = [one for one in found if one["body"].get("content") or one["body"].get("summary")] or found
        ids = [one["source"]["orig_id"] for one in told]
        more = {"lines": [one["line"] for one in told], **({"orig_ids": ids} if any(ids) else {})}
        merged = {key: value for one in reversed(found) for key, value in one["source"].items()}
        return {**first, "body": body, "source": {**merged, "orig_id": first["source"]["orig_id"], **more}}

    def stand_in(self, node: Node, place: int, call: str, up: str) -> str:
        body = draft.result(call, [draft.imported(NO_RESULT)], error=True)
        self.tally.stand_ins += 1
        source = {**self.source({"line": node.line, "source": {"orig_id": None}}), "stand_in": True}
        return self.line(self.entry_id(node.number, "call", place), up, {"type": "message", **body}, source)

    def write(self, own: str, up: str | None, record: dict[str, Any]) -> str:
        """One entry; gives its id."""
        self.at = record["at"] or self.at
        kind, body = self.fitted(own, record)
        self.count(kind, body)
        end = self.line(own, up, {"type": kind, **body}, self.source(record))
        if kind == "session_info":
            self.name = (own, {"type": kind, **body}, self.source(record))
        return end

    def line(self, own: str, up: str | None, entry: Mapping[str, Any], source: Mapping[str, Any]) -> str:
        kind = entry["type"]
        rest = {key: value for key, value in entry.items() if key != "type"}
        told = {"source": dict(source)} if source else {}
        self.put({"type": kind, "id": own, "parent_id": up, "at": self.at, **rest, **told})
        self.latest = own
        self.tally.last = max(self.tally.last, self.at)
        return own

    def source(self, record: Mapping[str, Any]) -> dict[str, Any]:
        here = {"tool": self.origin.tool, "version": self.origin.version, "file": self.origin.file}
        return {**here, "line": record["line"], **record["source"]}

    def fitted(self, own: str, record: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Type and body as they go into the log: the source's ids translated, what cannot stand there as meta."""
        kind, body, line = record["type"], record["body"], record["line"]
        match kind:
            case "compaction" if not body["summary"].strip():
                self.tell(Skip(line, "a compaction without a summary: what it covers stays", kept=True))
                return "meta", draft.meta(kind, body, why="there is no summary in it")
            case "compaction":
                return kind, {**body, "first_kept": self.first_kept(body["first_kept"], own)}
            case "label" if (target := self.target(body["of"])) is None:
                return "meta", draft.meta(kind, body, why="what it names is not in the file")
            case "label":
                return kind, {**body, "of": target}
            case "session_info" if "of" in body and self.strand.node_of(body["of"]) is None:
                return "meta", draft.meta(kind, body, why="what it names is not in the file")
            case "session_info":
                return kind, {"name": body["name"]}
            case "message" if body["role"] == "assistant" and not _says(body["content"]):
                return "meta", draft.meta("empty reply", body)
            case "message" if body["role"] == "assistant":
                return kind, {**body, "stop": body.get("stop") or ("tool_use" if _calls(body["content"]) else "end")}
        return kind, body

    def first_kept(self, key: object, own: str) -> str:
        """The entry that a compaction keeps first: never a result without its call. Itself where it keeps none."""
        node = self.strand.node_of(key)
        if node is None:
            return own
        return self.entry_id(node.number if node.home is None else node.home)

    def target(self, key: object) -> str | None:
        node = self.strand.node_of(key)
        return None if node is None or node.kind == "link" else self.entry_id(node.number)

    def count(self, kind: str, body: Mapping[str, Any]) -> None:
        tally = self.tally
        if kind == "message":
            tally.messages[body["role"]] += 1
            tally.calls += len(_calls(body["content"]))
        tally.compactions += kind == "compaction"
        tally.meta += kind == "meta"


def _calls(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for part in content if part["type"] == "tool_call"]


def _says(content: list[dict[str, Any]]) -> bool:
    return any(part["type"] != "thinking" for part in content)

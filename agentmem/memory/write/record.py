"""Record: what happened, as entries. Values in, values out; the session appends them to its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Part, Reply, Text, ToolCall, part_to_json
from agentmem.domain.tool import ToolResult
from agentmem.memory.write.redact import Redactor

if TYPE_CHECKING:
    from agentmem.domain.claim import Verdict
    from agentmem.domain.skill import Disclosed

_WORDS = frozenset({"summary", "why", "focus", "frontier", "fault"})
Interruption = Literal["user", "error", "limit"]
NoticeOrigin = Literal["harness", "file"]


class Scribe:
    """Makes entries: ids and times from `clock`, and no secret in any text that someone said, called or printed."""

    def __init__(self, clock: Clock, redactor: Redactor | None = None) -> None:
        """Without a `redactor` secrets stay: for texts that were recorded before."""
        self.clock = clock
        self.redactor = redactor or Redactor(bytes, rules=False)

    def user(self, parent: str | None, parts: Sequence[Part], date: str | None) -> Entry:
        """What the person sent, each part with its own origin; with `date` (``2026-11-30``) the model is told it."""
        content = [part_to_json(part) for part in self.redactor.parts(parts)]
        if date is None:
            return self._entry("message", parent, {"role": "user", "content": content})
        content.append(part_to_json(Text(f"[Today is {date}.]", "harness")))
        return self._entry("message", parent, {"role": "user", "content": content, "date": date})

    def notice(self, parent: str | None, text: str, origin: NoticeOrigin, files: Sequence[str]) -> Entry:
        """Something the harness tells the model at the tail; `files` are the instruction files it holds."""
        body: dict[str, Any] = {
            "role": "user",
            "content": [part_to_json(Text(self.redactor.text(text), origin))],
            "notice": True,
        }
        if files:
            body["files"] = list(files)
        return self._entry("message", parent, body)

    def skill(self, parent: str | None, given: Disclosed) -> Entry:
        """A skill's body at the tail, and why the model has it; see `agentmem.memory.read.invoked`."""
        parts = [
            Text(self.redactor.said(given.body), "harness"),
            *([Text(given.prefetched, "tool")] if given.prefetched else []),
        ]
        body: dict[str, Any] = {
            "role": "user",
            "notice": True,
            "name": given.name,
            "path": given.path,
            "sha256": given.sha256,
            "why": {"rule": given.rule, "by": self.redactor.text(given.by)},
            "content": [part_to_json(part) for part in self.redactor.parts(parts)],
        }
        return self._entry("skill", parent, body)

    def recall(self, parent: str | None, text: str, about: Mapping[str, Any]) -> Entry:
        """Memories told at the tail, as data; `about` says for which query, and names them."""
        content = [part_to_json(Text(self.redactor.text(text), "harness"))]
        query = self.redactor.text(str(about.get("query", "")))
        return self._entry(
            "recall", parent, {"role": "user", "notice": True, **about, "query": query, "content": content}
        )

    def reply(self, parent: str | None, reply: Reply) -> Entry:
        """What the model answered: all of it is the agent's word, whatever the door called it."""
        content = [_agents(part) for part in self.redactor.parts(reply.parts)]
        body = {"role": "assistant", "content": content, "usage": reply.usage.to_json(), "stop": reply.stop}
        return self._entry("message", parent, body)

    def result(self, parent: str | None, call_id: str, result: ToolResult, ms: int) -> Entry:
        """What a call gave. Keys without a value are left out."""
        body: dict[str, Any] = {
            "role": "tool",
            "call_id": call_id,
            "content": self.redactor.text(result.text),
            "origin": "tool",
            "ms": ms,
        }
        if result.error:
            body["error"] = True
        if result.exit is not None:
            body["exit"] = result.exit
        if result.offload is not None:
            body["offload"] = result.offload
        if result.malformed is not None:
            body["malformed"] = result.malformed
        return self._entry("message", parent, body)

    def model(self, parent: str | None, asked: Mapping[str, Any]) -> Entry:
        """Which model is asked from here on, and how: the JSON of an `Asked`."""
        return self._entry("model", parent, asked)

    def call(self, parent: str | None, epoch: str, digest: str) -> Entry:
        """The manifest of one model call: the messages it sent are those of the branch up to `parent`."""
        return self._entry("call", parent, {"epoch": epoch, "sha256": digest})

    def told(self, kind: str, parent: str | None, body: Mapping[str, Any], own: str | None) -> Entry:
        """An entry that changes the prompt, or a call that was asked aside; `own` is its id, given anew without one."""
        clean = {
            key: self.redactor.text(one) if key in _WORDS and isinstance(one, str) else one for key, one in body.items()
        }
        entry = self._entry(kind, parent, clean)
        return entry if own is None else replace(entry, id=own)

    def interrupt(self, parent: str | None, reason: Interruption) -> Entry:
        """The turn was stopped."""
        return self._entry("interrupt", parent, {"reason": reason})

    def checkpoint(self, parent: str | None, body: Mapping[str, Any]) -> Entry:
        """What was kept of the user's files, or put back; see `agentmem.domain.checkpoint`."""
        return self._entry("checkpoint", parent, body)

    def unseen(self, parent: str | None, images: Sequence[str], why: str) -> Entry:
        """Images that a server refused; see `agentmem.memory.read.sight`."""
        return self._entry("unseen", parent, {"images": list(images), "why": self.redactor.text(why)})

    def move(self, to: str | None, why: str) -> Entry:
        """The leaf moves to `to`: what comes next hangs there. It hangs there itself."""
        return self._entry("move", to, {"to": to, "why": self.redactor.text(why)})

    def label(self, parent: str | None, of: str, label: str | None) -> Entry:
        """A name for an entry; None takes it away."""
        return self._entry("label", parent, {"of": of, "label": label and self.redactor.text(label)})

    def session_info(self, parent: str | None, name: str) -> Entry:
        """What the session is called; empty: nothing."""
        return self._entry("session_info", parent, {"name": self.redactor.text(name)})

    def verdict(self, parent: str | None, verdict: Verdict) -> Entry:
        """What the gate decided; never the claim's text, which a refusal or the queue withholds: `withheld` stands for
        it."""
        body = {
            "outcome": verdict.outcome,
            "of": verdict.id,
            "category": verdict.category,
            "principal": verdict.principal,
            "reason": verdict.reason,
            "path": verdict.path,
        }
        if verdict.replaced is not None:
            body["replaced"] = verdict.replaced
        if verdict.withheld is not None:
            body["withheld"] = verdict.withheld
        if verdict.unkept:
            body["unkept"] = verdict.unkept
        return self._entry("verdict", parent, body)

    def _entry(self, kind: str, parent: str | None, body: Mapping[str, Any]) -> Entry:
        return Entry(kind, self.clock.new_id(), parent, self.clock.stamp(), body)


def _agents(part: Part) -> dict[str, Any]:
    out = part_to_json(part if part.origin == "agent" else replace(part, origin="agent"))
    if isinstance(part, ToolCall):
        del out["origin"]  # a call is the agent's by its kind
    return out

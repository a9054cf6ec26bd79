"""Messages reply: from the events of Anthropic's Messages protocol to pieces, and at the end to one reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Part, Reply, Stop, Text, Thinking, Usage
from agentmem.model.door import ModelError, Piece
from agentmem.model.drafts import Draft
from agentmem.model.halves import Halves

_STOPS: Mapping[str, Stop] = {
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


class _Block:
    """One content block in the making."""

    def __init__(self, kind: str, draft: Draft) -> None:
        self.kind = kind
        self.text = Halves()
        self.signature = ""
        self.redacted = ""
        self.draft = draft
        self.input: object = None


class MessagesReply:
    """Folds one message, streamed or whole. `finish` is the server's reason for its end, None before that."""

    def __init__(self, provider: str, new_id: Callable[[], str]) -> None:
        self._provider = provider
        self._new_id = new_id
        self._blocks: dict[int, _Block] = {}
        self._calls = 0
        self._counts = dict.fromkeys(_COUNTS, 0)
        self.finish: str | None = None
        self.ended = False

    def feed(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        """The pieces in one event, which is never an error event. Unknown events are passed over."""
        match event.get("type"):
            case "message_start":
                self._count(_map(event.get("message")).get("usage"))
            case "content_block_start":
                yield from self._start(_index(event), _map(event.get("content_block")))
            case "content_block_delta":
                yield from self._delta(_index(event), _map(event.get("delta")))
            case "message_delta":
                self._finish(_map(event.get("delta")).get("stop_reason"))
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True
            case "message":
                yield from self._whole(event)

    def reply(self) -> Reply:
        """The whole reply. Raises `ModelError` (dropped) for one that was not finished, or says nothing."""
        stop = _STOPS.get(self.finish or "", "end")
        parts: list[Part] = []
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        used: set[str] = set()
        for block in blocks:
            # Only the last block can be the one that the limit cut.
            if (part := self._part(block, stop == "length" and block is blocks[-1], used)) is not None:
                parts.append(part)
        reply = Reply(tuple(parts), stop, self._usage())
        if stop in ("end", "tool_use"):
            said = reply.calls or any(not isinstance(part, Text) or part.text.strip() for part in parts)
            if not said:
                raise ModelError("dropped", "The model gave an empty reply.")
            reply = Reply(reply.parts, "tool_use" if reply.calls else "end", reply.usage)
        return reply

    def _part(self, block: _Block, cut: bool, used: set[str]) -> Part | None:
        text = block.text.end()
        match block.kind:
            case "text":
                return Text(text, "agent") if text else None
            case "thinking":
                signature = block.signature or None
                return Thinking(text, signature, self._provider) if text or signature else None
            case "redacted_thinking":
                return Thinking("", None, self._provider, block.redacted) if block.redacted else None
            case "tool_use":
                return self._call(block, cut, used)
            case _:
                return None

    def _call(self, block: _Block, cut: bool, used: set[str]) -> Part:
        draft = block.draft
        if not draft.raw and block.input:
            draft.add(block.input)
        if not draft.name or (self.finish is None and not draft.whole):
            raise ModelError("dropped", "The stream ended in the middle of a tool call.")
        call_id = draft.id
        while not call_id or call_id in used:
            call_id = self._new_id()
        used.add(call_id)
        return draft.call(call_id, cut)

    def _start(self, index: int, content: Mapping[str, Any]) -> Iterator[Piece]:
        block = self._open(index, _text(content, "type"))
        block.draft.id, block.draft.name = _text(content, "id"), _text(content, "name")
        block.redacted = _text(content, "data")
        block.input = content.get("input")
        block.signature = _text(content, "signature")
        yield from self._add(block, _text(content, "text") or _text(content, "thinking"))
        if block.kind == "tool_use":
            yield CallDelta(block.draft.index, block.draft.name, "")

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[Piece]:
        match delta.get("type"):
            case "text_delta":
                yield from self._add(self._at(index, "text"), _text(delta, "text"))
            case "thinking_delta":
                yield from self._add(self._at(index, "thinking"), _text(delta, "thinking"))
            case "signature_delta":
                self._at(index, "thinking").signature += _text(delta, "signature")
            case "input_json_delta":
                draft = self._at(index, "tool_use").draft
                if added := draft.add(delta.get("partial_json")):
                    yield CallDelta(draft.index, draft.name, added)

    def _add(self, block: _Block, piece: str) -> Iterator[Piece]:
        if piece and (shown := block.text.add(piece)):
            yield ThinkingDelta(shown) if block.kind == "thinking" else TextDelta(shown)

    def _whole(self, message: Mapping[str, Any]) -> Iterator[Piece]:
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            yield from self._start(index, _map(block))
        self._finish(message.get("stop_reason"))
        self._count(message.get("usage"))
        self.ended = True

    def _at(self, index: int, kind: str) -> _Block:
        return self._blocks.get(index) or self._open(index, kind)

    def _open(self, index: int, kind: str) -> _Block:
        block = _Block(kind, Draft(self._calls))
        if kind == "tool_use":
            self._calls += 1
        self._blocks[index] = block
        return block

    def _finish(self, reason: object) -> None:
        if isinstance(reason, str) and reason:
            self.finish = reason

    def _count(self, usage: object) -> None:
        """Counts only grow within a message: a later event repeats them, leaves them out or tells zero."""
        for key in _COUNTS:
            value = _map(usage).get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                self._counts[key] = max(self._counts[key], value)

    def _usage(self) -> Usage:
        fresh, read, written, output = (self._counts[key] for key in _COUNTS)
        return Usage(fresh + read + written, output, read, written)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0

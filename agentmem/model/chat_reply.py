"""Chat reply: from the events of a chat completion to pieces, and at the end to one reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Part, Reply, Stop, Text, Thinking, ToolCall, Usage
from agentmem.model.door import ModelError, Piece
from agentmem.model.drafts import Draft
from agentmem.model.halves import Halves

_STOPS: Mapping[str, Stop] = {
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "tool_use": "tool_use",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "sensitive": "refusal",
}
_FAILED = frozenset({"error", "network_error", "insufficient_system_resource"})


class ChatReply:
    """Folds one completion, streamed or whole. `finish` is the server's reason for its end, None before that."""

    def __init__(self, provider: str, new_id: Callable[[], str]) -> None:
        self._provider = provider
        self._new_id = new_id
        self._text = Halves()
        self._thinking = Halves()
        self._drafts: list[Draft] = []
        self._by_index: dict[int, Draft] = {}
        self._usage = Usage()
        self._refused = False
        self.finish: str | None = None
        self.ended = False

    def feed(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        """The pieces in one event, which is never an error event."""
        self._count(event.get("usage"))
        extra = event.get("x_groq")
        self._count(extra.get("usage") if isinstance(extra, Mapping) else None)
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, Mapping) or choice.get("index") not in (None, 0):
                continue
            delta = choice.get("delta", choice.get("message"))
            if isinstance(delta, Mapping):
                yield from self._delta(delta)
                # A whole message is its own end mark.
                self.ended = self.ended or "delta" not in choice
            self._count(choice.get("usage"))
            if isinstance(reason := choice.get("finish_reason"), str) and reason:
                self.finish = reason

    def reply(self) -> Reply:
        """The whole reply. Raises `ModelError` (dropped) for one that was not finished, or says nothing."""
        if self.finish in _FAILED:
            raise ModelError("dropped", f"The model's server broke off with the reason {self.finish!r}.")
        if self.finish is None and not all(draft.whole for draft in self._drafts):
            raise ModelError("dropped", "The stream ended in the middle of a tool call.")
        if not all(draft.name for draft in self._drafts):
            raise ModelError("dropped", "The model sent a tool call without a name.")
        stop = self._stop()
        parts: list[Part] = []
        if thinking := self._thinking.end():
            parts.append(Thinking(thinking, provider=self._provider))
        if text := self._text.end():
            parts.append(Text(text, "agent"))
        calls = self._calls(stop == "length")
        if stop in ("end", "tool_use"):
            stop = "tool_use" if calls else "end"
            if not calls and not thinking.strip() and not text.strip():
                raise ModelError("dropped", "The model gave an empty reply.")
        return Reply((*parts, *calls), stop, self._usage)

    def _stop(self) -> Stop:
        return "refusal" if self._refused else _STOPS.get((self.finish or "").lower(), "end")

    def _calls(self, cut: bool) -> list[ToolCall]:
        calls, used = [], set()
        for place, draft in enumerate(self._drafts):
            call_id = draft.id
            while not call_id or call_id in used:
                call_id = self._new_id()
            used.add(call_id)
            # Only the last call can be the one that the limit cut.
            calls.append(draft.call(call_id, cut and place == len(self._drafts) - 1))
        return calls

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[Piece]:
        yield from self._thought(_string(delta.get("reasoning_content")) or _string(delta.get("reasoning")))
        content = delta.get("content")
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, Mapping) and item.get("type") == "thinking":
                yield from self._thought(_inner(item.get("thinking")))
            else:
                yield from self._said(item.get("text") if isinstance(item, Mapping) else item)
        if refusal := _string(delta.get("refusal")):
            self._refused = True
            yield from self._said(refusal)
        calls = delta.get("tool_calls")
        touched: set[int] = set()
        for item in calls if isinstance(calls, list) else ():
            if isinstance(item, Mapping):
                yield self._piece(item, touched)

    def _said(self, text: object) -> Iterator[Piece]:
        if isinstance(text, str) and text and (shown := self._text.add(text)):
            yield TextDelta(shown)

    def _thought(self, text: str) -> Iterator[Piece]:
        if text and (shown := self._thinking.add(text)):
            yield ThinkingDelta(shown)

    def _piece(self, item: Mapping[str, Any], touched: set[int]) -> Piece:
        function = item.get("function")
        function = function if isinstance(function, Mapping) else item
        name = _string(function.get("name"))
        draft = self._draft(item, name, function.get("arguments"), touched)
        touched.add(draft.index)
        draft.named(name)
        return CallDelta(draft.index, draft.name, draft.add(function.get("arguments")))

    def _draft(self, item: Mapping[str, Any], name: str, arguments: object, touched: set[int]) -> Draft:
        """The call a piece belongs to. Servers leave out index or id, or give every call the same index."""
        index = item.get("index")
        index = index if isinstance(index, int) else None
        call_id = _string(item.get("id"))
        known = self._known(index, call_id)
        if known is not None and name:
            alone = index is None and known.index in touched
            if alone or _starts_new(known, name, arguments, (call_id, index is None)):
                known = None
        if known is None:
            known = Draft(len(self._drafts), call_id)
            self._drafts.append(known)
        if index is not None:
            self._by_index[index] = known
        known.id = known.id or call_id
        return known

    def _known(self, index: int | None, call_id: str) -> Draft | None:
        if index is not None:
            return self._by_index.get(index)
        if call_id and any(draft.id == call_id for draft in self._drafts):
            return next(draft for draft in reversed(self._drafts) if draft.id == call_id)
        return self._drafts[-1] if self._drafts else None

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping) and (counted := usage_of(usage)) != Usage():
            self._usage = counted


def _starts_new(known: Draft, name: str, arguments: object, told: tuple[str, bool]) -> bool:
    """Whether a piece with a name begins another call, when one is known that it could belong to."""
    call_id, no_index = told
    if call_id and known.id:
        return call_id != known.id and (name != known.name or not known.raw or known.whole)
    if no_index and known.raw and not name.startswith(known.name):
        return True
    return known.whole and (bool(arguments) or no_index)


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Tokens as chat completions tell them: the prompt's count holds its cached share, which is told in many places."""
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    total = _whole(usage.get("prompt_tokens"))
    cached = max(
        _whole(details.get("cached_tokens")),
        _whole(usage.get("prompt_cache_hit_tokens")),
        _whole(usage.get("cached_tokens")),
    )
    written = _whole(details.get("cache_write_tokens"))
    cached = min(cached, total)
    return Usage(total, _whole(usage.get("completion_tokens")), cached, min(written, total - cached))


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e15 else 0


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _inner(value: object) -> str:
    if isinstance(value, list):
        return "".join(_inner(item.get("text")) for item in value if isinstance(item, Mapping))
    return _string(value)

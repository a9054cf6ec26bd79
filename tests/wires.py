"""What model servers say, as bytes: one reply in the words of chat completions or of Anthropic's Messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.message import Usage


@dataclass(frozen=True)
class Said:
    """A reply. `calls` holds (id, name, arguments as text); texts are sent in pieces of `size` characters."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[tuple[str, str, str]] = ()
    stop: str = "end"
    usage: Usage | None = None
    size: int = 5


def sse(value: Any, name: str | None = None) -> bytes:
    """One event."""
    data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def _cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


_CHAT_STOPS = {"end": "stop", "tool_use": "tool_calls", "length": "length", "refusal": "content_filter"}
_MESSAGES_STOPS = {"end": "end_turn", "tool_use": "tool_use", "length": "max_tokens", "refusal": "refusal"}


def chat_events(said: Said) -> list[bytes]:
    """The events of a streamed chat completion, the mark ``[DONE]`` last."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return sse({"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"reasoning_content": piece}) for piece in _cut(said.thinking, said.size)]
    out += [chunk({"content": piece}) for piece in _cut(said.text, said.size)]
    for index, (call_id, name, arguments) in enumerate(said.calls):
        first = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        out.append(chunk({"tool_calls": [first]}))
        for piece in _cut(arguments, said.size):
            out.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    out.append(chunk({}, _CHAT_STOPS[said.stop]))
    if said.usage is not None:
        out.append(sse({"choices": [], "usage": chat_usage(said.usage)}))
    return [*out, sse("[DONE]")]


def chat_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
    }


def messages_events(said: Said) -> list[bytes]:
    """The events of a streamed message, ``message_stop`` last."""
    usage = said.usage or Usage()
    start = {
        "input_tokens": usage.input - usage.cached - usage.written,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.written,
        "output_tokens": min(usage.output, 1),
    }
    message = {"id": "m1", "type": "message", "role": "assistant", "content": [], "usage": start}
    out = [_event({"type": "message_start", "message": message}), _event({"type": "ping"})]
    index = 0
    for kind, text in (("thinking", said.thinking), ("text", said.text)):
        if text:
            out += _block(
                index, {"type": kind, kind: ""}, [{"type": f"{kind}_delta", kind: p} for p in _cut(text, said.size)]
            )
            index += 1
    for call_id, name, arguments in said.calls:
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *_cut(arguments, said.size)]]
        out += _block(index, {"type": "tool_use", "id": call_id, "name": name, "input": {}}, deltas)
        index += 1
    end = {"stop_reason": _MESSAGES_STOPS[said.stop], "stop_sequence": None}
    out.append(_event({"type": "message_delta", "delta": end, "usage": {"output_tokens": usage.output}}))
    return [*out, _event({"type": "message_stop"})]


def _event(value: dict[str, Any]) -> bytes:
    return sse(value, value["type"])


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[bytes]:
    return [
        _event({"type": "content_block_start", "index": index, "content_block": start}),
        *(_event({"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas),
        _event({"type": "content_block_stop", "index": index}),
    ]

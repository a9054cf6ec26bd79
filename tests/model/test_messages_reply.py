from __future__ import annotations

from typing import Any

import pytest

from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Reply, Text, Thinking, ToolCall, Usage
from agentmem.model.door import ModelError, Piece
from agentmem.model.messages_reply import MessagesReply


def fold(*events: dict[str, Any]) -> tuple[list[Piece], MessagesReply]:
    reply = MessagesReply("anthropic", lambda: "made")
    return [piece for event in events for piece in reply.feed(event)], reply


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stopped(reason: str, **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


END = {"type": "message_stop"}


def test_thinking_keeps_its_signature_and_what_is_redacted() -> None:
    pieces, reply = fold(
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature="sig-1/"),
        delta(0, "signature_delta", signature="+="),
        {"type": "content_block_stop", "index": 0},
        start(1, type="redacted_thinking", data="opaque=="),
        start(2, type="thinking", thinking=""),
        delta(2, "signature_delta", signature="alone"),
        start(3, type="text", text="so"),
        start(4, type="tool_use", id="t1", name="read", input={}),
        delta(4, "input_json_delta", partial_json='{"path":'),
        delta(4, "input_json_delta", partial_json='"a"}'),
        stopped("tool_use", output_tokens=9),
        END,
    )
    assert pieces == [
        ThinkingDelta("hm"),
        TextDelta("so"),
        CallDelta(0, "read", ""),
        CallDelta(0, "read", '{"path":'),
        CallDelta(0, "read", '"a"}'),
    ]
    assert reply.reply() == Reply(
        (
            Thinking("hm", "sig-1/+=", "anthropic"),
            Thinking("", None, "anthropic", "opaque=="),
            Thinking("", "alone", "anthropic"),
            Text("so", "agent"),
            ToolCall("t1", "read", {"path": "a"}),
        ),
        "tool_use",
        Usage(0, 9),
    )
    assert reply.ended


def test_input_told_at_the_start() -> None:
    block = start(0, type="tool_use", id="", name="read", input={"path": "a"})
    assert fold(block, stopped("tool_use"))[1].reply().calls == (ToolCall("made", "read", {"path": "a"}),)


def test_blocks_whose_start_was_lost() -> None:
    assert fold(delta(0, "text_delta", text="hi"), stopped("end_turn"))[1].reply().parts == (Text("hi", "agent"),)
    with pytest.raises(ModelError) as caught:
        fold(delta(0, "input_json_delta", partial_json="{}"), stopped("tool_use"))[1].reply()
    assert caught.value.failure == "dropped"


def test_an_open_call_at_an_end_without_a_reason() -> None:
    with pytest.raises(ModelError) as caught:
        fold(start(0, type="tool_use", id="t", name="write", input={}), END)[1].reply()
    assert caught.value.failure == "dropped"


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("pause_turn", "end"),
        ("of_tomorrow", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
def test_stops(reason: str, stop: str) -> None:
    assert fold(start(0, type="text", text="hi"), stopped(reason))[1].reply() == Reply((Text("hi", "agent"),), stop)


def test_nothing_but_the_limit_or_a_refusal() -> None:
    assert fold(stopped("max_tokens"))[1].reply() == Reply((), "length")
    assert fold(stopped("refusal"))[1].reply() == Reply((), "refusal")
    with pytest.raises(ModelError, match="empty"):
        fold(start(0, type="text", text=" "), stopped("end_turn"), END)[1].reply()


def test_usage_counts_each_token_once() -> None:
    first = {"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20, "output_tokens": 1}
    begin = {"type": "message_start", "message": {"usage": first}}
    text = start(0, type="text", text="hi")
    assert fold(begin, text, stopped("end_turn", output_tokens=8))[1].reply().usage == Usage(100, 8, 70, 20)
    again = {**first, "output_tokens": 8}
    assert fold(begin, text, stopped("end_turn", **again))[1].reply().usage == Usage(100, 8, 70, 20)
    zero = {"input_tokens": 0, "cache_read_input_tokens": None, "output_tokens": 8}
    assert fold(begin, text, stopped("end_turn", **zero))[1].reply().usage == Usage(100, 8, 70, 20)
    late = {"input_tokens": 50, "output_tokens": 8}
    assert fold(text, stopped("end_turn", **late))[1].reply().usage == Usage(50, 8)


def test_events_of_no_use_are_passed_over() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "ping"},
        {"type": "of_tomorrow", "index": 0},
        {"no": "type"},
        {"type": "message_start", "message": None},
        {"type": "content_block_delta", "index": None, "delta": {"type": "citations_delta"}},
        {"type": "content_block_delta", "delta": 5},
        start(1, type="server_tool_use", id="s", name="web_search", input={}),
        start(2, type="web_search_tool_result", content=[]),
        {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": "many"}},
        {"type": "message", "content": None},
    ]
    pieces, reply = fold(*odd, start(3, type="text", text="hi"), stopped("end_turn"))
    assert pieces == [TextDelta("hi")]
    assert reply.reply() == Reply((Text("hi", "agent"),), "end")

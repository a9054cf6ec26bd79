"""What servers that speak chat completions get up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Reply, Text, Thinking, ToolCall, Usage
from agentmem.model.chat_reply import ChatReply, usage_of
from agentmem.model.door import ModelError, Piece


def counting() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"new_{number}"


def fold(*events: dict[str, Any]) -> tuple[list[Piece], ChatReply]:
    ids = counting()
    reply = ChatReply("p", lambda: next(ids))
    return [piece for event in events for piece in reply.feed(event)], reply


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def piece(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"type": "function", "function": function, **more}


def calls(*chunks: list[dict[str, Any]], finish: str | None = "tool_calls") -> tuple[ToolCall, ...]:
    events = [delta(tool_calls=chunk) for chunk in chunks]
    return fold(*events, delta(finish))[1].reply().calls


A, B = ToolCall("a", "read", {"path": "x"}), ToolCall("b", "read", {"path": "y"})
X, Y = '{"path":"x"}', '{"path":"y"}'


def test_by_index() -> None:
    assert calls(
        [piece("", "read", index=0, id="a")],
        [piece('{"path"', index=0), piece("", "read", index=1, id="b")],
        [piece('{"path":"y"', index=1), piece(':"x"', index=0)],
        [piece("}", index=0), piece("}", index=1)],
    ) == (A, B)


def test_name_and_id_repeated_in_later_chunks() -> None:
    assert calls(
        [piece('{"pa', "read", index=0, id="a")],
        [piece('th":"', "read", index=0, id="a")],
        [piece('x"}', "read", index=0, id="a")],
        [piece("", "read", index=0, id="a")],
    ) == (A,)
    assert calls([piece('{"pa', "read", index=0, id="a")], [piece('th":"x"}', "read", index=0, id="")]) == (A,)


def test_another_id_in_each_chunk_of_one_call() -> None:
    assert calls(
        [piece('{"pa', "read", index=0, id="a")],
        [piece('th":"', "read", index=0, id="other")],
        [piece('x"}', index=0, id="third")],
    ) == (A,)


def test_whole_calls_all_at_index_0() -> None:
    assert calls([piece(X, "read", index=0, id="a")], [piece(Y, "read", index=0, id="b")]) == (A, B)
    assert calls([piece(X, "read", index=0, id="a"), piece(Y, "read", index=0, id="b")]) == (A, B)
    assert calls([piece(X, "read", index=0)], [piece(Y, "read", index=0)]) == (
        ToolCall("new_1", "read", {"path": "x"}),
        ToolCall("new_2", "read", {"path": "y"}),
    )


def test_no_index() -> None:
    assert calls([piece(X, "read", id="a")], [piece(Y, "read", id="b")]) == (A, B)
    assert calls([piece(X, "read", id="a"), piece(Y, "read", id="b")]) == (A, B)
    assert calls([piece("", "read", id="a")], [piece('{"path"'), piece(':"x"}')], [piece(Y, "read", id="b")]) == (A, B)
    assert calls([piece('{"path"', "read", id="a")], [piece(':"x"}', id="a")]) == (A,)
    assert calls([piece('{"path"', "read", id="a")], [piece(':"x"}', id="b")]) == (A,)
    assert calls([piece(X, "read", index=None, id="a")], [piece("", "read", index=None, id="b"), piece(Y)]) == (A, B)


def test_neither_index_nor_id() -> None:
    one, two = ToolCall("new_1", "read", {"path": "x"}), ToolCall("new_2", "read", {"path": "y"})
    assert calls([piece(X, "read"), piece(Y, "read")]) == (one, two)
    assert calls([piece(X, "read")], [piece(Y, "read")]) == (one, two)
    assert calls([piece('{"path"', "read")], [piece(':"x"}')], [piece("", "read")], [piece(Y)]) == (one, two)
    assert calls([piece("", "ls"), piece("", "pwd")]) == (ToolCall("new_1", "ls"), ToolCall("new_2", "pwd"))


def test_a_name_in_parts() -> None:
    assert calls([piece(None, "re", index=0, id="a")], [piece(X, "ad", index=0)]) == (A,)
    assert calls([piece(None, "re", index=0, id="a")], [piece(X, "read", index=0)]) == (A,)


def test_arguments_as_an_object() -> None:
    assert calls([piece({"path": "x"}, "read", index=0, id="a")]) == (A,)
    assert calls([piece({}, "read", index=0, id="a")]) == (ToolCall("a", "read"),)
    assert calls([{"index": 0, "id": "a", "name": "read", "arguments": {"path": "x"}}]) == (A,)


@pytest.mark.parametrize(
    ("raw", "call"),
    [
        ('"{\\"path\\":\\"x\\"}"', A),
        ("null", ToolCall("a", "read")),
        (" ", ToolCall("a", "read")),
        ('{"path":"x\ny"}', ToolCall("a", "read", {"path": "x\ny"})),
        ('{"path":"\\ud83d"}', ToolCall("a", "read", {"path": "�"})),
        ('{"path":"x"}{"path":"x"}', ToolCall("a", "read", {}, '{"path":"x"}{"path":"x"}')),
        ("{'path': 'x'}", ToolCall("a", "read", {}, "{'path': 'x'}")),
        ('"x"', ToolCall("a", "read", {}, '"x"')),
        ('{"n": 1e999}', ToolCall("a", "read", {"n": float("inf")})),
    ],
)
def test_arguments_of_every_shape(raw: str, call: ToolCall) -> None:
    assert calls([piece(raw, "read", index=0, id="a")]) == (call,)


def test_only_the_last_call_is_cut() -> None:
    found = fold(
        delta(tool_calls=[piece("", "ls", index=0, id="a"), piece("", "ls", index=1, id="b")]), delta("length")
    )
    assert found[1].reply() == Reply((ToolCall("a", "ls"), ToolCall("b", "ls", {}, "")), "length")


def test_a_call_without_a_name_is_dropped() -> None:
    with pytest.raises(ModelError, match="without a name") as caught:
        calls([piece(X, index=0, id="a")])
    assert caught.value.failure == "dropped"


def test_an_end_mark_alone_ends_text_but_no_open_call() -> None:
    assert fold(delta(content="hi"))[1].reply() == Reply((Text("hi", "agent"),), "end")
    assert calls([piece(X, "read", index=0, id="a")], finish=None) == (A,)
    for arguments in ("", '{"pa'):
        with pytest.raises(ModelError) as caught:
            calls([piece(arguments, "read", index=0, id="a")], finish=None)
        assert caught.value.failure == "dropped"


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", "end"),
        ("eos", "end"),
        ("STOP", "end"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("content_filter", "refusal"),
        ("tool_calls", "end"),
    ],
)
def test_stops_of_text(reason: str, stop: str) -> None:
    assert fold(delta(content="hi"), delta(reason))[1].reply().stop == stop


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "function_call", "eos"])
def test_calls_are_calls_whatever_the_reason(reason: str) -> None:
    assert fold(delta(tool_calls=[piece(X, "read", index=0, id="a")]), delta(reason))[1].reply() == Reply(
        (A,), "tool_use"
    )


@pytest.mark.parametrize("reason", ["error", "network_error", "insufficient_system_resource"])
def test_a_reason_that_is_a_failure(reason: str) -> None:
    with pytest.raises(ModelError, match=reason) as caught:
        fold(delta(content="half"), delta(reason))[1].reply()
    assert caught.value.failure == "dropped"


def test_a_whole_message_is_its_own_end() -> None:
    _, reply = fold({"choices": [{"message": {"content": "hi"}}]})
    assert (reply.ended, reply.reply()) == (True, Reply((Text("hi", "agent"),), "end"))
    _, reply = fold(delta(content="hi"), {"choices": [{"delta": {}, "message": {"content": "hi"}}]})
    assert (reply.ended, reply.reply()) == (False, Reply((Text("hi", "agent"),), "end"))


def test_nothing_but_the_limit_or_a_refusal() -> None:
    assert fold(delta("length"))[1].reply() == Reply((), "length")
    assert fold(delta("content_filter"))[1].reply() == Reply((), "refusal")
    assert fold(delta(refusal="I will not."), delta("stop"))[1].reply() == Reply(
        (Text("I will not.", "agent"),), "refusal"
    )


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning(key: str) -> None:
    pieces, reply = fold(delta(**{key: "hm"}), delta(content="ok", reasoning_content=None), delta("stop"))
    assert pieces == [ThinkingDelta("hm"), TextDelta("ok")]
    assert reply.reply().parts == (Thinking("hm", None, "p"), Text("ok", "agent"))


def test_both_reasoning_keys_count_once() -> None:
    assert fold(delta(reasoning="hm", reasoning_content="hm"))[0] == [ThinkingDelta("hm")]


def test_content_in_parts() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]},
        {"type": "thinking", "thinking": "!"},
        {"type": "text", "text": "ok"},
        {"type": "reference", "reference_ids": [1]},
        7,
    ]
    assert fold(delta(content=content))[0] == [ThinkingDelta("hm"), ThinkingDelta("!"), TextDelta("ok")]


def test_events_of_no_use_are_passed_over() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"choices": None},
        {"choices": [None, {"delta": None}, {"index": 1, "delta": {"content": "other"}}]},
        {"choices": [{"delta": {"content": 5, "tool_calls": [None, 3], "reasoning": {}}}]},
        {"usage": "x", "x_groq": 1},
    ]
    assert fold(*odd)[0] == []


def test_deltas_tell_the_call() -> None:
    pieces, _ = fold(delta(tool_calls=[piece("", "read", index=3, id="a")]), delta(tool_calls=[piece("{}", index=3)]))
    assert pieces == [CallDelta(0, "read", ""), CallDelta(0, "read", "{}")]


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 5}, Usage(100, 5)),
        (
            {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 60}},
            Usage(100, 5, 60),
        ),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}, Usage(100, 0, 64)),
        ({"prompt_tokens": 100, "cached_tokens": 30, "prompt_tokens_details": None}, Usage(100, 0, 30)),
        (
            {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 9}},
            Usage(10, 0, 10),
        ),
        (
            {"prompt_tokens": 90, "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 20}},
            Usage(90, 0, 60, 20),
        ),
        ({"prompt_tokens": None, "completion_tokens": True, "cached_tokens": "3"}, Usage()),
        ({"prompt_tokens": 12.0, "completion_tokens": -4}, Usage(12)),
        ({"prompt_tokens": float("nan")}, Usage()),
    ],
)
def test_usage(usage: dict[str, Any], counted: Usage) -> None:
    assert usage_of(usage) == counted


def test_usage_told_again_counts_once() -> None:
    first, last = {"prompt_tokens": 9, "completion_tokens": 1}, {"prompt_tokens": 9, "completion_tokens": 3}
    events = [
        {**delta(content="a"), "usage": first},
        {"choices": [{"delta": {"content": "b"}, "usage": last, "finish_reason": "stop"}]},
        {"choices": [], "usage": None},
    ]
    assert fold(*events)[1].reply().usage == Usage(9, 3)
    assert fold(delta("stop", content="a"), {"x_groq": {"usage": last}})[1].reply().usage == Usage(9, 3)

"""Every door against a loopback server: the same cases in each protocol. A new door is one row in ROWS."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from serving import Play, Server
from wires import Said, chat_events, messages_events, sse

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import CallDelta, Notice, TextDelta, ThinkingDelta
from agentmem.domain.message import Message, Reply, Text, Thinking, ToolCall, Usage
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.chat import ChatDoor
from agentmem.model.door import Door, ModelError, Piece
from agentmem.model.endpoint import Endpoint
from agentmem.model.messages import MessagesDoor
from agentmem.model.timeouts import Timeouts

KEY = "k-7f3a9c0d1e5b4a68"
QUICK = Timeouts(connect=2.0, first_byte=5.0, idle=5.0)


@dataclass(frozen=True)
class Row:
    """One door and the words of the server behind it. `error` wraps (type, message) as the protocol does."""

    name: str
    open: Callable[[str, Timeouts], Door]
    events: Callable[[Said], list[bytes]]
    error: Callable[[str, str], dict[str, Any]]
    mark: bytes = b""


def _chat(url: str, timeouts: Timeouts) -> Door:
    return ChatDoor(Endpoint("openai/m-1", "openai", "m-1", url + "/v1", key=KEY), timeouts)


def _messages(url: str, timeouts: Timeouts) -> Door:
    return MessagesDoor(Endpoint("anthropic/m-1", "anthropic", "m-1", url, key=KEY), timeouts)


ROWS = [
    Row("chat", _chat, chat_events, lambda kind, message: {"error": {"message": message, "type": kind, "code": kind}}),
    Row(
        "messages",
        _messages,
        messages_events,
        lambda kind, message: {"type": "error", "error": {"type": kind, "message": message}},
        b',"cache_control":{"type":"ephemeral"}',
    ),
]


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> Row:
    return request.param


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
PROMPT = Prompt("Be brief.", (READ,), (Message("user", (Text("hi", "person"),)),))
SAID = Said(
    text='Grüß "あ" 😀\nend',
    thinking="hm, é",
    calls=(("c1", "read", '{"path":"a\\u00e9.py"}'), ("c2", "read", '{"path":"b"}')),
    stop="tool_use",
    usage=Usage(200, 30, 120, 40),
)


def whole(row: Row) -> Reply:
    provider = "openai" if row.name == "chat" else "anthropic"
    return Reply(
        (
            Thinking("hm, é", None, provider),
            Text('Grüß "あ" 😀\nend', "agent"),
            ToolCall("c1", "read", {"path": "aé.py"}),
            ToolCall("c2", "read", {"path": "b"}),
        ),
        "tool_use",
        Usage(200, 30, 120, 40),
    )


def ask(row: Row, server: Server, *plays: Play, prompt: Prompt = PROMPT, timeouts: Timeouts = QUICK) -> list[Piece]:
    server.play(*plays)
    door = row.open(server.url, timeouts)
    try:
        return list(door.stream(prompt, Cancel()))
    finally:
        door.close()


def failed(row: Row, server: Server, *plays: Play, timeouts: Timeouts = QUICK) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(row, server, *plays, timeouts=timeouts)
    assert KEY not in str(caught.value)
    assert row.open(server.url, timeouts).model in str(caught.value) or server.url in str(caught.value)
    return caught.value


def refusal(row: Row, status: int, kind: str, message: str, **headers: str) -> Play:
    body = json.dumps(row.error(kind, message)).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Play((body,), status, names, framing="length", kind="application/json")


# -- what comes back ---------------------------------------------------------------------------------------------------


def test_pieces_then_one_reply(row: Row, server: Server) -> None:
    pieces = ask(row, server, Play(row.events(SAID)))
    *deltas, reply = pieces
    assert reply == whole(row)
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == 'Grüß "あ" 😀\nend'
    assert "".join(d.text for d in deltas if isinstance(d, ThinkingDelta)) == "hm, é"
    calls = [d for d in deltas if isinstance(d, CallDelta)]
    assert {(d.index, d.name) for d in calls} == {(0, "read"), (1, "read")}
    assert "".join(d.arguments for d in calls if d.index == 1) == '{"path":"b"}'


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_every_framing(row: Row, server: Server, framing: Any) -> None:
    assert ask(row, server, Play(row.events(SAID), framing=framing))[-1] == whole(row)


@pytest.mark.parametrize("ends", [b"\r\n", b"\r"])
def test_every_line_end(row: Row, server: Server, ends: bytes) -> None:
    stream = b"\xef\xbb\xbf" + b"".join(row.events(SAID)).replace(b"\n", ends)
    assert ask(row, server, Play((stream,)))[-1] == whole(row)


def test_split_at_every_byte(row: Row, server: Server) -> None:
    """Each chunk of the transfer coding reaches the door as a piece of its own, whatever TCP makes of it."""
    stream = b"".join(row.events(SAID)).replace(b"\n", b"\r\n")
    door = row.open(server.url, QUICK)
    for at in range(1, len(stream)):
        server.play(Play((stream[:at], stream[at:])))
        assert list(door.stream(PROMPT, Cancel()))[-1] == whole(row)
    server.play(Play(tuple(stream[at : at + 1] for at in range(len(stream)))))
    assert list(door.stream(PROMPT, Cancel()))[-1] == whole(row)
    assert server.connections == 1
    door.close()


def test_cut_at_every_byte(row: Row, server: Server) -> None:
    """A stream that is cut is the whole reply once the reason for its end was told, else dropped; never a part."""
    events = row.events(SAID)
    stream = b"".join(events)
    told = next(i for i, e in enumerate(events) if b'"tool_calls"}' in e or b'"stop_reason"' in e)
    reason = len(b"".join(events[: told + 1]))
    door = row.open(server.url, QUICK)
    for at in range(len(stream)):
        server.play(Play((stream[:at],), framing="close" if at % 2 else "chunked", ending="cut"))
        try:
            reply = list(door.stream(PROMPT, Cancel()))[-1]
        except ModelError as error:
            assert (error.failure, error.retryable) == ("dropped", True)
            assert at < reason
        else:
            assert isinstance(reply, Reply)
            assert reply.parts == whole(row).parts
            assert at >= reason - 3  # its last event is whole but for the blank line
    door.close()


def test_silence_after_the_reason_is_an_end(row: Row, server: Server) -> None:
    """Some servers forget the end mark and keep the connection; the reply is whole all the same."""
    events = row.events(SAID)
    told = next(i for i, e in enumerate(events) if b'"tool_calls"}' in e or b'"stop_reason"' in e)
    quick = Timeouts(connect=2, first_byte=5, idle=0.1)
    reply = ask(row, server, Play(events[: told + 1], ending="hang"), timeouts=quick)[-1]
    assert isinstance(reply, Reply)
    assert reply.parts == whole(row).parts


def test_comment_lines_and_unknown_events(row: Row, server: Server) -> None:
    noise = [b": ping\n\n", sse({"type": "of_tomorrow", "delta": 1}), b"id: 7\nretry: 10\n\n", b":\n"]
    pieces = [piece for event in row.events(SAID) for piece in (*noise, event)]
    assert ask(row, server, Play(pieces))[-1] == whole(row)


def test_data_over_two_lines(row: Row, server: Server) -> None:
    events = [event.replace(b", ", b",\ndata: ", 1) for event in row.events(SAID)]
    assert ask(row, server, Play(events))[-1] == whole(row)


@pytest.mark.parametrize("end", [b"\n\n", b"\n"])
def test_a_broken_event_is_told_and_takes_no_neighbour(row: Row, server: Server, end: bytes) -> None:
    for place in range(1, len(row.events(SAID)) - 1):
        events = row.events(SAID)
        events.insert(place, b'data: {"broken": ' + end)
        *deltas, notice, reply = ask(row, server, Play(events))
        assert reply == whole(row)
        assert isinstance(notice, Notice)
        assert "1 event of the model's stream could not be read" in notice.text
        assert not any(isinstance(delta, Notice) for delta in deltas)


def test_a_lost_piece_of_a_call_is_no_call(row: Row, server: Server) -> None:
    """Without the piece the arguments would parse and name another file."""
    said = Said(calls=(("c1", "read", '{"path":"/keep/this"}'),), stop="tool_use", size=6)
    events = row.events(said)
    place = next(i for i, event in enumerate(events) if b"ep/thi" in event)
    events[place] = events[place].rstrip()[:-3] + b"\n\n"
    assert failed(row, server, Play(events)).failure == "dropped"


def test_a_reply_in_one_piece(row: Row, server: Server) -> None:
    """Some servers answer with the whole reply although a stream was asked for."""
    bodies = {
        "chat": {
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "tool_calls",
                    "message": {
                        "role": "assistant",
                        "content": "Hi",
                        "tool_calls": [
                            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
                        ],
                    },
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3},
        },
        "messages": {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Hi"},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 9, "output_tokens": 3},
        },
    }
    body = json.dumps(bodies[row.name], indent=1).encode()
    pieces = ask(row, server, Play((b" ", body[:9], body[9:]), kind="application/json"))
    assert pieces[0] == TextDelta("Hi")
    assert pieces[-1] == Reply((Text("Hi", "agent"), ToolCall("c1", "read", {"path": "a"})), "tool_use", Usage(9, 3))


def test_cut_by_the_length_limit(row: Row, server: Server) -> None:
    said = Said("Writing…", calls=(("w1", "write", '{"path":"x.py","content":"print('),), stop="length")
    reply = ask(row, server, Play(row.events(said)))[-1]
    raw = '{"path":"x.py","content":"print('
    assert reply == Reply((Text("Writing…", "agent"), ToolCall("w1", "write", {}, raw)), "length")
    valid = Said(calls=(("w1", "write", '{"path":"x.py"}'),), stop="length")
    assert ask(row, server, Play(row.events(valid)))[-1] == Reply(
        (ToolCall("w1", "write", {"path": "x.py"}),), "length"
    )
    nothing = Said(calls=(("w1", "write", ""),), stop="length")
    assert ask(row, server, Play(row.events(nothing)))[-1] == Reply((ToolCall("w1", "write", {}, ""),), "length")


def test_no_arguments_at_all_are_an_empty_object(row: Row, server: Server) -> None:
    said = Said(calls=(("w1", "status", ""),), stop="tool_use")
    assert ask(row, server, Play(row.events(said)))[-1] == Reply((ToolCall("w1", "status"),), "tool_use")


def test_arguments_that_are_no_object_are_kept_raw(row: Row, server: Server) -> None:
    for raw in ("[1, 2]", '{"path": NaN}', '{"path": "a"', "plain words", "7"):
        said = Said(calls=(("w1", "read", raw),), stop="tool_use")
        assert ask(row, server, Play(row.events(said)))[-1] == Reply((ToolCall("w1", "read", {}, raw),), "tool_use")


def test_refusal(row: Row, server: Server) -> None:
    assert ask(row, server, Play(row.events(Said("I can", stop="refusal"))))[-1] == Reply(
        (Text("I can", "agent"),), "refusal"
    )


def test_one_id_used_twice_in_a_reply(row: Row, server: Server) -> None:
    said = Said(calls=(("c", "read", '{"path":"a"}'), ("c", "read", '{"path":"b"}')), stop="tool_use")
    reply = ask(row, server, Play(row.events(said)))[-1]
    assert isinstance(reply, Reply)
    first, second = reply.calls
    assert (first.id, first.arguments, second.arguments) == ("c", {"path": "a"}, {"path": "b"})
    assert second.id not in ("", "c")


# -- what goes wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["whole", "cut", "reset"])
def test_ends_after_the_tools_name(row: Row, server: Server, ending: Any) -> None:
    events = row.events(Said(calls=(("w1", "write", '{"path":"x"}'),), stop="tool_use"))
    name = next(i for i, event in enumerate(events) if b'"write"' in event)
    error = failed(row, server, Play(events[: name + 1], framing="close", ending=ending))
    assert (error.failure, error.retryable) == ("dropped", True)


@pytest.mark.parametrize("said", [Said(""), Said(" \n ")])
def test_empty_reply(row: Row, server: Server, said: Said) -> None:
    error = failed_quietly(row, server, Play(row.events(said)))
    assert (error.failure, error.retryable) == ("dropped", True)
    assert "empty" in str(error)


def failed_quietly(row: Row, server: Server, *plays: Play) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(row, server, *plays)
    return caught.value


def test_a_thought_alone_is_a_reply(row: Row, server: Server) -> None:
    reply = ask(row, server, Play(row.events(Said(thinking="hm"))))[-1]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.stop) == ("", "end")


def test_no_events_at_all(row: Row, server: Server) -> None:
    assert failed(row, server, Play(())).failure == "dropped"
    assert failed(row, server, Play((), framing="raw")).failure == "dropped"


def test_idle_stream(row: Row, server: Server) -> None:
    started = time.monotonic()
    play = Play(row.events(SAID)[:2], ending="hang")
    error = failed(row, server, play, timeouts=Timeouts(connect=2, first_byte=5, idle=0.2))
    assert (error.failure, error.retryable) == ("network", True)
    assert "0.2 s" in str(error)
    assert time.monotonic() - started < 2


def test_no_first_byte(row: Row, server: Server) -> None:
    play = Play((), framing="raw", ending="hang")
    error = failed(row, server, play, timeouts=Timeouts(connect=2, first_byte=0.2, idle=5))
    assert (error.failure, error.retryable) == ("network", True)
    assert "0.2 s" in str(error)


def test_slow_chunks_are_waited_for(row: Row, server: Server) -> None:
    pieces = [piece for event in row.events(Said("slow")) for piece in (0.06, event)]
    quick = Timeouts(connect=2, first_byte=0.5, idle=0.5)
    assert ask(row, server, Play(pieces), timeouts=quick)[-1] == Reply((Text("slow", "agent"),), "end")


def test_nothing_listens(row: Row) -> None:
    with Server() as gone:
        url = gone.url
    door = row.open(url, QUICK)
    with pytest.raises(ModelError) as caught:
        list(door.stream(PROMPT, Cancel()))
    assert (caught.value.failure, caught.value.retryable) == ("network", True)
    assert url in str(caught.value)
    assert "api_base" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "kind", "message", "failure", "retryable"),
    [
        (401, "authentication_error", f"invalid x-api-key {KEY}", "refused_key", False),
        (403, "permission_error", "not allowed", "refused_key", False),
        (404, "not_found_error", "model: m-1", "unknown_model", False),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "overflow", False),
        (413, "request_too_large", "Request exceeds the maximum size", "overflow", False),
        (400, "invalid_request_error", "m-1 does not support tools", "no_tools", False),
        (400, "invalid_request_error", "messages.0: bad", "bad_request", False),
        (422, "invalid_request_error", "bad", "bad_request", False),
        (402, "billing", "Insufficient Balance", "bad_request", False),
        (429, "insufficient_quota", "You exceeded your current quota", "bad_request", False),
        (429, "rate_limit_error", "Number of tokens per minute exceeded", "rate_limit", True),
        (500, "api_error", "Internal server error", "server", True),
        (503, "unavailable", "busy", "server", True),
        (529, "overloaded_error", "Overloaded", "server", True),
    ],
)
def test_refusals(
    row: Row, server: Server, status: int, kind: str, message: str, failure: str, retryable: bool
) -> None:
    error = failed(row, server, refusal(row, status, kind, message))
    assert (error.failure, error.status, error.retryable) == (failure, status, retryable)


def test_the_key_never_shows(row: Row, server: Server) -> None:
    for echo in (KEY, f"Bearer {KEY}", f"{KEY[:10]}…", f"…{KEY[-9:]}", f"'{KEY}'"):
        error = failed(row, server, refusal(row, 401, "invalid_api_key", f"Incorrect API key provided: {echo}."))
        assert KEY[:8] not in str(error)
        assert KEY[-8:] not in str(error)
        assert error.__cause__ is None


def test_a_refusal_whose_words_never_come(row: Row, server: Server) -> None:
    play = Play((b'{"err',), 503, ending="hang")
    error = failed(row, server, play, timeouts=Timeouts(connect=2, first_byte=5, idle=0.1))
    assert (error.failure, error.status) == ("server", 503)


def test_json_that_is_none(row: Row, server: Server) -> None:
    assert failed(row, server, Play((b'{"a": ',), kind="application/json")).failure == "bad_request"


def test_retry_after(row: Row, server: Server) -> None:
    error = failed(row, server, refusal(row, 429, "rate_limit_error", "slow down", Retry_After="7"))
    assert (error.failure, error.retry_after) == ("rate_limit", 7.0)


def test_an_error_within_the_stream(row: Row, server: Server) -> None:
    start = row.events(SAID)[:3]
    overloaded = sse(row.error("overloaded_error", "Overloaded"), "error")
    error = failed(row, server, Play((*start, overloaded)))
    assert (error.failure, error.retryable) == ("server", True)
    other = sse(row.error("weird", f"went away {KEY}"), "error")
    assert failed(row, server, Play((*start, other))).failure == "dropped"
    long = sse(row.error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), "error")
    assert failed(row, server, Play((*start, long))).failure == "overflow"


def test_an_error_in_place_of_a_reply(row: Row, server: Server) -> None:
    body = json.dumps(row.error("rate_limit_error", "slow down")).encode()
    assert failed(row, server, Play((body,), kind="application/json")).failure == "rate_limit"


def test_not_a_model_behind_the_address(row: Row, server: Server) -> None:
    page = Play((b"<!doctype html><title>Sign in</title>",), kind="text/html")
    error = failed(row, server, page)
    assert (error.failure, error.retryable) == ("bad_request", False)
    assert "web page" in str(error)
    moved = Play((), 308, {"Location": "https://elsewhere.test/v1"}, framing="length")
    error = failed(row, server, moved)
    assert (error.failure, error.retryable) == ("bad_request", False)
    assert "https://elsewhere.test/v1" in str(error)
    other = Play((b'{"hello":"world"}',), kind="application/json")
    assert failed(row, server, other).failure == "bad_request"


# -- what is sent ------------------------------------------------------------------------------------------------------


def test_the_body_is_what_was_sent(row: Row, server: Server) -> None:
    door = row.open(server.url, QUICK)
    server.play(Play(row.events(SAID)))
    list(door.stream(PROMPT, Cancel()))
    assert server.seen[0].body == door.body(PROMPT)
    assert row.open(server.url, QUICK).body(PROMPT) == door.body(PROMPT)
    assert KEY.encode() not in server.seen[0].body
    assert KEY in server.seen[0].raw.decode()
    door.close()


def test_one_request_extends_the_last(row: Row) -> None:
    door = row.open("http://127.0.0.1:9", QUICK)
    history: list[Message] = [Message("user", (Text("go"),))]
    bodies = [door.body(Prompt("s", (READ,), tuple(history)))]
    for number in range(12):
        call_id = f"call|{number}"
        history.append(
            Message("assistant", (Thinking("…", "sig", row.name), Text("ok"), ToolCall(call_id, "read", {"n": number})))
        )
        history.append(Message("tool", (Text("found"),), call_id))
        if number % 5 == 4:
            history.append(Message("user", (Text("also"),)))
        # Equal messages made anew must give equal bytes: a resumed session extends the last request too.
        fresh = [Message(m.role, m.parts, m.call_id) for m in history] if number % 2 else history
        bodies.append(door.body(Prompt("s", (READ,), tuple(fresh))))
    plain = [body.replace(row.mark, b"") if row.mark else body for body in bodies]
    for shorter, longer in pairwise(plain):
        assert shorter.endswith(b"]}")
        assert longer.startswith(shorter[:-2] + b",")


def test_half_a_character_is_replaced(row: Row, server: Server) -> None:
    parts = (Text("ok \ud83d…", "person"), Text("\udc80"))
    call = Message("assistant", (ToolCall("c\ud800", "read", {"path": "\udcff", "n": float("nan")}),))
    prompt = Prompt("\ud800", (READ,), (Message("user", parts), call, Message("tool", (Text("\ud83d"),), "c\ud800")))
    ask(row, server, Play(row.events(Said("ok"))), prompt=prompt)
    text = server.seen[0].body.decode("utf-8")
    assert "ok �…" in text
    json.loads(text, parse_constant=pytest.fail)


def test_half_characters_that_come_in_two_events_are_joined(row: Row, server: Server) -> None:
    events = [
        event.replace("😀".encode(), b"\\ud83d\\ude00").replace("あ".encode(), b"\\ud83d")
        for event in row.events(Said("a😀bあ", size=1))
    ]
    place = next(i for i, event in enumerate(events) if b"\\ude00" in event)
    split = [events[place].replace(b"\\ude00", b""), events[place].replace(b"\\ud83d", b"")]
    *deltas, reply = ask(row, server, Play([*events[:place], *split, *events[place + 1 :]]))
    assert isinstance(reply, Reply)
    assert reply.text == "a😀b�"
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) in ("a😀b", "a😀b�")


def test_ids_and_thinking_of_another_provider(row: Row, server: Server) -> None:
    """A session that one provider wrote is continued at another, which refuses unknown signatures and odd ids."""
    tagged = [
        json.loads(row.open(server.url, QUICK).body(_two_calls(one, "x")))["messages"] for one in ("call_9|fc_77",)
    ]
    mapped = _call_ids(tagged[0])[0]
    prompt = _two_calls("call_9|fc_77", mapped)
    ask(row, server, Play(row.events(Said("ok"))), prompt=prompt)
    sent = server.seen[0].json["messages"]
    ids, answers = _call_ids(sent), _answer_ids(sent)
    assert ids == answers
    assert len(set(ids)) == 2
    assert all(0 < len(one) <= 40 and set(one) <= set(LEGAL) for one in ids)
    assert "reasoning_content" not in json.dumps(sent)
    assert "secret thought" not in json.dumps(sent)


LEGAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


def _two_calls(first: str, second: str) -> Prompt:
    thought = Thinking("secret thought", "reasoning_content", "elsewhere")
    calls = (ToolCall(first, "read", {}), ToolCall(second, "read", {}))
    results = (Message("tool", (Text("1"),), first), Message("tool", (Text("2"),), second))
    asked = Message("user", (Text("go"),))
    return Prompt(
        "s", (READ,), (asked, Message("assistant", (thought, *calls)), *results, Message("user", (Text("on"),)))
    )


def _call_ids(messages: list[dict[str, Any]]) -> list[str]:
    out = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        out += [block["id"] for block in blocks if block["type"] == "tool_use"]
    return out


def _answer_ids(messages: list[dict[str, Any]]) -> list[str]:
    out = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        out += [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    return out


def test_never_an_empty_message(row: Row) -> None:
    messages = (
        Message("user", (Text(" "),)),
        Message("assistant", (Thinking("gone", "s", "elsewhere"),)),
        Message("user", ()),
        Message("assistant", (Text(""), ToolCall("a", "read", {}, raw="[1"))),
        Message("tool", (), "a"),
    )
    sent = json.loads(row.open("http://127.0.0.1:9", QUICK).body(Prompt("s", (), messages)))
    for message in sent["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else [message["content"]]
        texts = [b.get("text") or b.get("content") or b.get("type") if isinstance(b, dict) else b for b in blocks]
        assert message.get("tool_calls") or (texts and all(text and text.strip() for text in texts))
    assert "tools" not in sent


def test_a_long_history_costs_little(row: Row) -> None:
    messages: list[Message] = []
    for number in range(400):
        messages.append(Message("assistant" if number % 2 else "user", (Text("x" * 2000),)))
    door = row.open("http://127.0.0.1:9", QUICK)

    def seconds(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            door.body(Prompt("s", (READ,), tuple(messages)))
        return time.perf_counter() - start

    first = seconds(1)
    assert seconds(5) / 5 < first


# -- stopping and keeping ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("framing", ["chunked", "raw"])
def test_cancel_breaks_a_blocked_read(row: Row, server: Server, framing: Any) -> None:
    pieces = row.events(SAID)[:3] if framing == "chunked" else ()
    server.play(Play(pieces, framing=framing, ending="hang"), Play(row.events(SAID)))
    door, cancel = row.open(server.url, QUICK), Cancel()
    timer = threading.Timer(0.1, cancel.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        list(door.stream(PROMPT, cancel))
    assert time.monotonic() - started < 1
    timer.join()
    with pytest.raises(Cancelled):
        list(door.stream(PROMPT, cancel))
    assert list(door.stream(PROMPT, Cancel()))[-1] == whole(row)
    door.close()


def test_one_connection_for_many_turns(row: Row, server: Server) -> None:
    door = row.open(server.url, QUICK)
    for _ in range(5):
        server.play(Play(row.events(SAID)))
        list(door.stream(PROMPT, Cancel()))
    server.play(refusal(row, 500, "api_error", "oops"), Play(row.events(SAID)))
    with pytest.raises(ModelError):
        list(door.stream(PROMPT, Cancel()))
    list(door.stream(PROMPT, Cancel()))
    assert server.connections <= 2
    door.close()


@pytest.mark.parametrize("ending", ["cut", "reset"])
def test_a_kept_connection_that_died_is_opened_again(row: Row, server: Server, ending: Any) -> None:
    door = row.open(server.url, QUICK)
    server.play(Play(row.events(SAID)))
    list(door.stream(PROMPT, Cancel()))
    # The next request on the kept connection is read and answered by nothing.
    server.play(Play((), framing="raw", ending=ending), Play(row.events(SAID)))
    assert list(door.stream(PROMPT, Cancel()))[-1] == whole(row)
    assert [seen.connection for seen in server.seen] == [0, 0, 1]
    # On a fresh connection the same is told: it may have been asked and paid for.
    door.close()
    server.play(Play((), framing="raw", ending=ending))
    with pytest.raises(ModelError) as caught:
        list(door.stream(PROMPT, Cancel()))
    assert (caught.value.failure, server.left) == ("dropped", 0)
    # So is one that broke within the answer.
    server.play(Play(row.events(SAID)), Play((b"HTTP/1.1 2",), framing="raw", ending=ending))
    list(door.stream(PROMPT, Cancel()))
    with pytest.raises(ModelError):
        list(door.stream(PROMPT, Cancel()))
    assert server.left == 0


def test_leaving_a_stream_gives_the_connection_up(row: Row, server: Server) -> None:
    door = row.open(server.url, QUICK)
    server.play(Play(row.events(SAID), ending="hang"), Play(row.events(SAID)))
    stream = door.stream(PROMPT, Cancel())
    next(iter(stream))
    stream.close()  # type: ignore[attr-defined]
    assert list(door.stream(PROMPT, Cancel()))[-1] == whole(row)
    assert [seen.connection for seen in server.seen] == [0, 1]
    door.close()

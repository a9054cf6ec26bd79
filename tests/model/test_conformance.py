"""Conformance, what comes back: every door in ROWS reads the same replies, however they arrive."""

from __future__ import annotations

import json
from typing import Any

import pytest
from doors import PROMPT, QUICK, SAID, Row, ask, failed, whole
from serving import Play, Server
from wires import Said, sse

from agentmem.domain.cancel import Cancel
from agentmem.domain.event import CallDelta, Notice, TextDelta, ThinkingDelta
from agentmem.domain.message import Reply, Text, ToolCall, Usage
from agentmem.model.door import ModelError
from agentmem.model.timeouts import Timeouts


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

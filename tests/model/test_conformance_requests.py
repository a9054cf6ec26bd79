"""Conformance, what is sent: every door in ROWS keeps the same laws of requests and connections."""

from __future__ import annotations

import json
import threading
import time
from itertools import pairwise
from typing import Any

import pytest
from doors import KEY, PROMPT, QUICK, READ, SAID, Row, ask, refusal, whole
from serving import Play, Server
from wires import Said

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import TextDelta
from agentmem.domain.message import Message, Reply, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError


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
    mapped = _call_ids(json.loads(row.open(server.url, QUICK).body(_two_calls("call_9|fc_77", "x")))["messages"])[0]
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
    assert time.monotonic() - started < 10
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

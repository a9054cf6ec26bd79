"""The scripted door plays its lines, streams them, and is as strict as a provider."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Message, Reply, Text, Thinking, ToolCall, Usage
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.door import ModelError, Piece
from agentmem.model.scripted import ScriptedDoor

ASK = Prompt("be good", (ToolSpec("read", "Read.", {"type": "object"}),), (Message("user", (Text("Hi", "person"),)),))


def door(tmp_path: Path, *lines: object) -> ScriptedDoor:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return ScriptedDoor(path)


def play(played: ScriptedDoor, prompt: Prompt = ASK) -> list[Piece]:
    return list(played.stream(prompt, Cancel()))


def test_a_reply_streams_in_pieces_and_ends_whole(tmp_path: Path) -> None:
    played = door(
        tmp_path,
        {
            "thinking": "two words",
            "text": "a  bc\n",
            "tool_calls": [{"name": "read", "arguments": {"path": "x"}}],
            "usage": {"input": 7, "output": 3},
        },
    )
    assert play(played) == [
        ThinkingDelta("two "),
        ThinkingDelta("words"),
        TextDelta("a  "),
        TextDelta("bc\n"),
        CallDelta(0, "read", '{"path": "x"}'),
        Reply(
            (
                Thinking("two words", provider="scripted"),
                Text("a  bc\n", "agent"),
                ToolCall("call_1", "read", {"path": "x"}),
            ),
            "tool_use",
            Usage(7, 3),
        ),
    ]
    assert played.requests == [ASK]
    assert played.model == f"scripted:{tmp_path}/s.jsonl"


@given(text=st.text())
def test_the_pieces_of_a_text_are_the_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    pieces = play(door(tmp_path_factory.mktemp("s"), {"text": text}))
    assert "".join(piece.text for piece in pieces[:-1] if isinstance(piece, TextDelta)) == text
    assert isinstance(pieces[-1], Reply)
    assert pieces[-1].text == text


def test_long_arguments_come_in_pieces(tmp_path: Path) -> None:
    pieces = play(door(tmp_path, {"tool_calls": [{"name": "write", "raw": "x" * 90}, {"name": "ls", "raw": ""}]}))
    assert pieces[:-1] == [
        CallDelta(0, "write", "x" * 40),
        CallDelta(0, "write", "x" * 40),
        CallDelta(0, "write", "x" * 10),
        CallDelta(1, "ls", ""),
    ]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({"raw": '{"path":"x.py","content":"print('}, ToolCall("w1", "write", raw='{"path":"x.py","content":"print(')),
        ({"raw": '{"path":"x.py"}'}, ToolCall("w1", "write", {"path": "x.py"})),
        ({"arguments": "[1]"}, ToolCall("w1", "write", raw="[1]")),
        ({"raw": "[" * 100_000}, ToolCall("w1", "write", raw="[" * 100_000)),
    ],
)
def test_arguments_as_they_stream_in_whole_or_cut(tmp_path: Path, call: dict[str, str], expected: ToolCall) -> None:
    line = {"text": "Writing…", "tool_calls": [{"name": "write", "id": "w1", **call}], "stop": "length"}
    assert play(door(tmp_path, line))[-1] == Reply((Text("Writing…", "agent"), expected), "length")


def test_given_ids_are_kept_and_others_never_meet_one_of_the_prompt(tmp_path: Path) -> None:
    before = (
        *ASK.messages,
        Message("assistant", (ToolCall("call_2", "read"), ToolCall("call_4", "read"))),
        Message("tool", (Text("ok", "tool"),), call_id="call_2"),
        Message("tool", (Text("ok", "tool"),), call_id="call_4"),
    )
    played = door(tmp_path, {"tool_calls": [{"name": "a"}, {"name": "b", "id": "call_5"}, {"name": "c"}]})
    reply = play(played, Prompt("", (), before))[-1]
    assert isinstance(reply, Reply)
    assert [call.id for call in reply.calls] == ["call_6", "call_5", "call_7"]


def test_an_empty_line_object_is_an_empty_reply(tmp_path: Path) -> None:
    assert play(door(tmp_path, {})) == [Reply((), "end")]


def test_a_dry_script_says_file_and_count(tmp_path: Path) -> None:
    played = door(tmp_path, {"text": "one"}, {"text": "two"})
    play(played)
    play(played)
    with pytest.raises(ModelError) as caught:
        play(played)
    assert caught.value.failure == "dry"
    assert not caught.value.retryable
    assert str(caught.value) == f"the script {tmp_path}/s.jsonl has no reply left: all 2 were played"
    assert len(played.requests) == 3


def test_an_error_line_fails_and_is_remembered_when_dry(tmp_path: Path) -> None:
    played = door(tmp_path, {"error": {"failure": "rate_limit", "message": "slow down", "retry_after": 3}})
    with pytest.raises(ModelError, match=r"^slow down$") as caught:
        play(played)
    assert (caught.value.failure, caught.value.retry_after, caught.value.retryable) == ("rate_limit", 3, True)
    with pytest.raises(ModelError, match=r"all 1 were played \(the last one was the error: slow down\)$"):
        play(played)


def test_an_error_beside_content_comes_after_it(tmp_path: Path) -> None:
    stream = door(tmp_path, {"text": "half a", "error": {"failure": "dropped"}}).stream(ASK, Cancel())
    assert [next(stream), next(stream)] == [TextDelta("half "), TextDelta("a")]
    with pytest.raises(ModelError) as caught:
        next(stream)
    assert caught.value.failure == "dropped"


def test_an_illegal_prompt_is_refused_and_no_reply_used_up(tmp_path: Path) -> None:
    played = door(tmp_path, {"text": "fine"})
    illegal = Prompt("", (), (*ASK.messages, Message("assistant", (ToolCall("a", "read"),))))
    with pytest.raises(ModelError) as caught:
        play(played, illegal)
    assert (caught.value.failure, caught.value.status) == ("bad_request", 400)
    assert str(caught.value) == "the prompt is illegal: the prompt ends without a result for read (a)"
    assert play(played)[-1] == Reply((Text("fine", "agent"),), "end")


def test_a_delay_ends_at_once_when_cancelled(tmp_path: Path) -> None:
    cancel = Cancel()
    threading.Timer(0.05, cancel.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        next(door(tmp_path, {"text": "late", "delay_ms": 60_000}).stream(ASK, cancel))
    assert time.monotonic() - started < 5


def test_a_short_delay_passes(tmp_path: Path) -> None:
    started = time.monotonic()
    assert play(door(tmp_path, {"text": "late", "delay_ms": 30}))[-1] == Reply((Text("late", "agent"),), "end")
    assert time.monotonic() - started >= 0.03


def test_cancelling_between_pieces_stops_the_stream(tmp_path: Path) -> None:
    cancel = Cancel()
    stream = door(tmp_path, {"text": "one two three"}).stream(ASK, cancel)
    assert next(stream) == TextDelta("one ")
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(stream)


def test_a_body_is_a_pure_function_whose_prefix_holds_still(tmp_path: Path) -> None:
    played = door(tmp_path, {})
    longer = Prompt(
        ASK.system,
        ASK.tools,
        (
            *ASK.messages,
            Message("assistant", (ToolCall("a", "read", {"p": "ü\ud800"}),)),
            Message("tool", (Text("no", "tool"),), call_id="a", error=True),
        ),
    )
    short, long = played.body(ASK), played.body(longer)
    assert short == played.body(ASK)
    assert short.endswith(b"]}")
    assert long.startswith(short[:-2])
    assert json.loads(long)["messages"][2] == {
        "role": "tool",
        "content": [{"type": "text", "text": "no", "origin": "tool"}],
        "call_id": "a",
        "error": True,
    }
    played.close()

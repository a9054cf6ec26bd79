"""The benchmarks' model server: it speaks the chat protocol to the bare scripts and writes down what reached it."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.model_server import reply, serving
from benchmarks.process import FLOORS, Failed, run, workspace
from benchmarks.turns import TASK, bare_turn


def test_a_reply_is_a_bash_call_until_the_calls_are_made() -> None:
    def events(raw: bytes) -> list[dict[str, object]]:
        return [json.loads(line[6:]) for line in raw.split(b"\n") if line.startswith(b"data: {")]

    first, last = events(reply(1, 1)), events(reply(2, 1))
    assert first[1]["choices"] == [
        {
            "index": 0,
            "delta": {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_000001",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command": "echo call-1"}'},
                    }
                ]
            },
            "finish_reason": None,
        }
    ]
    assert last[1]["choices"] == [{"index": 0, "delta": {"content": "done"}, "finish_reason": None}]


def test_the_bare_loop_makes_every_call_and_is_measured() -> None:
    with serving() as server:
        turn = bare_turn(server, 3)
    assert len(turn.gaps) == 3
    assert all(0 < gap < 5_000 for gap in turn.gaps)
    assert 5 < turn.peak < 100
    assert turn.log_overhead == 0.0


def test_the_bare_call_prints_the_answer_and_one_request_is_on_record() -> None:
    with serving() as server, workspace() as place:
        argv = [sys.executable, str(FLOORS / "one_call.py"), "-p", TASK, "--model", "bench"]
        start, end = run([*argv, "--api-base", server.api_base("once", 0)], place)
        ((arrived, replied, size),) = server.records("once")
    assert start < arrived < replied < end
    assert size == len(json.dumps({"model": "bench", "stream": True, "messages": [{"role": "user", "content": TASK}]}))


def test_a_program_that_fails_is_no_measurement() -> None:
    with workspace() as place, pytest.raises(Failed, match="ended with 3:\nno such luck"):
        run([sys.executable, "-c", "import sys; print('no such luck'); sys.exit(3)"], place)

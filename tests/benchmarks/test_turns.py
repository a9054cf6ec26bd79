"""What a turn cost: gaps between replies and requests, and log bytes beyond content."""

from __future__ import annotations

import json

import pytest

from benchmarks.turns import Turn, gaps, log_overhead


def test_a_gap_runs_from_a_reply_to_the_next_request() -> None:
    assert gaps([(1.0, 1.5, 10), (1.75, 2.0, 20), (2.5, 3.0, 30)]) == pytest.approx((250.0, 500.0))


def test_the_calls_around_one_are_ten_to_each_side() -> None:
    turn = Turn(tuple(float(number) for number in range(1, 51)), 1.0, 1, 0.0)
    assert (turn.around(20), turn.around(5)) == (20.0, 8.0)


def test_log_bytes_leave_out_what_the_model_and_the_tool_said() -> None:
    def line(**entry: object) -> bytes:
        return json.dumps(entry).encode()

    call = {"type": "tool_call", "id": "c", "name": "bash", "arguments": {"command": "echo é"}}
    said = line(type="message", role="assistant", content=[{"type": "text", "text": "I look."}, call])
    result = line(type="message", role="tool", call_id="c", content=[{"type": "text", "text": "é\n"}])
    other = line(type="call", sha="0" * 64)
    log = [line(type="session"), line(type="message", role="user", content="x" * 500), said, other, result, said, b""]
    # beyond content: "I look." is 7 bytes, {"command":"echo \\u00e9"} 25, "é\n" 3
    assert log_overhead(log, 1) == (len(said) + 1 - 7 - 25) + (len(other) + 1) + (len(result) + 1 - 3)

"""Conformance, what goes wrong: every door in ROWS tells the same failures."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from doors import KEY, PROMPT, QUICK, SAID, Row, ask, failed, refusal
from serving import Play, Server
from wires import Said, sse

from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Reply, Text
from agentmem.model.door import ModelError
from agentmem.model.timeouts import Timeouts


@pytest.mark.parametrize("ending", ["whole", "cut", "reset"])
def test_ends_after_the_tools_name(row: Row, server: Server, ending: Any) -> None:
    events = row.events(Said(calls=(("w1", "write", '{"path":"x"}'),), stop="tool_use"))
    name = next(i for i, event in enumerate(events) if b'"write"' in event)
    error = failed(row, server, Play(events[: name + 1], framing="close", ending=ending))
    assert (error.failure, error.retryable) == ("dropped", True)


@pytest.mark.parametrize("said", [Said(""), Said(" \n ")])
def test_empty_reply(row: Row, server: Server, said: Said) -> None:
    with pytest.raises(ModelError, match="empty") as caught:
        ask(row, server, Play(row.events(said)))
    error = caught.value
    assert (error.failure, error.retryable) == ("dropped", True)


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
    assert time.monotonic() - started < 10


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

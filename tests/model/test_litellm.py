"""litellm's door against a loopback server, in both protocols. litellm is loaded once for all: that takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

import pytest
import test_conformance
import test_conformance_failures
import test_conformance_requests
from doors import KEY, PROMPT, QUICK, READ, SAID, Row, ask, failed, refusal, whole
from doors import ROWS as DIRECT
from serving import Play, Server
from wires import Said, chat_events, messages_events, sse

from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Message, Reply, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm import LitellmDoor
from agentmem.model.litellm_body import MARK
from agentmem.model.litellm_call import load
from agentmem.model.litellm_failures import litellm_failure
from agentmem.model.timeouts import Timeouts

ASKED_AS = {"chat": ("openai", "m-1", "/v1"), "messages": ("anthropic", "claude-m-1", "")}

# The cases that hold for any door: what is missing of the others is litellm's own way with a stream.
SHARED = {
    test_conformance: (
        "test_pieces_then_one_reply",
        "test_every_framing",
        "test_every_line_end",
        "test_data_over_two_lines",
        "test_a_lost_piece_of_a_call_is_no_call",
        "test_one_id_used_twice_in_a_reply",
    ),
    test_conformance_failures: (
        "test_ends_after_the_tools_name",
        "test_empty_reply",
        "test_a_thought_alone_is_a_reply",
        "test_no_first_byte",
        "test_nothing_listens",
        "test_the_key_never_shows",
        "test_retry_after",
        "test_an_error_within_the_stream",
    ),
    test_conformance_requests: (
        "test_one_request_extends_the_last",
        "test_half_characters_that_come_in_two_events_are_joined",
        "test_never_an_empty_message",
        "test_cancel_breaks_a_blocked_read",
        "test_leaving_a_stream_gives_the_connection_up",
    ),
}
for module, names in SHARED.items():
    globals().update({name: getattr(module, name) for name in names})


def opened(name: str, url: str, timeouts: Timeouts = QUICK, key: str | None = KEY) -> LitellmDoor:
    provider, model, path = ASKED_AS[name]
    return LitellmDoor(Endpoint(f"{provider}/{model}", provider, model, url + path, key), timeouts)


ROWS = [replace(row, open=partial(opened, row.name), mark=MARK) for row in DIRECT]


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> Row:
    found: Row = request.param
    return found


@pytest.fixture(scope="module", autouse=True)
def _loaded_and_nobodys_keys() -> Iterator[None]:
    """litellm reads the process's own environment: what a developer has set there must not leak into a test."""
    kept = dict(os.environ)
    for name in kept:
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL", "_AUTH_TOKEN")):
            del os.environ[name]
    trace = sys.gettrace()
    sys.settrace(None)  # measuring coverage would make the loading three times as slow
    litellm = load()
    sys.settrace(trace)
    yield
    for client in litellm.in_memory_llm_clients_cache.cache_dict.values():
        if not iscoroutinefunction(client.close):
            client.close()
    os.environ.clear()
    os.environ.update(kept)


# -- what comes back --------------------------------------------------------------------------------------------------


def test_what_is_sent_is_the_body(row: Row, server: Server) -> None:
    """litellm puts the arguments into the provider's words; what they hold arrives."""
    ask(row, server, Play(row.events(Said("ok"))), prompt=replace(PROMPT, max_output=500))
    sent = server.seen[0].json
    assert sent["stream"] is True
    assert sent["max_tokens"] == 500
    assert sent["messages"][-1]["role"] == "user"
    assert "hi" in json.dumps(sent["messages"][-1])
    assert "Be brief." in json.dumps(sent)
    assert "Read a file." in json.dumps(sent["tools"])
    assert KEY.encode() not in opened(row.name, server.url).body(PROMPT)


def test_claude_is_asked_with_marks_and_its_own_thinking(server: Server) -> None:
    thought = Thinking("because", "sig-1", "anthropic")
    said = Message("assistant", (thought, Thinking("x", "y", "elsewhere"), ToolCall("a", "read", {})))
    prompt = Prompt("Be brief.", (READ,), (*PROMPT.messages, said, Message("tool", (Text("found"),), "a")))
    ask(ROWS[1], server, Play(messages_events(Said("ok"))), prompt=prompt)
    sent = server.seen[0].json
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral"}
    assistant, result = sent["messages"][1:]
    assert assistant["content"][0] == {"type": "thinking", "thinking": "because", "signature": "sig-1"}
    assert [block["type"] for block in assistant["content"]] == ["thinking", "tool_use"]
    assert result["content"][0]["tool_use_id"] == "a"
    assert result["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert "elsewhere" not in json.dumps(sent)


def test_nothing_of_ours_reaches_an_openai_server(server: Server) -> None:
    said = Message("assistant", (Thinking("x", "sig-1", "openai"), ToolCall("a|b", "read", {})))
    prompt = Prompt("Be brief.", (READ,), (*PROMPT.messages, said, Message("tool", (Text("found"),), "a|b")))
    ask(ROWS[0], server, Play(chat_events(Said("ok"))), prompt=prompt)
    sent = json.dumps(server.seen[0].json)
    for word in ("cache_control", "thinking", "reasoning", "sig-1", "a|b"):
        assert word not in sent


def test_signed_and_hidden_thinking_is_kept(server: Server) -> None:
    events = messages_events(Said("ok", thinking="hm"))
    place = next(i for i, event in enumerate(events) if b"content_block_stop" in event)
    signature = {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig-1"}}
    events.insert(place, sse(signature, "content_block_delta"))
    reply = ask(ROWS[1], server, Play(events))[-1]
    assert isinstance(reply, Reply)
    assert reply.parts == (Thinking("hm", "sig-1", "anthropic"), Text("ok", "agent"))


def test_a_cut_by_the_length_limit(row: Row, server: Server) -> None:
    said = Said("Writing…", calls=(("w1", "write", '{"path":"x.py","content":"print('),), stop="length")
    reply = ask(row, server, Play(row.events(said)))[-1]
    assert isinstance(reply, Reply)
    assert reply.stop == "length"
    assert reply.calls == (ToolCall("w1", "write", {}, '{"path":"x.py","content":"print('),)


def test_split_in_odd_places(row: Row, server: Server) -> None:
    stream = b"".join(row.events(SAID)).replace(b"\n", b"\r\n")
    for at in range(7, len(stream), len(stream) // 12):
        reply = ask(row, server, Play((stream[:at], stream[at:])))[-1]
        assert isinstance(reply, Reply)
        assert reply.parts == whole(row).parts


def test_comment_lines(row: Row, server: Server) -> None:
    pieces = [piece for event in row.events(SAID) for piece in (b": ping\n\n", event)]
    reply = ask(row, server, Play(pieces))[-1]
    assert isinstance(reply, Reply)
    assert reply.parts == whole(row).parts


# -- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["cut", "reset", "whole"])
def test_a_stream_that_ends_early_is_dropped_never_a_part(row: Row, server: Server, ending: Any) -> None:
    events = row.events(SAID)
    told = next(i for i, e in enumerate(events) if b'"tool_calls"}' in e or b'"stop_reason"' in e)
    for count in range(1, told, 4):
        error = failed(row, server, Play(events[:count], ending=ending))
        assert error.retryable, (count, str(error))
        assert error.failure in ("dropped", "network")


def test_a_silent_stream_is_given_up(row: Row, server: Server) -> None:
    play = Play(row.events(SAID)[:4], ending="hang")
    started = time.monotonic()
    error = failed(row, server, play, timeouts=Timeouts(connect=2, first_byte=5, idle=0.3))
    assert (error.failure, error.retryable) == ("network", True)
    assert "0.3 s" in str(error)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("status", "kind", "message", "failure", "retryable"),
    [
        (401, "authentication_error", f"invalid x-api-key {KEY}", "refused_key", False),
        (403, "permission_error", "not allowed", "refused_key", False),
        (404, "not_found_error", "model: m-1", "unknown_model", False),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "overflow", False),
        (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens.", "overflow", False),
        (400, "invalid_request_error", "m-1 does not support tools", "no_tools", False),
        (400, "invalid_request_error", "messages.0: bad", "bad_request", False),
        (400, "invalid_request_error", "Please set max_tokens to less", "bad_request", False),
        (422, "invalid_request_error", "bad", "bad_request", False),
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
    assert (error.failure, error.retryable) == (failure, retryable), str(error)
    assert len(server.seen) == 1, "a retry is ours, not litellm's"


def test_a_missing_key_is_told(row: Row, server: Server) -> None:
    with pytest.raises(ModelError) as caught:
        list(opened(row.name, server.url, key=None).stream(PROMPT, Cancel()))
    assert caught.value.failure == "refused_key"
    assert server.seen == []


@pytest.mark.parametrize(
    ("model", "failure", "said"),
    [
        ("petals/x", "no_tools", "petals/x takes no tool calls, and an agent works by them: choose a model that does."),
        ("nobody/x", "unknown_model", "litellm knows no provider for nobody/x: name it provider/name."),
        ("nobody", "unknown_model", "litellm knows no provider for nobody: name it provider/name."),
        (
            "azure/mine",
            "refused_key",
            "azure/mine needs credentials in the environment. litellm said: Missing credentials.",
        ),
    ],
)
def test_what_litellm_refuses_itself(model: str, failure: str, said: str) -> None:
    provider, _, name = model.partition("/")
    with pytest.raises(ModelError) as caught:
        list(LitellmDoor(Endpoint(model, provider, name, ""), QUICK).stream(PROMPT, Cancel()))
    assert caught.value.failure == failure
    assert str(caught.value).startswith(said)


def test_a_model_unknown_to_litellm_is_asked_with_tools_all_the_same(server: Server) -> None:
    server.play(Play(chat_events(SAID)))
    door = LitellmDoor(Endpoint("poe/of-tomorrow", "poe", "of-tomorrow", server.url + "/v1", KEY), QUICK)
    reply = list(door.stream(PROMPT, Cancel()))[-1]
    assert isinstance(reply, Reply)
    assert reply.calls[0].name == "read"
    assert server.seen[0].json["tools"][0]["function"]["name"] == "read"


def _raised(error: Exception, cause: Exception | None = None) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("make", "streaming", "failure", "said"),
    [
        (
            lambda m: m.Timeout("late", "m", "azure"),
            True,
            "network",
            "azure/m did not answer in time. litellm said: late",
        ),
        (
            lambda m: m.ServiceUnavailableError("odd", "azure", "m"),
            False,
            "server",
            "The server of azure/m failed (503). It said: odd",
        ),
        (
            lambda m: m.APIConnectionError("went away", "azure", "m"),
            True,
            "dropped",
            "The stream of azure/m ended with an error: went away",
        ),
        (
            lambda m: m.exceptions.MidStreamFallbackError(
                "x", "m", "azure", original_exception=m.RateLimitError("slow down", "azure", "m")
            ),
            True,
            "rate_limit",
            "azure/m is at its rate limit. The server said: slow down",
        ),
        (
            lambda m: m.ContextWindowExceededError("too long", "m", "azure"),
            False,
            "overflow",
            "The prompt is too large for azure/m. litellm said: too long",
        ),
        (
            lambda m: m.APIConnectionError("No module named x. Run pip install x", "azure", "m"),
            False,
            "bad_request",
            "A package that azure/m needs is not installed: No module named x. Run pip install x",
        ),
        (
            lambda m: m.APIConnectionError("odd\nTraceback (most recent call last):\n  File", "azure", "m"),
            False,
            "bad_request",
            "litellm failed for azure/m: odd",
        ),
        (
            lambda m: _raised(KeyError("choices"), ValueError("x")),
            False,
            "bad_request",
            "litellm failed for azure/m (KeyError): 'choices'",
        ),
        (
            lambda m: ModuleNotFoundError("No module named 'litellm'"),
            False,
            "bad_request",
            "A package that azure/m needs is not installed: No module named 'litellm'",
        ),
        (
            lambda m: m.AuthenticationError(
                repr('{"error":{"message":"it\'s “s3cr3t-t0ken”"}}'.encode()), "azure", "m"
            ),
            False,
            "refused_key",
            "azure/m wants a key and none is set. The server said: it's “[key]”",
        ),
    ],
)
def test_what_litellm_raises_is_told_in_our_words(
    make: Callable[[Any], Exception], streaming: bool, failure: str, said: str
) -> None:
    endpoint = Endpoint("azure/m", "azure", "m", "", env={"AZURE_AD_TOKEN": "s3cr3t-t0ken", "PATH": "azure/m"})
    error = litellm_failure(make(load()), endpoint, streaming)
    assert (error.failure, str(error)) == (failure, said)


# -- stopping ---------------------------------------------------------------------------------------------------------


def test_a_stream_that_is_left_hangs_up(row: Row, server: Server) -> None:
    """The server sees the connection end, so that it can stop its work."""
    server.play(Play(row.events(SAID)[:4], ending="hang"))
    stream = opened(row.name, server.url).stream(PROMPT, Cancel())
    next(stream)
    before = _workers()
    stream.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 3
    while _workers() >= before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _workers() < before


def _workers() -> int:
    return sum(thread.name == "litellm" for thread in threading.enumerate())


# -- in a process of its own ------------------------------------------------------------------------------------------

_ALONE = """
import os, sys, threading, time
from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.message import Message, Text
from agentmem.domain.prompt import Prompt
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm import LitellmDoor
from agentmem.model.litellm_call import load
from agentmem.model.litellm_failures import litellm_failure
assert "litellm" not in sys.modules
door = LitellmDoor(Endpoint("openai/m-1", "openai", "m-1", sys.argv[1] + "/v1", "k-1"))
prompt = Prompt("", (), (Message("user", (Text("hi"),)),))
door.body(prompt)
assert "litellm" not in sys.modules
cancel = Cancel()
threading.Timer(0.2, cancel.cancel).start()
started = time.monotonic()
try:
    list(door.stream(prompt, cancel))
    raise SystemExit("not cancelled")
except Cancelled:
    assert time.monotonic() - started < 10, time.monotonic() - started
assert list(door.stream(prompt, Cancel()))[-1].text == "ok"
assert "A_SECRET_OF_SOME_FOLDER" not in os.environ
door.close()
"""


def test_loading_is_quiet_can_be_cancelled_and_reads_no_env_file(server: Server, tmp_path: Any) -> None:
    (tmp_path / ".env").write_text("A_SECRET_OF_SOME_FOLDER=1\n")
    server.play(Play(chat_events(Said("ok"))))
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, server.url],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

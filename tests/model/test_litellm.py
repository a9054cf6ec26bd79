"""litellm's door against a loopback server, in both protocols. litellm is loaded once for all: that takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from serving import Play, Server
from wires import Said, chat_events, messages_events, sse

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Message, Part, Reply, Text, Thinking, ToolCall, Usage
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.door import ModelError, Piece
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm import LitellmDoor
from agentmem.model.litellm_call import load
from agentmem.model.litellm_failures import litellm_failure
from agentmem.model.timeouts import Timeouts

KEY = "k-7f3a9c0d1e5b4a68"
QUICK = Timeouts(connect=2.0, first_byte=5.0, idle=5.0)
READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
PROMPT = Prompt("Be brief.", (READ,), (Message("user", (Text("hi", "person"),)),), 500)
SAID = Said(
    text='Grüß "あ" 😀\nend',
    thinking="hm, é",
    calls=(("c1", "read", '{"path":"a\\u00e9.py"}'), ("c2", "read", '{"path":"b"}')),
    stop="tool_use",
    usage=Usage(200, 30, 120, 40),
)


@dataclass(frozen=True)
class Row:
    """A provider that litellm asks, and the words of the server behind it."""

    provider: str
    name: str
    base: str
    events: Callable[[Said], list[bytes]]
    error: Callable[[str, str], dict[str, Any]]

    def open(self, url: str, timeouts: Timeouts = QUICK, key: str | None = KEY) -> LitellmDoor:
        model = f"{self.provider}/{self.name}"
        return LitellmDoor(Endpoint(model, self.provider, self.name, url + self.base, key), timeouts)


ROWS = [
    Row(
        "openai", "m-1", "/v1", chat_events, lambda kind, said: {"error": {"message": said, "type": kind, "code": kind}}
    ),
    Row(
        "anthropic",
        "claude-m-1",
        "",
        messages_events,
        lambda kind, said: {"type": "error", "error": {"type": kind, "message": said}},
    ),
]


@pytest.fixture(params=ROWS, ids=lambda row: row.provider)
def row(request: pytest.FixtureRequest) -> Row:
    found: Row = request.param
    return found


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def _loaded_and_nobodys_keys() -> Iterator[None]:
    """litellm reads the process's own environment: what a developer has set there must not leak into a test."""
    kept = dict(os.environ)
    for name in kept:
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL", "_AUTH_TOKEN")):
            del os.environ[name]
    trace = sys.gettrace()
    sys.settrace(None)  # measuring coverage would make the loading three times as slow
    load()
    sys.settrace(trace)
    yield
    os.environ.clear()
    os.environ.update(kept)


def whole(row: Row) -> tuple[Part, ...]:
    return (
        Thinking("hm, é", None, row.provider),
        Text('Grüß "あ" 😀\nend', "agent"),
        ToolCall("c1", "read", {"path": "aé.py"}),
        ToolCall("c2", "read", {"path": "b"}),
    )


def ask(row: Row, server: Server, *plays: Play, prompt: Prompt = PROMPT, timeouts: Timeouts = QUICK) -> list[Piece]:
    server.play(*plays)
    door = row.open(server.url, timeouts)
    pieces = list(door.stream(prompt, Cancel()))
    door.close()
    return pieces


def failed(row: Row, server: Server, *plays: Play, timeouts: Timeouts = QUICK) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(row, server, *plays, timeouts=timeouts)
    assert KEY not in str(caught.value)
    assert row.name in str(caught.value) or server.url in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


def refusal(row: Row, status: int, kind: str, message: str, **headers: str) -> Play:
    body = json.dumps(row.error(kind, message)).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Play((body,), status, names, framing="length", kind="application/json")


# -- what comes back --------------------------------------------------------------------------------------------------


def test_pieces_then_one_reply(row: Row, server: Server) -> None:
    *deltas, reply = ask(row, server, Play(row.events(SAID)))
    assert reply == Reply(whole(row), "tool_use", Usage(200, 30, 120, 40))
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == 'Grüß "あ" 😀\nend'
    assert "".join(d.text for d in deltas if isinstance(d, ThinkingDelta)) == "hm, é"
    calls = [d for d in deltas if isinstance(d, CallDelta)]
    assert "".join(d.arguments for d in calls if d.index == 1) == '{"path":"b"}'
    assert server.seen[0].json["model"] == row.name
    assert KEY in server.seen[0].raw.decode()


def test_what_is_sent_is_the_body(row: Row, server: Server) -> None:
    """litellm puts the arguments into the provider's words; what they hold arrives."""
    ask(row, server, Play(row.events(Said("ok"))))
    sent = server.seen[0].json
    assert sent["stream"] is True
    assert sent["max_tokens"] == 500
    assert sent["messages"][-1]["role"] == "user"
    assert "hi" in json.dumps(sent["messages"][-1])
    assert "Be brief." in json.dumps(sent)
    assert "Read a file." in json.dumps(sent["tools"])
    assert KEY.encode() not in row.open(server.url).body(PROMPT)


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
        assert reply.parts == whole(row)


def test_comment_lines(row: Row, server: Server) -> None:
    pieces = [piece for event in row.events(SAID) for piece in (b": ping\n\n", event)]
    reply = ask(row, server, Play(pieces))[-1]
    assert isinstance(reply, Reply)
    assert reply.parts == whole(row)


# -- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["cut", "reset", "whole"])
def test_a_stream_that_ends_early_is_dropped_never_a_part(row: Row, server: Server, ending: Any) -> None:
    events = row.events(SAID)
    told = next(i for i, e in enumerate(events) if b'"tool_calls"}' in e or b'"stop_reason"' in e)
    for count in range(1, told, 4):
        error = failed(row, server, Play(events[:count], ending=ending))
        assert error.retryable, (count, str(error))
        assert error.failure in ("dropped", "network")


def test_an_empty_reply_is_dropped(row: Row, server: Server) -> None:
    with pytest.raises(ModelError, match=r"^The model gave an empty reply\.$") as caught:
        ask(row, server, Play(row.events(Said())))
    assert caught.value.failure == "dropped"


def test_a_silent_stream_is_given_up(row: Row, server: Server) -> None:
    play = Play(row.events(SAID)[:4], ending="hang")
    started = time.monotonic()
    error = failed(row, server, play, timeouts=Timeouts(connect=2, first_byte=5, idle=0.3))
    assert (error.failure, error.retryable) == ("network", True)
    assert "0.3 s" in str(error)
    assert time.monotonic() - started < 3


def test_no_first_byte(row: Row, server: Server) -> None:
    play = Play((), framing="raw", ending="hang")
    error = failed(row, server, play, timeouts=Timeouts(connect=0.2, first_byte=0.3, idle=0.3))
    assert (error.failure, error.retryable) == ("network", True)


def test_nothing_listens(row: Row) -> None:
    with Server() as gone:
        url = gone.url
    with pytest.raises(ModelError) as caught:
        list(row.open(url).stream(PROMPT, Cancel()))
    assert (caught.value.failure, caught.value.retryable) == ("network", True)
    assert url in str(caught.value)


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


def test_retry_after(row: Row, server: Server) -> None:
    error = failed(row, server, refusal(row, 429, "rate_limit_error", "slow down", Retry_After="7"))
    assert (error.failure, error.retry_after) == ("rate_limit", 7.0)


def test_an_error_within_the_stream_is_retryable(row: Row, server: Server) -> None:
    overloaded = sse(row.error("overloaded_error", "Overloaded"), "error")
    error = failed(row, server, Play((*row.events(SAID)[:3], overloaded)))
    assert error.retryable, str(error)


def test_a_missing_key_is_told(row: Row, server: Server) -> None:
    with pytest.raises(ModelError) as caught:
        list(row.open(server.url, key=None).stream(PROMPT, Cancel()))
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
            "The stream of azure/m broke off. litellm said: went away",
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


def test_cancel_leaves_a_silent_server_at_once(row: Row, server: Server) -> None:
    server.play(Play(row.events(SAID)[:4], ending="hang"), Play(row.events(SAID)))
    door, cancel = row.open(server.url), Cancel()
    stream = door.stream(PROMPT, cancel)
    next(stream)
    threading.Timer(0.1, cancel.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        list(stream)
    assert time.monotonic() - started < 0.6
    with pytest.raises(Cancelled):
        list(door.stream(PROMPT, cancel))
    reply = list(door.stream(PROMPT, Cancel()))[-1]
    assert isinstance(reply, Reply)
    assert reply.parts == whole(row)


def test_a_stream_that_is_left_hangs_up(row: Row, server: Server) -> None:
    """The server sees the connection end, so that it can stop its work."""
    server.play(Play(row.events(SAID)[:4], ending="hang"))
    stream = row.open(server.url).stream(PROMPT, Cancel())
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
    assert time.monotonic() - started < 1.5, time.monotonic() - started
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

"""The doors that every conformance test runs, one row each, and what the tests of one ask and expect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from serving import Play, Server
from wires import Said, chat_events, messages_events

from agentmem.domain.cancel import Cancel
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
    provider: str
    open: Callable[[str, Timeouts], Door]
    events: Callable[[Said], list[bytes]]
    error: Callable[[str, str], dict[str, Any]]
    mark: bytes = b""


def _chat(url: str, timeouts: Timeouts) -> Door:
    return ChatDoor(Endpoint("openai/m-1", "openai", "m-1", url + "/v1", key=KEY), timeouts)


def _messages(url: str, timeouts: Timeouts) -> Door:
    return MessagesDoor(Endpoint("anthropic/m-1", "anthropic", "m-1", url, key=KEY), timeouts)


ROWS = [
    Row(
        "chat",
        "openai",
        _chat,
        chat_events,
        lambda kind, message: {"error": {"message": message, "type": kind, "code": kind}},
    ),
    Row(
        "messages",
        "anthropic",
        _messages,
        messages_events,
        lambda kind, message: {"type": "error", "error": {"type": kind, "message": message}},
        b',"cache_control":{"type":"ephemeral"}',
    ),
]


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
    return Reply(
        (
            Thinking("hm, é", None, row.provider),
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

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.endpoint import Endpoint
from agentmem.model.messages import MessagesDoor
from agentmem.model.messages_body import MESSAGES_MARK, MessagesBody, output_limit

HOME = Endpoint("anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "http://127.0.0.1:9")
LS = ToolSpec("ls", "List.", {"type": "object"})
PARTS = (
    Thinking("hm", "sig", "anthropic"),
    Thinking("", None, "anthropic", "opaque"),
    Thinking("unsigned", None, "anthropic"),
    Thinking("theirs", "sig", "openai"),
    Text("so"),
    Text("  "),
    ToolCall("a|1", "ls", {"x": 1}),
    ToolCall("b", "ls", {}, raw="[1"),
)
HISTORY = (
    Message("user", (Text("go"),)),
    Message("assistant", PARTS),
    Message("tool", (Text("one"),), "a|1"),
    Message("tool", (Text("no such"),), "b", error=True),
)


def body(prompt: Prompt, endpoint: Endpoint = HOME) -> dict[str, Any]:
    return json.loads(MessagesBody(endpoint).write(prompt))


def test_byte_for_byte() -> None:
    prompt = Prompt("sys", (ToolSpec("cat", "Show.", {}), LS), (Message("user", (Text("hi"),)),))
    mark = '"cache_control":{"type":"ephemeral"}'
    assert MessagesBody(HOME).write(prompt).decode() == (
        '{"model":"claude-sonnet-4-5","max_tokens":32000,"stream":true,"tools":[{"name":"cat","description":"Show.",'
        '"input_schema":{}},{"name":"ls","description":"List.","input_schema":{"type":"object"},' + mark + "}],"
        '"system":[{"type":"text","text":"sys",' + mark + '}],"messages":[{"role":"user","content":'
        '[{"type":"text","text":"hi",' + mark + "}]}]}"
    )
    assert MessagesBody(HOME).write(Prompt(" ", (), prompt.messages)).decode() == (
        '{"model":"claude-sonnet-4-5","max_tokens":32000,"stream":true,"messages":[{"role":"user","content":'
        '[{"type":"text","text":"hi",' + mark + "}]}]}"
    )


def test_an_assistants_parts_and_all_its_results_in_one_message() -> None:
    sent = body(Prompt("", (LS,), HISTORY))["messages"]
    call_id = sent[1]["content"][3]["id"]
    assert sent[1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "redacted_thinking", "data": "opaque"},
            {"type": "text", "text": "so"},
            {"type": "tool_use", "id": call_id, "name": "ls", "input": {"x": 1}},
            {"type": "tool_use", "id": "b", "name": "ls", "input": {}},
        ],
    }
    assert sent[2:] == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": call_id, "content": "one"},
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "is_error": True,
                    "content": "no such",
                    "cache_control": {"type": "ephemeral"},
                },
            ],
        }
    ]


def test_marks_stand_on_the_last_two_that_ask() -> None:
    later = (*HISTORY, Message("assistant", (Text("ok"),)), Message("user", (Text("on"),)))
    sent = body(Prompt("s", (LS,), later))
    assert MessagesBody(HOME).write(Prompt("s", (LS,), later)).count(MESSAGES_MARK) == 4
    assert ["cache_control" in json.dumps(message) for message in sent["messages"]] == [False, False, True, False, True]


def test_a_thought_is_never_last() -> None:
    sent = body(Prompt("", (), (Message("assistant", (Thinking("hm", "sig", "anthropic"),)),)))["messages"]
    assert [block["type"] for block in sent[0]["content"]] == ["thinking", "text"]


def test_images() -> None:
    picture = Image("image/png", "iVBO")
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    messages = (
        Message("user", (picture,)),
        Message("assistant", (ToolCall("a", "shot"),)),
        Message("tool", (Text("here"), picture), "a"),
        Message("assistant", (Text("ok"),)),
        Message("user", (Text("a"),)),
        Message("user", (Text("b"),)),
    )
    sent = body(Prompt("", (), messages))["messages"]
    assert sent[0]["content"] == [block]
    assert sent[2]["content"][0]["content"] == [{"type": "text", "text": "here"}, block]


@pytest.mark.parametrize(
    ("name", "known", "wanted", "limit"),
    [
        ("claude-3-haiku-20240307", None, None, 4096),
        ("claude-3-opus-latest", None, 9000, 4096),
        ("claude-3-5-sonnet-20241022", None, None, 8192),
        ("claude-3-7-sonnet-latest", None, None, 32_000),
        ("claude-3-7-sonnet-latest", None, 60_000, 60_000),
        ("claude-opus-4-20250514", None, 60_000, 32_000),
        ("claude-opus-4-1-20250805", None, 60_000, 32_000),
        ("claude-opus-4-5-20251101", None, 60_000, 60_000),
        ("claude-sonnet-4-20250514", None, None, 32_000),
        ("claude-of-tomorrow", None, 100_000, 64_000),
        ("claude-of-tomorrow", 128_000, 100_000, 100_000),
        ("claude-of-tomorrow", 128_000, None, 32_000),
        ("tiny", 1000, None, 1000),
        ("stranger", None, None, 8192),
        ("stranger", None, 20_000, 20_000),
    ],
)
def test_output_limit(name: str, known: int | None, wanted: int | None, limit: int) -> None:
    assert output_limit(replace(HOME, name=name, max_output=known), wanted) == limit


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_base_urls(base: str) -> None:
    door = MessagesDoor(replace(HOME, base_url="http://127.0.0.1:9" + base))
    assert door._exchange.client._address.path == ""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.chat import ChatDoor
from agentmem.model.chat_body import CHAT_MARK, ChatBody
from agentmem.model.dialect import dialect_of
from agentmem.model.endpoint import Endpoint

HOME = Endpoint("openai/m", "openai", "m", "http://127.0.0.1:9/v1")
LS = ToolSpec("ls", "List.", {"type": "object", "properties": {}})
CALL = Message("assistant", (Thinking("hm", None, "deepseek"), ToolCall("c1", "ls", {"b": 1, "a": "é"})))
HISTORY = (
    Message("user", (Text("go", "person"), Text("here"))),
    CALL,
    Message("tool", (Text("a.py"),), "c1"),
    Message("assistant", (Text("done"),)),
    Message("user", (Text("more"),)),
)


def body(endpoint: Endpoint, prompt: Prompt) -> dict[str, Any]:
    return json.loads(ChatBody(endpoint).write(prompt))


def test_byte_for_byte() -> None:
    assert ChatBody(HOME).write(Prompt("sys", (LS,), HISTORY)).decode() == (
        '{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":'
        '{"name":"ls","description":"List.","parameters":{"type":"object","properties":{}}}}],"messages":['
        '{"role":"system","content":"sys"},{"role":"user","content":"go\\n\\nhere"},'
        '{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":'
        '"{\\"b\\":1,\\"a\\":\\"é\\"}"}}],"content":null},'
        '{"role":"tool","tool_call_id":"c1","content":"a.py"},{"role":"assistant","content":"done"},'
        '{"role":"user","content":"more"}]}'
    )


@pytest.mark.parametrize(
    ("model", "url", "key"),
    [
        ("openai/gpt-5", "http://127.0.0.1:9/v1", "max_completion_tokens"),
        ("openai/gpt-5.1-codex", "http://127.0.0.1:9/v1", "max_completion_tokens"),
        ("openai/o3-mini", "http://127.0.0.1:9/v1", "max_completion_tokens"),
        ("openai/o4-mini", "http://127.0.0.1:9/v1", "max_completion_tokens"),
        ("openai/gpt-4o", "https://api.openai.com/v1", "max_completion_tokens"),
        ("openai/gpt-4o", "http://127.0.0.1:9/v1", "max_tokens"),
        ("openai/gpt-oss-20b", "http://127.0.0.1:9/v1", "max_tokens"),
        ("openai/orca", "http://127.0.0.1:9/v1", "max_tokens"),
        ("hosted_vllm/o1-open", "http://127.0.0.1:9/v1", "max_tokens"),
        ("deepseek/deepseek-chat", "https://api.deepseek.com", "max_tokens"),
    ],
)
def test_the_limits_name(model: str, url: str, key: str) -> None:
    provider, _, name = model.partition("/")
    endpoint = Endpoint(model, provider, name, url, max_output=4000)
    found = body(endpoint, Prompt("s", (), HISTORY[:1], max_output=500))
    assert {k: v for k, v in found.items() if k.startswith("max")} == {key: 500}
    assert body(endpoint, Prompt("s", (), HISTORY[:1], max_output=9000))[key] == 4000
    assert key not in body(endpoint, Prompt("s", (), HISTORY[:1]))


def test_mistral() -> None:
    endpoint = Endpoint("mistral/devstral", "mistral", "devstral", "https://api.mistral.ai/v1")
    interrupted = (*HISTORY[:3], Message("user", (Text("stop"),)))
    found = body(endpoint, Prompt("", (LS,), interrupted))
    assert "stream_options" not in found
    assert [message["role"] for message in found["messages"]] == ["user", "assistant", "tool", "assistant", "user"]
    call_id = found["messages"][1]["tool_calls"][0]["id"]
    assert (len(call_id), call_id.isalnum(), found["messages"][2]["tool_call_id"]) == (9, True, call_id)
    shorter = ChatBody(endpoint).write(Prompt("", (LS,), interrupted[:3]))
    assert ChatBody(endpoint).write(Prompt("", (LS,), interrupted)).startswith(shorter[:-2])
    assert dialect_of(replace(endpoint, provider="vllm", name="mistralai/Mistral-Small")).bridge


@pytest.mark.parametrize(
    ("provider", "thoughts"), [("deepseek", ["hm", ""]), ("moonshot", ["", ""]), ("openai", [None, None])]
)
def test_reasoning_goes_back_where_it_must(provider: str, thoughts: list[str | None]) -> None:
    endpoint = Endpoint(f"{provider}/m", provider, "m", "http://127.0.0.1:9")
    said = [m for m in body(endpoint, Prompt("", (), HISTORY))["messages"] if m["role"] == "assistant"]
    assert [message.get("reasoning_content") for message in said] == thoughts


def test_marks_where_they_are_taken() -> None:
    endpoint = Endpoint("openrouter/anthropic/c", "openrouter", "anthropic/c", "https://openrouter.ai/api/v1")
    door = ChatBody(endpoint)
    bodies = [door.write(Prompt("sys", (LS,), HISTORY[:count])) for count in (1, 3, 4, 5)]
    marked = [[m["role"] for m in json.loads(b)["messages"] if "cache_control" in str(m)] for b in bodies]
    assert marked == [
        ["system", "user"],
        ["system", "user"],
        ["system", "user", "assistant"],
        ["system", "assistant", "user"],
    ]
    plain = [found.replace(CHAT_MARK, b"") for found in bodies]
    assert all(longer.startswith(shorter[:-2]) for shorter, longer in pairwise(plain))
    other = replace(endpoint, name="openai/gpt")
    assert CHAT_MARK not in ChatBody(other).write(Prompt("sys", (LS,), HISTORY))


def test_images() -> None:
    picture = Image("image/png", "iVBO")
    messages = (
        Message("user", (Text("see"), picture, Text(" "))),
        CALL,
        Message("tool", (Text("shot"), picture), "c1"),
    )
    sent = body(HOME, Prompt("", (), messages))["messages"]
    assert sent[0]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
    ]
    assert sent[2]["content"] == "shot\n\n[image/png image left out: this protocol takes none in a tool's result]"


def test_what_a_model_made_up_is_sent_in_a_legal_form() -> None:
    call = ToolCall("c1", "functions.read file", {}, raw='{"path": ')
    sent = body(HOME, Prompt("", (), (Message("assistant", (call, ToolCall("", "", {}))),)))["messages"][0]
    assert [(c["function"]["name"], c["function"]["arguments"]) for c in sent["tool_calls"]] == [
        ("functions_read_file", "{}"),
        ("unknown", "{}"),
    ]
    assert all(c["id"] for c in sent["tool_calls"])


@pytest.mark.parametrize(
    "base", ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/chat/completions"]
)
def test_base_urls(base: str) -> None:
    door = ChatDoor(replace(HOME, base_url=base))
    assert door._exchange.client._address.path == "/v1"

"""A prompt as litellm's arguments: legal for the provider behind it, and each request extends the last one."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm_body import MARK, LitellmBody

READ = ToolSpec("read", "Read.", {"type": "object"})
ASK = Message("user", (Text("hi", "person"),))


def body(model: str, max_output: int | None = None) -> LitellmBody:
    provider, _, name = model.partition("/")
    return LitellmBody(Endpoint(model, provider, name, "", key="k-secret", max_output=max_output))


def written(model: str, *messages: Message, limit: int | None = None, ceiling: int | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body(model, ceiling).write(Prompt("Be brief.", (READ,), messages, limit)))
    return found


def test_the_arguments_of_a_plain_provider() -> None:
    sent = body("azure/mine").write(Prompt("Be brief.", (READ,), (ASK,), 500))
    assert sent == (
        b'{"model":"azure/mine","stream":true,"stream_options":{"include_usage":true},"max_tokens":500,'
        b'"tools":[{"type":"function","function":{"name":"read","description":"Read.","parameters":{"type":"object"}}}],'
        b'"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]}'
    )


def test_claude_gets_marks_where_its_host_takes_them() -> None:
    call = Message("assistant", (Text("ok"), ToolCall("a", "read", {"path": "x"})))
    sent = written(
        "bedrock/anthropic.claude-sonnet-4", ASK, call, Message("tool", (Text("found"),), "a"), ceiling=9_000
    )
    mark = {"type": "ephemeral"}
    assert sent["max_tokens"] == 9_000
    assert sent["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": "Be brief.", "cache_control": mark}]},
        {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path":"x"}'}}],
            "content": "ok",
        },
        {"role": "tool", "tool_call_id": "a", "content": "found", "cache_control": mark},
    ]
    for model in ("openai/claude-sonnet-4", "openrouter/anthropic/claude-sonnet-4", "vertex_ai/gemini-2.5-pro"):
        assert "cache_control" not in json.dumps(written(model, ASK, call, Message("tool", (Text("found"),), "a")))


def test_thinking_goes_back_to_its_maker_alone() -> None:
    thoughts = (
        Thinking("mine", "sig", "bedrock"),
        Thinking("", provider="bedrock", redacted="blob"),
        Thinking("unsigned", provider="bedrock"),
        Thinking("foreign", "reasoning_content", "elsewhere"),
    )
    said = Message("assistant", (*thoughts, Text("ok")))
    own = written("bedrock/anthropic.claude-sonnet-4", ASK, said, ASK)["messages"][2]
    assert own == {
        "role": "assistant",
        "thinking_blocks": [
            {"type": "thinking", "thinking": "mine", "signature": "sig"},
            {"type": "redacted_thinking", "data": "blob"},
        ],
        "content": "ok",
    }
    for model in ("anthropic/claude-sonnet-4", "azure/mine", "bedrock/meta.llama3"):
        assert written(model, ASK, said, ASK)["messages"][2] == {"role": "assistant", "content": "ok"}


def test_reasoning_goes_back_where_it_must() -> None:
    said = Message("assistant", (Thinking("mine", provider="moonshot"), Thinking("not", "s", "elsewhere"), Text("ok")))
    sent = written("moonshot/kimi-k2.5", ASK, said, ASK)["messages"][2]
    assert sent == {"role": "assistant", "reasoning_content": "mine", "content": "ok"}


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ("gemini/gemini-3-pro", "call_1a__thought__Ab+/9=="),
        ("vertex_ai/gemini-3-pro", "call_1a__thought__Ab+/9=="),
        ("bedrock/anthropic.claude-sonnet-4", "toolu_" + "x" * 58),
        ("mistral/devstral-latest", "a1B2c3D4e"),
        ("azure/mine", "call_1"),
    ],
)
def test_ids_that_the_provider_takes_stay_and_others_are_mapped_alike(model: str, kept: str) -> None:
    call = Message("assistant", (ToolCall(kept, "read"), ToolCall("call_9|fc_77 ", "read")))
    results = (Message("tool", (Text("1"),), kept), Message("tool", (Text("2"),), "call_9|fc_77 "))
    messages = written(model, ASK, call, *results)["messages"]
    ids = [one["id"] for one in messages[2]["tool_calls"]]
    assert ids == [message["tool_call_id"] for message in messages[3:]]
    assert ids[0] == kept
    assert ids[1].isascii()
    assert "|" not in ids[1]
    assert ids[0] != ids[1]


def test_images_go_as_addresses_of_their_data() -> None:
    shown = Message("user", (Text("look"), Image("image/png", "AA=="), Text(" ")))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    assert written("azure/mine", shown)["messages"][1]["content"] == [{"type": "text", "text": "look"}, image]
    call = Message("assistant", (ToolCall("a", "read"),))
    result = Message("tool", (Text("here"), Image("image/png", "AA==")), "a")
    claude = written("bedrock/anthropic.claude-sonnet-4", ASK, call, result)["messages"][3]["content"]
    assert claude[0] == {"type": "text", "text": "here"}
    assert claude[1]["image_url"] == image["image_url"]
    assert isinstance(written("azure/mine", ASK, call, result)["messages"][3]["content"], str)


def test_no_message_is_ever_empty() -> None:
    messages = (
        Message("user", (Text(" "),)),
        Message("assistant", (Thinking("gone", "s", "elsewhere"),)),
        Message("user", ()),
        Message("assistant", (Text(""), ToolCall("a", "read", {}, raw="[1"))),
        Message("tool", (), "a"),
    )
    for model in ("azure/mine", "bedrock/anthropic.claude-sonnet-4"):
        for message in written(model, *messages)["messages"]:
            content = message["content"]
            text = content[0]["text"] if isinstance(content, list) else content
            assert message.get("tool_calls") or text.strip()


def test_a_bare_prompt_has_no_system_message_and_no_tools() -> None:
    assert json.loads(body("azure/mine").write(Prompt(" ", (), (ASK,)))) == {
        "model": "azure/mine",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_providers_with_ways_of_their_own() -> None:
    assert written("ollama/qwen3:8b", ASK)["model"] == "ollama_chat/qwen3:8b"
    assert "stream_options" not in written("oci/x", ASK)
    assert written("azure/mine", ASK, limit=9_000, ceiling=4_000)["max_tokens"] == 4_000
    call = Message("assistant", (ToolCall("a1B2c3D4e", "read"),))
    bridged = written("mistral/devstral-latest", ASK, call, Message("tool", (Text("1"),), "a1B2c3D4e"), ASK)["messages"]
    assert [message["role"] for message in bridged] == ["system", "user", "assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize("model", ["azure/mine", "bedrock/anthropic.claude-sonnet-4", "gemini/gemini-3-pro"])
def test_one_request_extends_the_last(model: str) -> None:
    door = body(model)
    history: list[Message] = [ASK]
    bodies = [door.write(Prompt("s", (READ,), tuple(history)))]
    for number in range(8):
        history.append(Message("assistant", (Thinking("…", "sig", "bedrock"), ToolCall(f"c|{number}", "read"))))
        history.append(Message("tool", (Text("found"),), f"c|{number}"))
        if number % 3 == 2:
            history += [Message("assistant", (Text("ok"),)), Message("user", (Text("also"),))]
        # Equal messages made anew must give equal bytes: a resumed session extends the last request too.
        fresh = [Message(m.role, m.parts, m.call_id) for m in history] if number % 2 else history
        bodies.append(door.write(Prompt("s", (READ,), tuple(fresh))))
    plain = [one.replace(MARK, b"") for one in bodies]
    for shorter, longer in pairwise(plain):
        assert shorter.endswith(b"]}")
        assert longer.startswith(shorter[:-2] + b",")
    assert b"k-secret" not in b"".join(bodies)
    assert all(one.count(MARK) <= 4 for one in bodies)

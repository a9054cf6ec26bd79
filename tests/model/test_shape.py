"""A door's shape, kept as JSON, writes the very bodies that the door sends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.chat import ChatDoor
from agentmem.model.door import Door
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm import LitellmDoor
from agentmem.model.messages import MessagesDoor
from agentmem.model.scripted import ScriptedDoor
from agentmem.model.shape import ShapeUnknown, writer

SECRET = "k-7f3a9c0d1e5b4a68"
CALLS = (ToolCall("an id:1", "bash", {"command": "ls", "n": 1.5}), ToolCall("b", "edit", raw="{cut"))
PROMPT = Prompt(
    "Be brief.",
    (ToolSpec("bash", "Run.", {"type": "object", "properties": {"command": {"type": "string"}}}),),
    (
        Message("user", (Text("look é", "person"), Image("image/png", "aGk="))),
        Message(
            "assistant", (Thinking("hm", "sig", "anthropic"), Thinking("ah", None, "deepseek"), Text("ok"), *CALLS)
        ),
        Message("tool", (Text("out"),), "an id:1"),
        Message("tool", (Text("no"),), "b", error=True),
        Message("user", (Text("go on", "person"),)),
    ),
    5_000,
)
OPEN: dict[str, Callable[[Endpoint], Door]] = {"chat": ChatDoor, "messages": MessagesDoor, "litellm": LitellmDoor}


def endpoint(model: str, name: str, base: str, most: int | None = None) -> Endpoint:
    return Endpoint(model, model.partition("/")[0], name, base, SECRET, {"X-Key": SECRET}, most)


@pytest.mark.parametrize(
    ("kind", "served", "differs"),
    [
        ("chat", endpoint("openai/gpt-5", "gpt-5", "https://api.openai.com/v1", 4_000), {"limit_key"}),
        ("chat", endpoint("openai/m", "m", f"http://user:{SECRET}@127.0.0.1:1/v1"), set()),
        ("chat", endpoint("mistral/devstral", "devstral", "https://x.test"), {"ids", "ask_usage", "bridge"}),
        ("chat", endpoint("deepseek/deepseek-chat", "deepseek-chat", "https://x.test"), {"reasoning_back"}),
        ("chat", endpoint("openrouter/anthropic/c", "anthropic/c", "https://x.test"), {"marks"}),
        ("messages", endpoint("anthropic/claude-3-haiku", "claude-3-haiku", "https://x.test"), set()),
        ("messages", endpoint("anthropic/new", "new", "https://x.test", 3_000), set()),
        ("litellm", endpoint("bedrock/claude-x", "claude-x", ""), set()),
        ("litellm", endpoint("gemini/gemini-3", "gemini-3", ""), set()),
        ("litellm", endpoint("mistral/mistral-large", "mistral-large", "", 100), {"ids", "ask_usage", "bridge"}),
    ],
)
def test_a_shape_writes_what_the_door_sends(kind: str, served: Endpoint, differs: set[str]) -> None:
    door = OPEN[kind](served)
    kept = json.dumps(dict(door.shape))
    assert SECRET not in kept and "http" not in kept
    shape = json.loads(kept)
    assert (shape["kind"], set(shape.get("dialect", {}))) == (kind, differs)
    assert writer(door.model, shape)(PROMPT) == door.body(PROMPT)
    door.close()


def test_the_scripted_door_too(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text('{"text":"hi"}\n')
    door = ScriptedDoor(file)
    assert writer(door.model, dict(door.shape))(PROMPT) == door.body(PROMPT)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (None, "the log does not say how the door wrote its requests"),
        ("chat", "the log does not say how the door wrote its requests"),
        ({"kind": "telex", "provider": "p", "name": "n"}, "no door of the kind 'telex'"),
        ({"kind": "chat", "name": "n"}, "provider or name is missing"),
        ({"kind": "chat", "provider": "p", "name": "n", "max_output": "many"}, "max_output is no number"),
        ({"kind": "chat", "provider": "p", "name": "n", "max_output": True}, "max_output is no number"),
        ({"kind": "chat", "provider": "p", "name": "n", "dialect": {"ids": "new"}}, "ids: 'new'"),
        ({"kind": "chat", "provider": "p", "name": "n", "dialect": {"tongue": True}}, "tongue: True"),
        ({"kind": "chat", "provider": "p", "name": "n", "dialect": {"marks": 1}}, "marks: 1"),
        ({"kind": "litellm", "provider": "p", "name": "n", "dialect": "odd"}, "'odd'"),
    ],
)
def test_a_shape_that_is_not_known_is_told(shape: object, said: str) -> None:
    with pytest.raises(ShapeUnknown, match=said):
        writer("p/n", shape)

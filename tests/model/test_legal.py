"""A prompt is legal as a strict provider sees it, or the fault is named."""

from __future__ import annotations

import pytest

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.legal import fault

USER = Message("user", (Text("Hi", "person"),))
ANSWER = Message("assistant", (Text("Hello", "agent"),))


def calling(*ids: str) -> Message:
    return Message("assistant", tuple(ToolCall(one, "read", {"path": "a"}) for one in ids))


def result(call_id: str | None, text: str = "ok") -> Message:
    return Message("tool", (Text(text, "tool"),), call_id=call_id)


def prompt(*messages: Message) -> Prompt:
    return Prompt("system", (), messages)


@pytest.mark.parametrize(
    "messages",
    [
        (USER,),
        (USER, ANSWER, USER),
        (USER, calling("a"), result("a")),
        (USER, calling("a", "b"), result("b"), result("a")),
        (USER, calling("a"), result("a"), calling("b"), result("b"), ANSWER, USER),
        (USER, calling("a"), result("a"), USER),
        (USER, Message("assistant", (Thinking("hm"), Text("x"))), USER),
        (USER, calling("a"), Message("tool", (Image("image/png", "AA=="),), call_id="a")),
        (USER, calling("a"), result("a", "\n")),
        (Message("user", (Image("image/png", "AA=="),)),),
    ],
)
def test_legal_prompts_have_no_fault(messages: tuple[Message, ...]) -> None:
    assert fault(prompt(*messages)) is None


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((), "there is no message"),
        ((ANSWER,), "message 0 (assistant): comes first; the first message must be the user's"),
        ((result("a"),), "message 0 (tool): answers 'a', which is no open call of the assistant message before it"),
        ((USER, USER), "message 1 (user): follows another user message"),
        ((USER, ANSWER, ANSWER), "message 2 (assistant): follows another assistant message"),
        ((USER, ANSWER), "the prompt ends with an assistant message"),
        ((USER, calling("a")), "the prompt ends without a result for read (a)"),
        ((USER, calling("a", "b"), result("a")), "the prompt ends without a result for read (b)"),
        ((USER, calling("a"), USER), "message 2 (user): comes before the result of read (a)"),
        (
            (USER, calling("a"), result("a"), result("a")),
            "message 3 (tool): answers 'a', which is no open call of the assistant message before it",
        ),
        (
            (USER, calling("a"), result("a"), ANSWER, USER, result("a")),
            "message 5 (tool): answers 'a', which is no open call of the assistant message before it",
        ),
        (
            (USER, calling("a"), result(None)),
            "message 2 (tool): answers None, which is no open call of the assistant message before it",
        ),
        (
            (USER, calling("a"), result("a"), calling("a"), result("a")),
            "message 3 (assistant): uses the call id 'a' again",
        ),
        ((USER, calling("a", "a"), result("a")), "message 1 (assistant): uses the call id 'a' again"),
        ((USER, calling("")), "message 1 (assistant): has a call without an id or a name"),
        (
            (USER, Message("assistant", (ToolCall("a", ""),))),
            "message 1 (assistant): has a call without an id or a name",
        ),
        ((Message("user", ()),), "message 0 (user): is empty"),
        ((Message("user", (Text(" \n"),)),), "message 0 (user): is empty"),
        ((USER, Message("assistant", ()), USER), "message 1 (assistant): is empty"),
        ((USER, Message("assistant", (Thinking("hm"),)), USER), "message 1 (assistant): is empty"),
        ((USER, calling("a"), result("a", "")), "message 2 (tool): is empty"),
        ((USER, calling("a"), Message("tool", (), call_id="a")), "message 2 (tool): is empty"),
        ((Message("user", (Thinking("hm"),)),), "message 0 (user): holds a Thinking, which this role cannot"),
        (
            (USER, Message("assistant", (Image("image/png", "AA=="),))),
            "message 1 (assistant): holds a Image, which this role cannot",
        ),
    ],
)
def test_a_fault_is_named(messages: tuple[Message, ...], expected: str) -> None:
    assert fault(prompt(*messages)) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [(("read", "read"), "the tool name 'read' is given twice"), (("",), "the tool name '' is empty")],
)
def test_tools_have_names_of_their_own(names: tuple[str, ...], expected: str) -> None:
    tools = tuple(ToolSpec(name, "", {"type": "object"}) for name in names)
    assert fault(Prompt("", tools, (USER,))) == expected


def test_an_output_limit_leaves_room_for_output() -> None:
    assert fault(Prompt("", (), (USER,), max_output=0)) == "max_output is 0"
    assert fault(Prompt("", (), (USER,), max_output=1)) is None

"""Entries for tests, written as short as a history is told, and the law that every request keeps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall

_NUMBERS = count(1)


def entry(type: str, **body: Any) -> Entry:
    return Entry(type, f"e{next(_NUMBERS)}", None, "2026-11-30T12:02:11Z", body)


def user(text: str, origin: str = "person") -> Entry:
    return entry("message", role="user", content=[{"type": "text", "text": text, "origin": origin}])


def notice(text: str, origin: str = "harness") -> Entry:
    return entry("message", role="user", content=[{"type": "text", "text": text, "origin": origin}], notice=True)


def assistant(text: str = "", calls: Sequence[str] = (), thinking: str = "") -> Entry:
    content: list[dict[str, Any]] = []
    if thinking:
        content.append({"type": "thinking", "text": thinking, "origin": "agent"})
    if text:
        content.append({"type": "text", "text": text, "origin": "agent"})
    content += [{"type": "tool_call", "id": one, "name": "bash", "arguments": {"n": n}} for n, one in enumerate(calls)]
    return entry("message", role="assistant", content=content, stop="tool_use" if calls else "end")


def result(call_id: str, text: str, error: bool = False) -> Entry:
    return entry("message", role="tool", call_id=call_id, content=text, origin="tool", error=error)


def call() -> Entry:
    return entry("call", epoch="0" * 16, sha256="0" * 32)


def interrupt(reason: str = "user") -> Entry:
    return entry("interrupt", reason=reason)


def short(messages: Sequence[Message]) -> list[str]:
    """Messages as one line each: ``user: a | b``, ``assistant: a [c1 c2]``, ``c1= out``, ``c1! out`` (an error)."""
    out = []
    for one in messages:
        said = " | ".join(part.text for part in one.parts if isinstance(part, Text))
        calls = f" [{' '.join(part.id for part in one.calls)}]" if one.calls else ""
        head = f"{one.call_id}{'!' if one.error else '='}" if one.role == "tool" else f"{one.role}:"
        out.append(f"{head} {said}{calls}".replace(":  [", ": ["))
    return out


def assert_legal(messages: Sequence[Message]) -> None:
    """The promise of `Prompt.messages`, and that a request could be made of them now."""
    if not messages:
        return
    assert messages[0].role == "user"
    assert messages[-1].role in ("user", "tool")
    used: set[str] = set()
    at = 0
    before = "assistant"
    while at < len(messages):
        one = messages[at]
        at += 1
        assert one.role in ("user", "assistant"), "a result without a call before it"
        assert not (one.role == before == "user"), "two user messages in a row"
        assert not (one.role == before == "assistant"), "two answers in a row"
        before = one.role
        assert any(
            (isinstance(part, Text) and part.text.strip()) or isinstance(part, (ToolCall, Image)) for part in one.parts
        ), "an empty message"
        assert all(part.text.strip() for part in one.parts if isinstance(part, Text)), "a blank part"
        for part in one.parts:
            assert not isinstance(part, (ToolCall, Thinking)) or one.role == "assistant"
        for wanted in one.calls:
            assert wanted.id and wanted.id not in used
            used.add(wanted.id)
            answer = messages[at]
            at += 1
            assert (answer.role, answer.call_id) == ("tool", wanted.id)
            assert any(isinstance(part, Image) or part.text.strip() for part in answer.parts)  # type: ignore[union-attr]
            before = "results"

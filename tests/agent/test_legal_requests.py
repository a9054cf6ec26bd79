"""Whatever happened to a session, its next request is legal for both direct protocols; read off the JSON itself.

Histories as the loop records them, cut anywhere, interrupted, and with their log damaged byte by byte. Images that are
too large are no case here: no tool returns one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.histories import assistant, call, interrupt, notice, result, user
from wire_law import chat_refusal, messages_refusal

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.memory.memory import resume_session
from agentmem.memory.read.replay import Replay
from agentmem.model.chat_body import ChatBody
from agentmem.model.endpoint import Endpoint
from agentmem.model.messages_body import MessagesBody

HEADER = {"type": "session", "id": "s", "version": 1, "at": "2026-11-30T12:02:11Z", "cwd": "/w", "agentmem": "0"}
TOOLS = (ToolSpec("bash", "Run.", {"type": "object"}),)
Refusal = Callable[[bytes], str | None]
Write = Callable[[Prompt], bytes]


def written() -> list[tuple[str, Write, Refusal]]:
    """Fresh writers of the protocols, and Mistral's and a reasoning server's dialects."""
    return [
        ("chat", ChatBody(Endpoint("openai/m", "openai", "m", "")).write, chat_refusal),
        ("mistral", ChatBody(Endpoint("mistral/devstral", "mistral", "devstral", "")).write, chat_refusal),
        ("deepseek", ChatBody(Endpoint("deepseek/d", "deepseek", "d", "")).write, chat_refusal),
        ("marks", ChatBody(Endpoint("openrouter/anthropic/c", "openrouter", "anthropic/c", "")).write, chat_refusal),
        ("messages", MessagesBody(Endpoint("anthropic/m", "anthropic", "m", "")).write, messages_refusal),
    ]


WORDS = st.sampled_from(["do it", "", " \n", "é\u2028", "\ud83d", "x" * 50])
IDS = st.sampled_from(["call_1", "call_1", "toolu_é", "", "id with spaces", "n" * 70, "functions.bash:0"])
ODD = st.sampled_from(["bash", "no such.tool", "", "é" * 80])


def thinking(text: str, signature: str | None, provider: str) -> dict[str, Any]:
    return {"type": "thinking", "text": text, "signature": signature, "provider": provider, "origin": "agent"}


@st.composite
def replies(draw: st.DrawFn) -> tuple[Entry, list[str]]:
    """An assistant message of any make, and the ids of its calls."""
    ids = draw(st.lists(IDS, max_size=3))
    entry = assistant(draw(WORDS), ids)
    content = [dict(part) for part in entry.body["content"]]
    for part in content:
        if part["type"] == "tool_call" and draw(st.booleans()):
            part["name"] = draw(ODD)
        if part["type"] == "tool_call" and draw(st.booleans()):
            part["raw"] = '{"cut'
    for _ in range(draw(st.integers(0, 2))):
        signature = draw(st.sampled_from([None, "sig", ""]))
        thought = thinking(draw(WORDS), signature, draw(st.sampled_from(["anthropic", "deepseek"])))
        content.insert(draw(st.integers(0, len(content))), thought)
    return Entry("message", entry.id, None, entry.at, {**entry.body, "content": content}), ids


@st.composite
def histories(draw: st.DrawFn) -> list[Entry]:
    """What the loop records, and what killed or interrupted ones leave."""
    out: list[Entry] = []
    for _ in range(draw(st.integers(1, 4))):
        out.append(user(draw(WORDS)))
        for _ in range(draw(st.integers(0, 3))):
            out.append(call())
            if draw(st.integers(0, 5)) == 0:
                break  # killed before the reply came
            reply, ids = draw(replies())
            out.append(reply)
            kept = draw(st.sampled_from([len(ids), len(ids), 0, 1]))
            out += [result(one, draw(WORDS), draw(st.booleans())) for one in draw(st.permutations(ids))[:kept]]
            out += [notice(draw(WORDS))] * draw(st.integers(0, 1))
        out += [interrupt(draw(st.sampled_from(["user", "error", "limit"])))] * draw(st.integers(0, 1))
    return out


def lines_of(entries: list[Entry]) -> bytes:
    rows: list[dict[str, Any]] = [HEADER]
    parent = None
    for at, one in enumerate(entries):
        rows.append({**one.to_json(), "id": f"e{at}", "parent_id": parent})
        parent = f"e{at}"
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def asked_next(log: bytes, text: str | None) -> list[tuple[Message, ...]]:
    """The messages of the request that a resume of this log makes: as it is, and after one more thing was said."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".agent" / "sessions").mkdir(parents=True)
        (root / ".agent" / "sessions" / "s.jsonl").write_bytes(log)
        places = Places(root=root, cwd=root, home=root / "home", shared=root / ".agent")
        session = resume_session(places, Clock(), "s")
        try:
            session.begin_epoch(TOOLS, 100_000)
            found = [session.prompt().messages]
            if text is not None:
                session.record_user([Text(text, "person")])
                found.append(session.prompt().messages)
        finally:
            session.close()
    return [messages for messages in found if messages]


def assert_legal(messages: tuple[Message, ...]) -> None:
    for name, write, refusal in written():
        assert refusal(write(Prompt("Be brief.", TOOLS, messages))) is None, name


@given(histories(), st.data())
def test_a_session_cut_anywhere_can_be_resumed(entries: list[Entry], data: st.DataObject) -> None:
    log = lines_of(entries)
    cut = data.draw(st.integers(0, len(log)))
    for messages in asked_next(log[:cut], "go on"):
        assert_legal(messages)


@given(histories(), st.data())
def test_a_damaged_session_can_be_resumed(entries: list[Entry], data: st.DataObject) -> None:
    rows = lines_of(entries).split(b"\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(rows) - 1))
        what = data.draw(st.sampled_from(["lost", "twice", "torn", "holes", "moved", "flipped"]))
        rows[at : at + 1] = _damaged(rows[at], what)
        if what == "moved":
            rows.insert(data.draw(st.integers(0, len(rows))), rows.pop(at))
    for messages in asked_next(b"\n".join(rows), "go on"):
        assert_legal(messages)


def _damaged(row: bytes, what: str) -> list[bytes]:
    match what:
        case "lost":
            return []
        case "twice":
            return [row, row]
        case "torn":
            return [row[: len(row) // 2]]
        case "holes":
            return [b"\0" * 7 + row + b"\0"]
        case "flipped":
            return [row.replace(b"call_1", b"call_\xff").replace(b'"tool"', b'"user"')]
    return [row]


@given(histories())
def test_every_request_extends_the_one_before_it(entries: list[Entry]) -> None:
    """One writer for a whole session gives what a fresh one gives, and never takes back what was sent."""
    replay = Replay()
    lasting = {name: write for name, write, _ in written()}
    last: dict[str, bytes] = {}
    for one in entries:
        if one.type == "call" and replay.messages():
            prompt = Prompt("Be brief.", TOOLS, replay.messages())
            for name, write, refusal in written():
                body = lasting[name](prompt)
                assert body == write(prompt)
                assert refusal(body) is None
                bare = body.replace(b',"cache_control":{"type":"ephemeral"}', b"")
                assert bare.startswith(last.get(name, b"")), name
                last[name] = bare[:-2]
        replay.add(one)


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
GO = {"role": "user", "content": "go"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": "hi"}],
        [GO, GO],
        [{"role": "user", "content": " "}],
        [GO, {"role": "assistant", "content": ""}, GO],
        [GO, {"role": "assistant", "content": None, "tool_calls": [CALL]}],
        [GO, {"role": "assistant", "content": None, "tool_calls": [CALL]}, GO],
        [GO, {"role": "tool", "tool_call_id": "a", "content": "x"}],
        [GO, {"role": "assistant", "content": "x", "tool_calls": []}, GO],
        [GO, {"role": "assistant", "content": None, "tool_calls": [{**CALL, "id": "n" * 41}]}],
    ],
)
def test_the_law_of_chat_finds_what_it_forbids(messages: list[Any]) -> None:
    assert chat_refusal(json.dumps({"messages": messages}).encode()) is not None


def block(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


SAID = {"role": "user", "content": [block("text", text="go")]}
USED = block("tool_use", id="a", name="f", input={})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": [block("text", text="hi")]}],
        [SAID, SAID],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": [block("text", text=" ")]}],
        [SAID, {"role": "assistant", "content": [USED]}],
        [SAID, {"role": "assistant", "content": [USED]}, SAID],
        [SAID, {"role": "assistant", "content": [{**USED, "id": "a b"}]}],
        [SAID, {"role": "assistant", "content": [USED, USED]}],
        [SAID, {"role": "assistant", "content": [block("thinking", thinking="x", signature="s")]}, SAID],
        [{"role": "user", "content": [block("tool_result", tool_use_id="a", content="x")]}],
    ],
)
def test_the_law_of_messages_finds_what_it_forbids(messages: list[Any]) -> None:
    assert messages_refusal(json.dumps({"max_tokens": 5, "messages": messages}).encode()) is not None

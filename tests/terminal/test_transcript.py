from __future__ import annotations

from typing import Any

from agentmem.domain.entry import Entry, Fork, Header
from agentmem.terminal.transcript import transcript

HEADER = Header("s1", "2026-11-30T09:02:11Z", "/w", "0.1.0", forked_from=Fork("s0", "e9"))


def entry(kind: str, **body: Any) -> Entry:
    return Entry(kind, "e", None, "2026-11-30T09:02:11Z", body)


def message(role: str, *parts: dict[str, Any], **more: Any) -> Entry:
    return entry("message", role=role, content=list(parts), **more)


def text(value: str, origin: str) -> dict[str, Any]:
    return {"type": "text", "text": value, "origin": origin}


def test_a_session_as_text() -> None:
    branch = [
        message("user", text("run it", "person"), text("a,b", "stdin"), {"type": "image", "media_type": "image/png"}),
        entry("model", model="openai/x"),
        entry("call", epoch="0", sha256="0"),
        message(
            "assistant",
            text("I run it.", "agent"),
            {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "make\ntest"}},
            {"type": "tool_call", "id": "c2", "name": "read", "arguments": {"path": "x"}},
        ),
        entry(
            "message",
            role="tool",
            call_id="c1",
            content="\n".join(str(number) for number in range(20)),
            exit=2,
            ms=1500,
            error=True,
            offload=".agent/offload/s1/x",
        ),
        entry("message", role="tool", call_id="c2", content="", error=True),
        entry("message", role="tool", call_id="c7", content="lost", ms=3),
        entry("interrupt", reason="user"),
        message("user", text("told", "harness"), notice=True),
        entry("move", to="e1", why="another\nway"),
        entry("label", of="e1", label="good"),
        entry("unseen", images=["0" * 16], why="too large"),
        entry("session_info", name="n"),
        entry("verdict", outcome="queued", reason="waits"),
        entry("compaction", form="summary"),
        entry("later", x=1),
    ]
    assert list(transcript(HEADER, "the bug", branch)) == [
        "session s1 · the bug",
        "started 2026-11-30T09:02:11Z in /w",
        "a fork of s0 at e9",
        "",
        "── you · 2026-11-30 09:02:11",
        "run it",
        "[piped in]",
        "a,b",
        "[an image, image/png]",
        "",
        "-- model openai/x --",
        "",
        "── agent · 2026-11-30 09:02:11",
        "I run it.",
        "● bash  make … +1 line",
        "● read  x",
        "  0",
        "  1",
        "  2",
        "  … 12 lines more",
        "  15",
        "  16",
        "  17",
        "  18",
        "  19",
        "  └ exit 2 · 1.5 s · whole output in .agent/offload/s1/x",
        "  └ failed",
        "● (a result whose call is not on this branch)",
        "  lost",
        "  └ done · 3 ms",
        "",
        "-- interrupted by the person --",
        "",
        "── agentmem tells the agent · 2026-11-30 09:02:11",
        "[from agentmem]",
        "told",
        "",
        "-- went on from here: another way --",
        "",
        "-- e1 is labelled 'good' --",
        "",
        "-- images left out from here on: too large --",
        "",
        "-- memory: queued (waits) --",
        "",
        "-- compacted: summary --",
        "",
        "-- later --",
    ]


def test_nothing_in_it_steers_a_terminal() -> None:
    attack = "\x1b]0;owned\x07\x1b[2J\x9b31m\rover\u202e"
    branch = [
        message("user", text(attack, "person")),
        message(
            "assistant",
            text(attack, "agent"),
            {"type": "tool_call", "id": "c1", "name": attack, "arguments": {attack: attack}},
        ),
        entry("message", role="tool", call_id="c1", content=attack, offload=attack),
        entry("move", why=attack),
        entry("label", of=attack, label=attack),
        entry("verdict", outcome=attack, reason=attack),
        entry("compaction", form=attack),
        entry(attack),
        Entry("message", "e", None, attack, {"role": "user", "content": attack}),
    ]
    lines = list(transcript(Header(attack, attack, attack, "0", attack, 1, Fork(attack, attack)), attack, branch))
    assert not [line for line in lines if any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c == "\u202e" for c in line)]

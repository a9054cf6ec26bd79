"""pi's logs come in whole: the list of version 1, the tree of 2 and 3, its own roles and entries."""

from __future__ import annotations

from typing import Any

import pytest
from sources import SUMMARISED, branch, sent, take_in, told, tree_of

from agentmem.domain.clock import Clock
from agentmem.domain.message import Image, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.memory import memory

AT = "2026-01-24T16:22:26.831Z"
HEAD = {"type": "session", "version": 3, "id": "p-1", "timestamp": AT, "cwd": "/"}
OLD = {"type": "session", "id": "p-1", "timestamp": AT, "cwd": "/", "provider": "anthropic", "modelId": "m"}


def entry(own: str, parent: str | None, type: str = "message", **more: Any) -> dict[str, Any]:
    return {"type": type, "id": own, "parentId": parent, "timestamp": AT, **more}


def said(role: str, *content: Any, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": role, "content": blocks, "timestamp": 1763681581544, **more}


def call(own: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": own, "name": "bash", "arguments": arguments}


def answer(own: str, *content: Any, error: bool = False) -> dict[str, Any]:
    return said("toolResult", *content, toolCallId=own, toolName="bash", isError=error)


def old(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "timestamp": AT, "message": message}


def test_version_1_is_a_list(places: Places, clock: Clock) -> None:
    usage = {"input": 5, "output": 7, "cacheRead": 90, "cacheWrite": 3}
    made = {"stopReason": "toolUse", "provider": "anthropic", "model": "m"}
    lines = [
        OLD,
        old(said("user", "Hi")),
        old(said("assistant", "Looking", call("c1", command="ls"), usage=usage, **made)),
        {"type": "thinking_level_change", "timestamp": AT, "thinkingLevel": "high"},
        old(answer("c1", "a.py", {"type": "image", "data": "iVBO", "mimeType": "image/png"})),
        old(said("assistant", stopReason="aborted", usage={"input": 0, "output": 0})),
        old(said("user", "again")),
        old(said("assistant", "Cut off here", stopReason="length")),
    ]  # fmt: skip
    intake = take_in(places, clock, lines)
    entries = branch(places, intake)
    assert told(entries) == ["user", "assistant", "tool", "meta", "meta", "interrupt", "user", "assistant"]
    assert entries[1].message().parts == (
        Text("Looking", "import"),
        ToolCall("c1", "bash", {"command": "ls"}, origin="import"),
    )  # type: ignore[union-attr]
    assert entries[1].body["usage"] == {"input": 98, "output": 7, "cached": 90, "written": 3}
    assert entries[1].body["source"] == {
        "tool": "pi",
        "version": "1",
        "file": intake.file,
        "line": 3,
        "orig_id": None,
        "model": "anthropic/m",
    }
    assert entries[2].message().parts == (Text("a.py", "import"), Image("image/png", "iVBO", "import"))  # type: ignore[union-attr]
    assert entries[7].body["stop"] == "length"
    assert entries[0].at == AT
    assert sent(places, clock, intake) == [
        "user: Hi",
        "assistant: Looking [c1]",
        "c1= a.py | [image/png image, 3 bytes: left out, it is no image that models take]",
        "assistant: [The turn was interrupted by the user here.]",
        "user: again",
        "assistant: Cut off here",
    ]
    assert intake.read == {"user": 2, "assistant": 3, "toolResult": 1}
    assert intake.messages == {"user": 2, "assistant": 2, "tool": 1}


def test_a_compaction_of_version_1_counts_lines(places: Places, clock: Clock) -> None:
    lines = [
        OLD,
        old(said("user", "first")),
        old(said("assistant", "one", call("c1"))),
        old(answer("c1", "result")),
        old(said("user", "second")),
        {"type": "compaction", "timestamp": AT, "summary": "We began.", "firstKeptEntryIndex": 4, "tokensBefore": 9},
        old(said("assistant", "two")),
    ]
    intake = take_in(places, clock, lines)
    assert intake.compactions == 1
    entries = branch(places, intake)
    assert entries[4].body["first_kept"] == entries[3].id
    assert entries[4].body["source"]["compaction"] == {"tokensBefore": 9}
    log = (places.sessions / f"{intake.session}.jsonl").read_bytes()
    assert log[entries[4].body["first_kept_offset"] :].startswith(
        b'{"type":"message","id":"%s"' % entries[3].id.encode()
    )
    assert sent(places, clock, intake) == [
        SUMMARISED + "We began. | second",
        "assistant: two",
    ]
    # What was kept first is a result: its call is kept with it.
    lines[5]["firstKeptEntryIndex"] = 3
    intake = take_in(places, clock, lines, "other.jsonl")
    entries = branch(places, intake)
    assert entries[4].body["first_kept"] == entries[1].id
    assert sent(places, clock, intake)[1:3] == ["assistant: one [c1]", "c1= result"]


@pytest.mark.parametrize("kept", ["gone", "left", None, 17])
def test_a_compaction_that_kept_nothing_of_its_branch(places: Places, clock: Clock, kept: object) -> None:
    lines = [
        HEAD,
        entry("a", None, message=said("user", "first")),
        entry("left", "a", message=said("assistant", "left")),
        entry("b", "a", message=said("assistant", "one")),
        entry("k", "b", "compaction", summary="We began.", firstKeptEntryId=kept, fromHook=True),
        entry("c", "k", message=said("user", "second")),
    ]
    intake = take_in(places, clock, lines)
    assert told(branch(places, intake)) == ["user", "assistant", "meta", "compaction", "user"]
    assert sent(places, clock, intake) == [
        SUMMARISED + "We began. | second",
    ]


def test_version_3_is_a_tree_with_its_own_entries(places: Places, clock: Clock) -> None:
    lines = [
        {**HEAD, "parentSession": "/their/other.jsonl"},
        entry("a", None, message=said("user", "Hi")),
        entry("b", "a", message=said("assistant", "First try", stopReason="stop")),
        entry("c", "b", message=said("user", "no")),
        entry("d", "a", "branch_summary", fromId="c", summary="Tried the first way."),
        entry("e", "d", "custom_message", customType="x", content="The build is red.", display=True),
        entry("f", "e", "custom", customType="x", data={"n": 1}),
        entry("g", "f", "model_change", provider="openai", modelId="gpt"),
        entry("h", "g", message={"role": "bashExecution", "command": "make", "output": "ok", "exitCode": 0}),
        entry(
            "i", "h", message={"role": "bashExecution", "command": "env", "output": "KEY", "excludeFromContext": True}
        ),
        entry("j", "i", message={"role": "custom", "customType": "x", "content": [{"type": "text", "text": "Told."}]}),
        entry("k", "j", message=said("assistant", "Second try", stopReason="stop")),
        entry("l", "k", "label", targetId="b", label="the first way"),
        entry("m", "l", "session_info", name="Two ways"),
    ]
    intake = take_in(places, clock, lines)
    tree = tree_of(places, intake)
    assert told(tree.branch()) == [
        *("user", "user", "user", "meta", "meta", "user", "meta", "user", "assistant", "label", "session_info"),
    ]
    first_try = next(one for one in tree.entries if one.body.get("source", {}).get("orig_id") == "b")
    assert memory.labels_of(tree.entries) == {first_try.id: "the first way"}
    assert memory.name_of(tree.entries) == "Two ways"
    assert [one.body.get("notice") for one in tree.branch() if one.type == "message"] == [
        *(None, True, True, True, True, None),
    ]
    assert sent(places, clock, intake) == [
        "user: Hi | [A branch was left. Its summary:]\nTried the first way. | The build is red. | "
        "[The person ran a command (exit 0):]\n$ make\nok | Told.",
        "assistant: Second try",
    ]
    parts = [part for one in tree.branch() if (found := one.message()) for part in found.parts]
    assert {part.origin for part in parts} == {"import"}


def test_the_hook_role_of_version_2(places: Places, clock: Clock) -> None:
    lines = [
        {**HEAD, "version": 2},
        entry("a", None, message=said("user", "Hi")),
        entry("b", "a", message={"role": "hookMessage", "content": "From a hook."}),
        entry("c", "b", message={"role": "compactionSummary", "summary": "Before."}),
    ]
    intake = take_in(places, clock, lines)
    assert intake.version == "2"
    assert sent(places, clock, intake) == ["user: Hi | From a hook. | [A summary of what was said before:]\nBefore."]


def test_the_leaf_is_the_last_entry_and_a_branch_may_begin_anew(places: Places, clock: Clock) -> None:
    lines = [
        HEAD,
        entry("a", None, message=said("user", "Hi")),
        entry("b", "a", message=said("assistant", "Hello")),
        entry("x", None, message=said("user", "From the start")),
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == ["user: From the start"]
    assert len(tree_of(places, intake).entries) == 3


def test_parallel_results_and_a_branch_inside_a_step(places: Places, clock: Clock) -> None:
    lines = [
        HEAD,
        entry("a", None, message=said("user", "Hi")),
        entry("b", "a", message=said("assistant", call("c1"), call("c2"), call("c3"))),
        entry("c", "b", message=answer("c2", "two", error=True)),
        entry("d", "c", message=answer("c1", "one")),
        entry("e", "c", message=said("user", "on")),
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == [
        "user: Hi",
        "assistant: [c1 c2 c3]",
        "c1= one",
        "c2! two",
        "c3! no result in the source",
        "assistant: [No reply was recorded here.]",
        "user: on",
    ]


def test_damage_and_what_is_not_known(places: Places, clock: Clock) -> None:
    lines: list[Any] = [
        HEAD,
        HEAD,
        entry("a", None, message=said("user", "Hi")),
        entry("b", "zz", message=said("assistant", {"type": "video", "data": "x"}, "Hello")),
        entry("c", "b", "from_the_future", what=1),
        entry("d", "c", message={"role": "narrator", "content": "?"}),
        entry("e", "d", message="no object"),
        entry("f", "e", "label", targetId="nowhere", label="lost"),
        {"no": "type"},
        {"type": "message", "message": said("user", "without an id")},
        b'{"type":"message","id":"g","par',
    ]
    intake = take_in(places, clock, lines)
    assert told(branch(places, intake)) == ["user", "assistant", "meta", "meta", "meta", "meta", "user"]
    assert intake.skipped == (
        (2, "a second header"),
        (9, "an object that is no entry"),
        (11, "cut short or no JSON"),
    )
    assert intake.mended == ((4, "joined to what stands before it: its parent is not in the file"),)
    assert branch(places, intake)[1].body["unread"] == [{"type": "video", "data": "x"}]


def test_a_log_without_its_first_line_and_without_times(places: Places, clock: Clock) -> None:
    lines = [entry("a", None, message={"role": "user", "content": "Hi"}, timestamp="yesterday")]
    lines.append(entry("b", "a", message=said("assistant", "Hello"), timestamp=None))
    intake = take_in(places, clock, lines)
    assert intake.tool == "pi"
    entries = branch(places, intake)
    assert [one.at for one in entries] == ["2025-11-20T23:33:01.544Z", "2025-11-20T23:33:01.544Z"]
    lines = [entry("a", None, message={"role": "user", "content": "Hi"}, timestamp="yesterday")]
    assert take_in(places, clock, lines, "b.jsonl").session.startswith("1970-01-01T00-00-00-")

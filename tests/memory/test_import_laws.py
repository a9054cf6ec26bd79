"""Whatever was done to a log: what comes in is sound, every call is answered next to it, and a request is legal."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sources import Claude, prompt, text, use, write

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.read.tree import Tree

AT = "2026-02-20T12:47:42Z"


def claude() -> list[dict[str, Any]]:
    log, side = Claude(), Claude(isSidechain=True)
    side.count = 50
    return [
        log.user("one"),
        log.reply("m1", use("c1"), text("a")),
        log.record("progress", data={}),
        log.reply("m1", use("c2")),
        side.user("side"),
        log.result("c2"),
        side.reply("s1", use("c1")),
        log.result("c1", parentUuid="u2"),
        log.record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u5"),
        log.user("Summary.", isCompactSummary=True),
        log.reply("m2", use("c3")),
        log.user([{"type": "tool_result", "tool_use_id": "c3"}, text("[Request interrupted by user]")]),
        log.user("two", parentUuid="u1"),
        log.reply("m3"),
        {"type": "summary", "summary": "Name", "leafUuid": "u3"},
    ]


def pi() -> list[dict[str, Any]]:
    def entry(own: int, type: str = "message", on: int | None = None, **more: Any) -> dict[str, Any]:
        parent = own - 1 if on is None else on
        return {"type": type, "id": f"i{own}", "parentId": f"i{parent}" if parent else None, "timestamp": AT, **more}

    def message(role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"role": role, "content": list(blocks), **more}

    def call(own: str) -> dict[str, Any]:
        return {"type": "toolCall", "id": own, "name": "bash", "arguments": {}}

    return [
        {"type": "session", "version": 3, "id": "p", "timestamp": AT, "cwd": "/"},
        entry(1, message=message("user", text("one"))),
        entry(2, message=message("assistant", call("c"), call("d"))),
        entry(3, message=message("toolResult", text("r"), toolCallId="d")),
        entry(4, message=message("assistant", call("c"), stopReason="aborted")),
        entry(5, "label", targetId="i2", label="x"),
        entry(6, on=2, message=message("user", text("two"))),
        entry(7, "compaction", summary="Before.", firstKeptEntryId="i3"),
        entry(8, message=message("assistant", text("b"))),
        entry(9, "branch_summary", on=1, fromId="i8", summary="Left."),
        entry(10, message=message("assistant", stopReason="error")),
    ]


def codex() -> list[dict[str, Any]]:
    def item(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "response_item", "payload": {"type": kind, **payload}}

    def event(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "event_msg", "payload": {"type": kind, **payload}}

    def said(role: str, words: str) -> dict[str, Any]:
        return item("message", role=role, content=[{"type": "input_text", "text": words}])

    return [
        {"timestamp": AT, "type": "session_meta", "payload": {"id": "x", "cwd": "/"}},
        said("user", "one"),
        item("reasoning", summary=[{"text": "hm"}]),
        item("function_call", call_id="c", name="f", arguments="{}"),
        event("token_count", info={"last_token_usage": {"input_tokens": 1}}),
        item("function_call_output", call_id="c", output="r"),
        said("assistant", "a"),
        said("user", "two"),
        item("function_call", call_id="c", name="f", arguments="{"),
        event("turn_aborted"),
        {"timestamp": AT, "type": "compacted", "payload": {"message": "Before."}},
        said("user", "three"),
        event("thread_rolled_back", num_turns=1),
        item("custom_tool_call", call_id="", name="", input=None),
    ]


LOGS = [[json.dumps(one).encode() + b"\n" for one in log] for log in (claude(), pi(), codex())]
PLACES = st.integers(0, 14)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """One of the logs with lines moved, lost and doubled, and bytes overwritten and cut."""
    lines = list(draw(st.sampled_from(LOGS)))
    for kind, at, to in draw(st.lists(st.tuples(st.sampled_from("mldjo"), PLACES, PLACES), max_size=6)):
        at, to = at % len(lines), to % len(lines)
        match kind:
            case "m":
                lines.insert(to, lines.pop(at))
            case "l" if len(lines) > 2:
                del lines[at]
            case "d":
                lines.insert(to, lines[at])
            case "j":
                lines[at] = lines[at].rstrip(b"\n")
            case "o":
                cut = len(lines[at]) * to // 15
                lines[at] = lines[at][:cut] + b"\0" * (at + 1) + lines[at][cut + at + 1 :]
    return b"".join(lines)[: draw(st.sampled_from([None, None, None, -1, -40, -300]))]


def steps(tree: Tree) -> Iterator[tuple[Entry, list[Entry]]]:
    """Each entry with those that hang on it."""
    below: dict[str, list[Entry]] = {}
    for entry in tree.entries:
        below.setdefault(entry.parent_id or "", []).append(entry)
    return ((entry, below.get(entry.id, [])) for entry in tree.entries)


def assert_answered(tree: Tree) -> None:
    """Each call has its result right after it on every branch; no other result stands anywhere."""
    below = {entry.id: following for entry, following in steps(tree)}
    expected = 0
    for entry in tree.entries:
        message = entry.message()
        for call in message.calls if message else ():
            (entry,) = below[entry.id]
            assert entry.body["call_id"] == call.id
            expected += 1
    assert sum(entry.body.get("role") == "tool" for entry in tree.entries) == expected


@given(damaged())
def test_what_comes_in_is_sound(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        places, clock = Places(root, root, root / "home", root / ".agent"), Clock()
        intake = memory.import_log(write(root / "log.jsonl", [data]), places, clock, "0")
        if intake.state == "refused":
            assert not list(places.sessions.glob("*")) if places.sessions.exists() else True
            return
        messages = 0
        for own in (intake.session, *intake.sub_sessions):
            assert memory.read_session(places, own).notices == ()
            tree = memory.read_session(places, own)
            assert_answered(tree)
            messages += sum(entry.type == "message" for entry in tree.entries)
            prompt(places, clock, own)
            prompt(places, clock, own, "on")
        assert messages == sum(intake.messages.values()) + intake.stand_ins
        assert memory.import_log(root / "log.jsonl", places, clock, "0").state == "known"


def test_the_logs_themselves_come_in_whole() -> None:
    for log, calls, stand_ins in zip(LOGS, (4, 3, 3), (1, 2, 2), strict=True):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            places = Places(root, root, root / "home", root / ".agent")
            intake = memory.import_log(write(root / "log.jsonl", list(log)), places, Clock(), "0")
            assert (intake.state, intake.calls, intake.stand_ins, intake.skipped) == ("imported", calls, stand_ins, ())


def said(parents: list[int | None]) -> tuple[list[str], list[str], int]:
    """What comes in of messages that hang on each other as told: all of it and the branch, in order; and how often it
    was told that they form a ring."""
    log = Claude()
    lines = [
        log.user(str(own), uuid=f"r{own}", parentUuid=None if up is None else f"r{up}")
        for own, up in enumerate(parents)
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        places, clock = Places(root, root, root / "home", root / ".agent"), Clock()
        intake = memory.import_log(write(root / "log.jsonl", lines), places, clock, "0")
        tree = memory.read_session(places, intake.session)
        assert tree.notices == ()
        rings = sum("form a ring" in reason for _, reason in intake.mended)
    every, branch = (
        [message.text for entry in entries if (message := entry.message())] for entries in (tree.entries, tree.branch())
    )
    return every, branch, rings


@given(st.integers(2, 9).flatmap(lambda n: st.lists(st.none() | st.integers(0, n - 1), min_size=n, max_size=n)))
def test_every_message_comes_in_whatever_it_hangs_on(parents: list[int | None]) -> None:
    every, branch, _ = said(parents)
    assert sorted(every) == [str(number) for number in range(len(parents))]
    assert branch[-1] == str(len(parents) - 1)


@given(st.permutations(range(6)), st.integers(0, 3))
def test_a_ring_is_gone_through_in_the_files_order(order: list[int], before: int) -> None:
    """A chain of messages, then six that hang on each other in a ring: all of them are the conversation."""
    ring = dict(zip(order, (*order[1:], order[0]), strict=True))
    parents = [None if number == 0 else number - 1 for number in range(before)]
    every, branch, rings = said([*parents, *(ring[number] + before for number in range(6))])
    assert every == branch == [str(number) for number in range(before + 6)]
    assert rings == 1

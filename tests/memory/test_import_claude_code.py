"""Claude Code's logs come in whole: replies told in pieces, links, sub-agents, compactions, branches, damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sources import SUMMARISED, Claude, branch, sent, take_in, text, told, tree_of, use, write

from agentmem.domain.clock import Clock
from agentmem.domain.message import Image, Text, Thinking, ToolCall
from agentmem.domain.places import Places
from agentmem.memory import memory


def test_a_reply_told_in_pieces_is_one_and_its_usage_counts_once(places: Places, clock: Clock) -> None:
    log = Claude()
    usage = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7, "output_tokens": 9}
    lines = [
        log.user("Hi"),
        log.reply("m1", {"type": "thinking", "thinking": "hm", "signature": "SECRET"}, usage=usage),
        log.reply("m1", text("Looking."), usage=usage),
        log.reply("m1", use("c1", command="ls"), usage={**usage, "output_tokens": 40}),
        log.result("c1", "a.py"),
    ]
    intake = take_in(places, clock, lines)
    entries = branch(places, intake)
    assert told(entries) == ["user", "assistant", "tool"]
    reply = entries[1]
    assert reply.message().parts == (  # type: ignore[union-attr]
        Thinking("hm", origin="import"),
        Text("Looking.", "import"),
        ToolCall("c1", "Bash", {"command": "ls"}, origin="import"),
    )
    assert reply.body["usage"] == {"input": 110, "output": 40, "cached": 100, "written": 7}
    assert reply.body["stop"] == "tool_use"
    assert reply.body["source"] == {
        "tool": "claude-code",
        "version": "2.1.39",
        "file": str(places.root / "theirs" / "log.jsonl"),
        "line": 2,
        "orig_id": "u2",
        "model": "claude-x",
        "lines": [2, 3, 4],
        "orig_ids": ["u2", "u3", "u4"],
    }
    assert "SECRET" not in (places.sessions / f"{intake.session}.jsonl").read_text()
    assert intake.read == {"user": 2, "assistant": 3}
    assert intake.messages == {"user": 1, "assistant": 1, "tool": 1}
    assert (intake.lines, intake.records, intake.calls, intake.results, intake.stand_ins) == (5, 5, 1, 1, 0)


def test_what_a_person_said_there_is_not_the_persons_word_here(places: Places, clock: Clock) -> None:
    log = Claude()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    entries = branch(places, take_in(places, clock, [log.user([text("Look"), image]), log.reply("m1", text("Yes"))]))
    parts = [part for entry in entries for part in entry.message().parts]  # type: ignore[union-attr]
    assert parts == [Text("Look", "import"), Image("image/png", "iVBO", "import"), Text("Yes", "import")]


def test_pieces_of_a_reply_between_results_and_progress_make_one_step(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", use("c1")),
        log.record("progress", data={"type": "hook_progress"}),
        log.reply("m1", use("c2")),
        log.record("progress", data={"type": "hook_progress"}),
        log.result("c2", "two", parentUuid="u4"),
        log.result("c1", "one", parentUuid="u2"),
        log.reply("m1", use("c3")),
        log.result("c3", "three", is_error=True),
        log.record("progress", data={}),
        log.reply("m2", text("Done.")),
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == [
        "user: Hi",
        "assistant: [c1 c2 c3]",
        "c1= one",
        "c2= two",
        "c3! three",
        "assistant: Done.",
    ]
    assert intake.passed == {"progress": 3}
    assert (intake.skipped, intake.mended) == ((), ())


def test_a_call_without_a_result_gets_a_stand_in_on_every_branch(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", use("c1"), use("c2")),
        log.result("c2", "two"),
        log.user("left", parentUuid="u3"),
        log.user("taken", parentUuid="u3"),
        log.reply("m2", use("c3")),
    ]
    intake = take_in(places, clock, lines)
    entries = branch(places, intake)
    assert told(entries) == ["user", "assistant", "tool", "tool", "user", "assistant", "tool"]
    assert [entry.body["call_id"] for entry in entries if entry.body["role"] == "tool"] == ["c1", "c2", "c3"]
    assert (entries[2].body["content"], entries[2].body["error"]) == (
        [{"type": "text", "text": "no result in the source", "origin": "import"}],
        True,
    )
    assert entries[2].body["source"]["stand_in"] is True
    left = next(entry for entry in tree_of(places, intake).entries if entry.id not in {one.id for one in entries})
    assert left.parent_id == entries[3].id
    assert (intake.calls, intake.results, intake.stand_ins) == (3, 1, 2)


def test_the_current_branch_ends_in_the_last_of_user_assistant_and_system(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", text("Old answer")),
        log.user("Hi again", parentUuid=None),
        log.reply("m2", text("New answer")),
        log.record("progress", data={}, parentUuid="u2"),
        {"type": "file-history-snapshot", "messageId": "u3", "snapshot": {"trackedFileBackups": {}}},
        {"type": "queue-operation", "operation": "enqueue", "content": "typed meanwhile", "sessionId": "s1"},
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == ["user: Hi again", "assistant: New answer"]
    kept = [entry.body["record"] for entry in tree_of(places, intake).branch() if entry.type == "meta"]
    assert [one["type"] for one in kept] == ["file-history-snapshot", "queue-operation"]
    assert kept[1]["content"] == "typed meanwhile"


def test_a_leaf_that_is_not_the_last_entry_is_moved_to(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", use("c1")),
        log.user("another beginning", parentUuid=None),
        log.reply("m2", text("Two")),
        log.result("c1", "late", parentUuid="u2"),
    ]
    intake = take_in(places, clock, lines)
    entries = branch(places, intake)
    assert told(entries) == ["user", "assistant", "tool", "move"]
    assert (entries[3].parent_id, entries[3].body["to"]) == (entries[2].id, entries[2].id)
    assert sent(places, clock, intake) == ["user: Hi", "assistant: [c1]", "c1= late"]


def test_a_late_result_takes_nothing_back(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", use("c1")),
        log.user("hurry"),
        log.result("c1", "late", parentUuid="u2"),
    ]
    assert sent(places, clock, take_in(places, clock, lines)) == [
        *("user: Hi", "assistant: [c1]", "c1= late", "assistant: [No reply was recorded here.]", "user: hurry"),
    ]


def test_a_compaction_is_one_entry_and_what_it_covers_is_not_sent(places: Places, clock: Clock) -> None:
    log = Claude()
    metadata = {"trigger": "auto", "preTokens": 170251}
    lines = [
        log.user("Hi"),
        log.reply("m1", use("c1")),
        log.result("c1", "secret of the past"),
        log.record("progress", data={}),
        log.record(
            "system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u4", compactMetadata=metadata
        ),
        log.user("We listed files.", isCompactSummary=True),
        log.reply("m2", text("Going on.")),
    ]
    intake = take_in(places, clock, lines)
    assert (intake.compactions, intake.mended) == (1, ())
    entries = branch(places, intake)
    assert told(entries) == ["user", "assistant", "tool", "meta", "compaction", "assistant"]
    cut = entries[4].body
    assert (cut["form"], cut["summary"], cut["first_kept"]) == ("summary", "We listed files.", entries[3].id)
    assert cut["source"]["compaction"] == metadata
    assert sent(places, clock, intake) == [
        SUMMARISED + "We listed files.",
        "assistant: Going on.",
    ]


def test_a_lost_logical_parent_and_a_summary_alone(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", text("Hello")),
        log.record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="gone"),
        log.user("First summary.", isCompactSummary=True),
        log.reply("m2", text("On.")),
        log.user([text("Second summary.")], isCompactSummary=True, parentUuid=None),
        log.user("and now?"),
    ]
    intake = take_in(places, clock, lines)
    assert intake.mended == ((3, "joined to what stands before it: its parent is not in the file"),)
    assert intake.compactions == 2
    assert told(branch(places, intake)) == [
        *("user", "assistant", "meta", "compaction", "assistant", "meta", "compaction", "user"),
    ]
    assert "First" not in "".join(sent(places, clock, intake))


def test_a_boundary_without_a_summary_takes_nothing_out(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", text("Hello")),
        log.record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u2"),
        log.user("Still there?"),
    ]
    intake = take_in(places, clock, lines)
    assert intake.compactions == 0
    assert intake.mended == ((3, "a compaction without a summary: what it covers stays"),)
    assert sent(places, clock, intake) == ["user: Hi", "assistant: Hello", "user: Still there?"]


def test_sub_agents_in_the_file_become_sub_sessions(places: Places, clock: Clock) -> None:
    log, side = Claude(), Claude(isSidechain=True)
    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "find it"}}
    lines = [log.user("Hi"), log.reply("m1", task)]
    for number in (1, 2):
        side.last = None
        lines += [
            side.user(f"find it {number}", uuid=f"a{number}"),
            side.reply(f"r{number}", use(f"s{number}"), uuid=f"b{number}"),
            side.result(f"s{number}", uuid=f"c{number}"),
        ]
    lines += [log.result("t1", "found")]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == ["user: Hi", "assistant: [t1]", "t1= found"]
    assert len(intake.sub_sessions) == 2
    assert [head.id for head in memory.list_sessions(places)] == [intake.session]
    for number, own in enumerate(intake.sub_sessions, 1):
        tree = memory.read_session(places, own)
        assert tree.header.parent_session == intake.session
        assert told(tree.branch()) == ["user", "assistant", "tool"]
        assert tree.branch()[0].message().text == f"find it {number}"  # type: ignore[union-attr]
    assert (intake.calls, intake.results) == (3, 3)


def test_a_sub_agents_own_file_hangs_on_its_session(places: Places, clock: Clock, tmp_path: Path) -> None:
    log, side = Claude(), Claude(isSidechain=True, agentId="ab12")
    main = write(tmp_path / "p" / "s1.jsonl", [log.user("Hi"), log.reply("m1", text("Hello"))])
    path = write(
        tmp_path / "p" / "s1" / "subagents" / "agent-ab12.jsonl", [side.user("find it"), side.reply("r", text("ok"))]
    )
    sub = memory.import_log(path, places, clock, "0")
    whole = memory.import_log(main, places, clock, "0")
    assert memory.read_session(places, sub.session).header.parent_session == whole.session
    assert [head.id for head in memory.list_sessions(places)] == [whole.session]
    main.unlink()
    orphan = write(path.with_name("agent-cd.jsonl"), [side.user("alone"), side.reply("r", text("ok"))])
    alone = memory.import_log(orphan, places, clock, "0")
    assert memory.read_session(places, alone.session).header.parent_session == "s1"
    title = {"type": "summary", "summary": "T", "leafUuid": "x"}
    titled = memory.import_log(write(path.with_name("agent-ef.jsonl"), [title, side.user("more")]), places, clock, "0")
    assert (titled.messages, titled.sub_sessions) == ({"user": 1}, ())


def test_injected_text_interrupts_and_errors_are_not_what_anyone_said(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Caveat: never mind", isMeta=True),
        log.user("<local-command-stdout>set model</local-command-stdout>"),
        log.user([text("<system-reminder>be nice</system-reminder>"), text("Fix it")]),
        log.reply("m1", use("c1")),
        log.user([{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True},
                  text("[Request interrupted by user for tool use]")]),
        log.user("go on"),
        log.reply("x", text("API Error: 529"), isApiErrorMessage=True),
        log.user("again"),
    ]  # fmt: skip
    intake = take_in(places, clock, lines)
    assert told(branch(places, intake)) == [
        *("meta", "meta", "meta", "user", "assistant", "tool", "interrupt", "user", "meta", "user"),
    ]
    assert sent(places, clock, intake) == [
        "user: Fix it",
        "assistant: [c1]",
        "c1! no",
        "assistant: [The turn was interrupted by the user here.]",
        "user: go on | again",
    ]


def test_empty_messages_are_kept_and_never_sent(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", {"type": "thinking", "thinking": "only thought"}),
        log.reply("m2", {"type": "redacted_thinking", "data": "AAAA"}, text("Hello")),
        log.user(""),
        log.reply("m3"),
    ]
    intake = take_in(places, clock, lines)
    assert intake.meta == 3
    assert sent(places, clock, intake) == ["user: Hi", "assistant: Hello"]
    assert "AAAA" not in (places.sessions / f"{intake.session}.jsonl").read_text()


def test_what_has_no_place_in_a_message_is_kept_beside_it(places: Places, clock: Clock) -> None:
    log = Claude()
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    lines = [
        log.user([text("Read"), document, "and this"]),
        log.reply("m1", {"type": "tool_use", "id": "", "name": "", "input": "not an object"}),
        log.result("call-2", [text("it says"), picture, {"type": "tool_reference"}]),
    ]
    entries = branch(places, take_in(places, clock, lines))
    assert entries[0].body["unread"] == [document]
    assert entries[0].message().text == "Read\n\nand this"  # type: ignore[union-attr]
    assert entries[1].message().calls == (ToolCall("call-2", "unknown", {}, "not an object", "import"),)  # type: ignore[union-attr]
    assert entries[2].message().parts == (Text("it says", "import"), Image("image/png", "iVBO", "import"))  # type: ignore[union-attr]
    assert entries[2].body["unread"] == [{"type": "tool_reference"}]


def test_titles_name_the_session_where_they_are_about_it(places: Places, clock: Clock) -> None:
    log = Claude()
    about, other = (
        {"type": "summary", "summary": "Fix login", "leafUuid": "u2"},
        {"type": "summary", "summary": "Else", "leafUuid": "zz"},
    )
    lines = [other, about, log.user("Hi"), log.reply("m1", text("Hello"))]
    intake = take_in(places, clock, lines)
    (head,) = memory.list_sessions(places)
    assert (head.id, head.name, head.preview, head.cwd) == (intake.session, "Fix login", "Hi", "/")
    assert told(branch(places, intake)) == ["meta", "session_info", "user", "assistant", "session_info"]
    renamed = take_in(
        places, clock, [*lines, {"type": "custom-title", "customTitle": "Mine", "sessionId": "s1"}], "b.jsonl"
    )
    assert {head.id: head.name for head in memory.list_sessions(places)}[renamed.session] == "Mine"


def test_damaged_lines_are_counted_and_lose_nothing_else(places: Places, clock: Clock) -> None:
    log = Claude()
    first, reply = log.user("Hi"), log.reply("m1", text("Hello"))
    again, other = log.user("Bye"), log.user("Bye, too", uuid="u3", parentUuid="u2")
    two = json.dumps(log.user("twin one", parentUuid="u3")) + json.dumps(log.user("twin two"))
    lines = [
        "a bare string",
        42,
        [1],
        {"silly": True},
        first,
        {**first, "uuid": "broken", "message": "error"},
        b"\0" * 4096 + b"\n",
        {key: value for key, value in reply.items() if key != "timestamp"},
        reply,  # the same id, another time
        first,
        again,
        other,
        two.encode() + b"\n",
        b'{"type":"user","uuid":"u9","parentUuid":"u3","mess\n',
        b"\0\0" + json.dumps(log.user("behind a hole")).encode() + b"\n",
        b'{"type":"assistant","uuid":"torn","parentUu',
    ]
    intake = take_in(places, clock, lines)
    assert intake.skipped == (
        (1, "no object"),
        (2, "no object"),
        (3, "no object"),
        (4, "an object that is no record"),
        (7, "NUL bytes"),
        (10, "the same record again"),
        (14, "cut short or no JSON"),
        (16, "cut short or no JSON"),
    )
    assert (6, "a user record whose message is no object") in intake.mended
    assert (intake.lines, intake.records) == (16, 11)
    said = "\n".join(sent(places, clock, intake))
    for text_ in ("Hi", "Hello", "Bye, too", "twin one", "twin two", "behind a hole"):
        assert text_ in said


@pytest.mark.parametrize("lost", ["gone", 7, ["u1"]])
def test_a_lost_or_future_parent_and_a_ring_lose_nothing(places: Places, clock: Clock, lost: object) -> None:
    log = Claude()
    lines = [
        log.user("one"),
        log.user("two", parentUuid=lost),
        log.user("child first", uuid="late", parentUuid="early"),
        log.user("parent later", uuid="early", parentUuid="u2"),
        log.user("ring a", uuid="ra", parentUuid="rb"),
        log.user("ring b", uuid="rb", parentUuid="ra"),
        log.user("itself", uuid="self", parentUuid="self"),
        log.record("progress", uuid="pa", parentUuid="pb", data={}),
        log.record("progress", uuid="pb", parentUuid="pa", data={}),
        log.user("after links that lead nowhere", uuid="end", parentUuid="pb"),
        log.reply("m", text("ok")),
    ]
    intake = take_in(places, clock, lines)
    tree = tree_of(places, intake)
    assert [e.body["content"][0]["text"] for e in tree.entries if e.type == "message"] == [
        "one",
        "two",
        "parent later",
        "child first",
        *("ring a", "ring b"),
        "itself",
        "after links that lead nowhere",
        "ok",
    ]
    assert tree.branch()[-1].id == tree.entries[-1].id
    assert all(entry.parent_id for entry in tree.entries[1:])


def test_a_result_without_a_call_and_a_second_one_are_kept_as_meta(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.result("never", "?"),
        log.reply("m1", use("c1")),
        log.result("c1", "1"),
        log.result("c1", "2"),
    ]
    intake = take_in(places, clock, lines)
    assert (intake.results, intake.meta, intake.stand_ins) == (1, 2, 0)
    assert [line for line, _ in intake.mended] == [2, 5]
    assert sent(places, clock, intake) == ["user: Hi", "assistant: [c1]", "c1= 1"]


def test_call_ids_that_are_used_again_answer_in_their_own_step(places: Places, clock: Clock) -> None:
    log = Claude()
    lines = [
        log.user("Hi"),
        log.reply("m1", use("call_0")),
        log.user("stop"),
        log.reply("m2", use("call_0")),
        log.result("call_0", "second"),
    ]
    assert sent(places, clock, take_in(places, clock, lines)) == [
        "user: Hi",
        "assistant: [call_0]",
        "call_0! no result in the source",
        "assistant: [No reply was recorded here.]",
        "user: stop",
        "assistant: [call_0-2]",
        "call_0-2= second",
    ]

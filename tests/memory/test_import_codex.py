"""Codex's logs come in whole: the envelope and the legacy form, compactions, aborts, turns taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sources import SUMMARISED, branch, sent, take_in, told, tree_of

from agentmem.domain.clock import Clock
from agentmem.domain.message import Image, Text, Thinking, ToolCall
from agentmem.domain.places import Places
from agentmem.memory import memory

AT = "2026-02-20T12:47:42.102Z"


def line(kind: str, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def item(type: str, **payload: Any) -> dict[str, Any]:
    return line("response_item", type=type, **payload)


def event(type: str, **payload: Any) -> dict[str, Any]:
    return line("event_msg", type=type, **payload)


def message(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts]}


def say(role: str, *texts: str) -> dict[str, Any]:
    return item(**message(role, *texts))


def call(own: str, arguments: object = "{}", name: str = "shell") -> dict[str, Any]:
    return item("function_call", call_id=own, name=name, arguments=arguments)


def output(own: str, text: object) -> dict[str, Any]:
    return item("function_call_output", call_id=own, output=text)


def tokens(total: int, **last: int) -> dict[str, Any]:
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return event("token_count", info=info, rate_limits=None)


META = line("session_meta", id="x-1", timestamp=AT, cwd="/", cli_version="0.104.0", base_instructions={"text": "Be"})


def test_an_enveloped_log(places: Places, clock: Clock) -> None:
    lines = [
        META,
        say("developer", "<permissions instructions>never</permissions instructions>"),
        say("user", "# AGENTS.md instructions for /w\n\nBe kind", "<environment_context>cwd</environment_context>"),
        line("turn_context", model="gpt-5", cwd="/"),
        event("task_started"),
        say("user", "Fix it"),
        event("user_message", message="Fix it"),
        item("reasoning", summary=[{"type": "summary_text", "text": "Look first"}], encrypted_content="SECRET"),
        say("assistant", "Looking."),
        event("agent_message", message="Looking."),
        call("c1", '{"command":["ls"]}'),
        item("custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin"),
        tokens(120, input_tokens=100, cached_input_tokens=60, output_tokens=20),
        event("token_count", info=None),
        tokens(120, input_tokens=100, cached_input_tokens=60, output_tokens=20),
        output("c1", "a.py"),
        item("custom_tool_call_output", call_id="c2", output='{"output":"no","metadata":{"exit_code":1}}'),
        item("reasoning", summary=[], encrypted_content="SECRET"),
        item("web_search_call", status="completed", action={"query": "x"}),
        say("assistant", "Done."),
        tokens(150, input_tokens=25, cached_input_tokens=0, output_tokens=5),
        event("task_complete"),
    ]
    intake = take_in(places, clock, lines)
    entries = branch(places, intake)
    assert told(entries) == [*("meta", "meta", "meta", "user", "assistant", "tool", "tool", "assistant", "meta")]
    reply = next(one for one in entries if one.body.get("role") == "assistant")
    assert reply.message().parts == (  # type: ignore[union-attr]
        Thinking("Look first", origin="import"),
        Text("Looking.", "import"),
        ToolCall("c1", "shell", {"command": ["ls"]}, origin="import"),
        ToolCall("c2", "apply_patch", {"input": "*** Begin"}, origin="import"),
    )
    assert reply.body["usage"] == {"input": 100, "output": 20, "cached": 60}
    assert reply.body["source"]["lines"] == [8, 9, 11, 12]
    assert reply.body["source"]["model"] == "gpt-5"
    last = [one for one in entries if one.body.get("role") == "assistant"][-1]
    assert last.body["usage"] == {"input": 25, "output": 5}
    results = [one for one in entries if one.body.get("role") == "tool"]
    assert [(one.body.get("exit"), one.body.get("error")) for one in results] == [(None, None), (1, True)]
    assert sent(places, clock, intake) == [
        "user: Fix it",
        "assistant: Looking. [c1 c2]",
        "c1= a.py",
        "c2! no",
        "assistant: Done.",
    ]
    assert intake.passed == {"turn_context": 1, "event_msg": 8}
    assert (intake.version, intake.calls, intake.results, intake.stand_ins) == ("0.104.0", 2, 2, 0)
    assert "SECRET" not in (places.sessions / f"{intake.session}.jsonl").read_text()


def test_a_log_that_ends_right_after_a_call(places: Places, clock: Clock) -> None:
    intake = take_in(places, clock, [META, say("user", "Fix it"), call("c1")])
    assert intake.stand_ins == 1
    assert sent(places, clock, intake) == ["user: Fix it", "assistant: [c1]", "c1! no result in the source"]


def test_results_between_calls_make_steps(places: Places, clock: Clock) -> None:
    lines = [
        META,
        say("user", "Go"),
        call("c1"),
        output("c1", "1"),
        call("c2"),
        call("c3"),
        output("c3", "3"),
        output("c2", "2"),
    ]
    assert sent(places, clock, take_in(places, clock, lines)) == [
        "user: Go",
        "assistant: [c1]",
        "c1= 1",
        "assistant: [c2 c3]",
        "c2= 2",
        "c3= 3",
    ]


def test_an_abort_and_turns_taken_back(places: Places, clock: Clock) -> None:
    lines = [
        META,
        say("user", "one"),
        say("assistant", "1"),
        say("user", "two"),
        call("c1"),
        event("turn_aborted", reason="interrupted"),
        say("user", "<turn_aborted>by the user</turn_aborted>"),
        say("user", "three"),
        say("assistant", "3"),
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == [
        *("user: one", "assistant: 1", "user: two", "assistant: [c1]", "c1! no result in the source"),
        *("assistant: [The turn was interrupted by the user here.]", "user: three", "assistant: 3"),
    ]
    lines += [event("thread_rolled_back", num_turns=2), say("user", "other"), say("assistant", "4")]
    intake = take_in(places, clock, lines, "back.jsonl")
    assert sent(places, clock, intake) == ["user: one", "assistant: 1", "user: other", "assistant: 4"]
    lines += [event("thread_rolled_back", num_turns=9), say("user", "anew")]
    assert sent(places, clock, take_in(places, clock, lines, "anew.jsonl")) == ["user: anew"]


@pytest.mark.parametrize(
    ("payload", "summary"),
    [
        ({"message": "We fixed it."}, "We fixed it."),
        (
            {"message": "", "replacement_history": [
                message("developer", "rules"), message("user", "<environment_context>x"), message("user", "Fix it"),
                {"type": "compaction", "encrypted_content": "SECRET"}, message("user", "The state: half done."), 7]},
            "[user]\nFix it\n\n[user]\nThe state: half done.",
        ),
        (
            {"message": "half done", "replacement_history": [message("user", "Another model began: half done")]},
            "[user]\nAnother model began: half done",
        ),
        (
            {"message": "The end.", "replacement_history": [message("user", "Fix it")]},
            "[user]\nFix it\n\nThe end.",
        ),
    ],
)  # fmt: skip
def test_a_compaction_replaces_all_before(places: Places, clock: Clock, payload: dict[str, Any], summary: str) -> None:
    lines = [META, say("user", "Fix it"), say("assistant", "Yes"), line("compacted", **payload), say("user", "on")]
    intake = take_in(places, clock, lines)
    assert intake.compactions == 1
    assert sent(places, clock, intake) == [f"{SUMMARISED}{summary} | on"]
    assert "SECRET" not in (places.sessions / f"{intake.session}.jsonl").read_text()


def test_a_compaction_that_nobody_can_read_takes_nothing_out(places: Places, clock: Clock) -> None:
    history = [{"type": "compaction", "encrypted_content": "SECRET"}]
    lines = [META, say("user", "Fix it"), line("compacted", message="", replacement_history=history), say("user", "on")]
    intake = take_in(places, clock, lines)
    assert intake.compactions == 0
    assert intake.mended == ((3, "a compaction without a summary: what it covers stays"),)
    assert sent(places, clock, intake) == ["user: Fix it | on"]


def test_the_legacy_form(places: Places, clock: Clock) -> None:
    told_twice = json.dumps({"output": "ok\n", "metadata": {"exit_code": 0}})
    lines = [
        {"id": "old-1", "timestamp": "2025-09-02T10:00:00.000Z", "instructions": "Be kind", "git": {"branch": "main"}},
        {"record_type": "state"},
        message("user", "<user_instructions>\nBe kind\n</user_instructions>"),
        message("user", "Fix it"),
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "SECRET"},
        {"record_type": "state"},
        {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": "{broken", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": told_twice},
        {"type": "local_shell_call", "call_id": "c2", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "function_call_output", "call_id": "c2", "output": {"content": "b", "success": False}},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
        {"nothing": "known"},
    ]  # fmt: skip
    intake = take_in(places, clock, lines)
    assert (intake.tool, intake.version, intake.passed) == ("codex", "", {"state": 2})
    assert intake.skipped == ((12, "an object that is no item"),)
    assert intake.session.startswith("2025-09-02T10-00-00-")
    assert sent(places, clock, intake) == [
        *("user: Fix it", "assistant: [c1]", "c1= ok\n", "assistant: [c2]", "c2! b", "assistant: Done."),
    ]
    calls = [one.message().calls for one in branch(places, intake) if one.body.get("role") == "assistant"]  # type: ignore[union-attr]
    assert calls[0] == (ToolCall("c1", "shell", {}, "{broken", "import"),)
    assert calls[1] == (ToolCall("c2", "local_shell", {"type": "exec", "command": ["ls"]}, None, "import"),)
    assert {one.at for one in branch(places, intake)} == {"2025-09-02T10:00:00Z"}
    assert branch(places, intake)[-1].body["source"]["orig_id"] == "msg_1"


def test_images_and_lists_of_parts(places: Places, clock: Clock) -> None:
    url = "data:image/png;base64,iVBO"
    lines = [
        META,
        item(
            "message",
            role="user",
            content=[{"type": "input_text", "text": "See"}, {"type": "input_image", "image_url": url}],
        ),
        call("c1"),
        output(
            "c1", [{"type": "input_text", "text": "it"}, {"type": "input_image", "image_url": "https://x.test/a.png"}]
        ),
    ]
    entries = [one for one in branch(places, take_in(places, clock, lines)) if one.type == "message"]
    assert entries[0].message().parts == (Text("See", "import"), Image("image/png", "iVBO", "import"))  # type: ignore[union-attr]
    assert entries[2].message().parts == (Text("it", "import"),)  # type: ignore[union-attr]


def test_a_spawned_thread_is_a_sub_session_and_a_fork_is_none(places: Places, clock: Clock) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "x-0", "depth": 1}}}
    spawned = line("session_meta", id="x-2", timestamp=AT, cwd="/", cli_version="0.104.0", source=source)
    sub = take_in(places, clock, [spawned, say("user", "find it")])
    assert tree_of(places, sub).header.parent_session == "x-0"
    fork = line(
        "session_meta", id="x-3", timestamp=AT, cwd="/", cli_version="0.104.0", forked_from_id="x-1", source="cli"
    )
    own = take_in(places, clock, [fork, META, say("user", "Hi")], "fork.jsonl")
    assert [head.id for head in memory.list_sessions(places)] == [own.session]
    log = (places.sessions / f"{own.session}.jsonl").read_text().split("\n")
    assert json.loads(log[0])["source"]["session"] == "x-3"


def test_damage_loses_nothing_else(places: Places, clock: Clock) -> None:
    lines: list[Any] = [
        b'{"timestamp":"2026-02-20T12:47\n',
        "bare",
        META,
        {"timestamp": AT, "type": "response_item", "payload": "no object"},
        {"timestamp": AT, "payload": {}},
        say("user", "Hi"),
        item("message", role="user", content=None),
        item("from_the_future", x=1),
        line("world_state", x=1),
        output("never", "?"),
        b"\0\0\0\n",
        say("assistant", "Hello"),
    ]
    intake = take_in(places, clock, lines)
    assert sent(places, clock, intake) == ["user: Hi", "assistant: Hello"]
    assert [at for at, _ in intake.skipped] == [1, 2, 5, 11]
    assert intake.meta == 6
    assert intake.mended == ((10, "a result whose call is not in the file, or has one"),)

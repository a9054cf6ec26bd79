from __future__ import annotations

import json
from typing import Any

import pytest
from histories import assert_legal
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.clock import Clock
from agentmem.domain.message import Message, Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
from agentmem.memory.memory import EntryMissing, Session
from agentmem.memory.read import catalogue
from agentmem.memory.read.replay import NO_USER

TOOLS = (ToolSpec("bash", "Run a command.", {"type": "object"}),)


def opened(places: Places, clock: Clock, name: str | None = None) -> Session:
    session = memory.new_session(places, clock, "0.1.0") if name is None else memory.resume_session(places, clock, name)
    session.begin_epoch(TOOLS, 200_000)
    return session


def exchange(session: Session, asked: str, answered: str) -> tuple[str, str]:
    question = session.record_user([Text(asked, "person")])
    session.prompt()
    session.record_call("m", b"")
    return question.id, session.record_reply(Reply((Text(answered, "agent"),), "end")).id


def texts(session: Session) -> list[str]:
    said = [message.text.split("\n\n[Today")[0] for message in session.prompt().messages]
    return [text for text in said if text != NO_USER]


def records(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in session.path.read_text().splitlines()]


def test_a_move_is_appended_and_what_comes_next_hangs_on_its_target(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, answer = exchange(session, "one", "ONE")
    exchange(session, "two", "TWO")
    before = session.path.read_bytes()
    moved = session.move(answer, "another try")
    assert session.path.read_bytes().startswith(before)
    assert records(session)[-1] == {
        "type": "move",
        "id": moved.id,
        "parent_id": answer,
        "at": "2026-11-30T12:02:11Z",
        "to": answer,
        "why": "another try",
    }
    assert session.leaf == moved.id
    exchange(session, "three", "THREE")
    assert texts(session) == ["one", "ONE", "three", "THREE"]
    again = session.prompt()
    session.close()
    resumed = opened(places, clock, session.id)
    assert resumed.prompt() == again
    assert resumed.notices == ()
    resumed.close()


def test_before_the_first_entry_nothing_was_said(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    session.move(None, "from the start")
    assert session.prompt().messages == ()
    exchange(session, "two", "TWO")
    assert texts(session) == ["two", "TWO"]
    assert "[Today is 2026-11-30.]" in session.prompt().messages[0].text
    session.close()
    resumed = opened(places, clock, session.id)
    assert texts(resumed) == ["two", "TWO"]
    resumed.close()


def test_a_move_begins_an_epoch_from_the_files_as_they_are_now(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, answer = exchange(session, "one", "ONE")
    (places.root / "AGENTS.md").write_text("Say please.")
    assert "Say please." not in session.prompt().system
    session.move(answer, "")
    assert "Say please." in session.prompt().system
    session.close()


def test_the_model_is_named_again_on_the_other_branch(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    session.move(None, "")
    exchange(session, "two", "TWO")
    assert [record["type"] for record in records(session)].count("model") == 2
    session.close()


def test_a_move_to_no_entry_changes_nothing(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    before, leaf = session.path.read_bytes(), session.leaf
    for name, said in (("nope", "is no entry"), ("0000", "begins more than one entry"), ("", "is no entry")):
        with pytest.raises(EntryMissing, match=said):
            session.move(name, "")
    assert (session.path.read_bytes(), session.leaf) == (before, leaf)
    session.close()


def test_an_entry_is_called_by_its_label_too(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, answer = exchange(session, "one", "ONE")
    session.label("  good\n one ")
    exchange(session, "two", "TWO")
    assert session.move("good one", "").parent_id == answer
    session.label(None, of=answer)
    with pytest.raises(EntryMissing):
        session.move("good one", "")
    session.close()


def test_labels_and_names_say_nothing_to_the_model(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    before = session.prompt().messages
    session.label("here")
    session.rename("the name")
    assert session.prompt().messages == before
    session.close()
    resumed = opened(places, clock, session.id)
    assert (resumed.prompt().messages, resumed.name) == (before, "the name")
    resumed.close()


def test_a_name_stays_in_sight_of_a_reader_of_ends(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    for number in range(6):
        exchange(session, f"question {number} " + "x" * 900, "y" * 900)
    session.rename("the name")
    for number in range(40):
        exchange(session, f"question {number} " + "x" * 900, "y" * (9000 if number % 7 == 0 else 500))
        (head,) = catalogue.heads(places.sessions)
        assert head.name == "the name"
    session.rename("")
    exchange(session, "last", "LAST")
    assert catalogue.heads(places.sessions)[0].name == ""
    told = [record["name"] for record in records(session) if record["type"] == "session_info"]
    assert set(told) == {"the name", ""}
    assert session.path.stat().st_size / len(told) > 4000
    session.close()


def test_a_session_without_a_name_pays_nothing_for_it(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    for number in range(8):
        exchange(session, str(number), "y" * 5000)
    assert "session_info" not in {record["type"] for record in records(session)}
    session.close()


def test_a_tree_before_the_first_entry_is_empty(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    assert session.tree().entries == ()
    assert memory.outline(session.tree()) == []


STEPS = st.lists(
    st.one_of(st.just("ask"), st.just("call"), st.just("cut"), st.just("label"), st.integers(-1, 40)), max_size=14
)


@given(steps=STEPS)
def test_after_any_moves_a_resume_sends_what_the_session_would(steps: list[Any], tmp_path_factory: Any) -> None:
    root = tmp_path_factory.mktemp("w")
    places = Places(root=root, cwd=root, home=root / "home", shared=root / ".agent")
    clock = Clock(now=lambda: 1796040131.0)
    session = opened(places, clock)
    exchange(session, "first", "FIRST")
    for number, step in enumerate(steps):
        if step == "ask":
            exchange(session, f"ask {number}", f"answer {number}")
        elif step == "call":
            call = ToolCall(f"t{number}", "bash", {})
            session.record_reply(Reply((call,), "tool_use"))
            session.record_result(call, ToolResult("ok"), 1)
        elif step == "cut":
            session.record_reply(Reply((ToolCall("t", "bash", {}),), "tool_use"))
            session.record_interrupt("user")
        elif step == "label":
            session.label(f"label {number}")
        else:
            ids = [entry.id for entry in session.tree().entries]
            session.move(None if step < 0 else ids[step % len(ids)], "")
    sent: tuple[Message, ...] = session.prompt().messages
    if sent:
        assert_legal(sent)
    session.close()
    resumed = opened(places, clock, session.id)
    assert resumed.prompt().messages == sent
    assert resumed.entries == session.entries
    resumed.close()
    if resumed.leaf is not None:
        fork = memory.fork_session(places, clock, "0", session.id)
        forked = opened(places, clock, fork)
        assert forked.prompt().messages == sent
        assert forked.notices == ()
        forked.close()

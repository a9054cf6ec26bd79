"""Structured actions: what the calls and their results say, and nothing that anyone says of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.read.actions import Actions, Asked, Changed, Commit, Ran, actions


def test_the_actions_of_a_piece_of_work() -> None:
    failing = Ran("pytest tests/db -q", 1, "failed", "test", "OperationalError: connection to port 5433 failed", "m12")
    assert actions(work().span) == Actions(
        asked=(Asked("Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.", True, "m1"),),
        limits=("Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.",),
        changed=(Changed("src/db/pool.py", "edit", 1, "m6"), Changed("tests/conftest.py", "write", 1, "m8")),
        ran=(
            Ran("make lint", 0, "passed", "lint", "", "m10"),
            failing,
            Ran("git commit -am 'pool'", 0, "passed", None, "", "m14"),
        ),
        commits=(Commit("9f3ab21", "pool on psycopg", "m14"),),
        todos=(),
        done=(),
        unfinished=(),
        failing=(failing,),
    )


def test_a_failed_write_changed_nothing_and_the_last_way_counts() -> None:
    talk = Talk().edit("a.py", error=True).write("b.py").edit("b.py").bash("touch b.py c.py").bash("rm d.py", exit=1)
    assert actions(talk.span).changed == (Changed("b.py", "bash", 3, "m8"), Changed("c.py", "bash", 1, "m8"))


def test_what_someone_says_is_done_is_not() -> None:
    talk = Talk().user("I wrote a.py and `pytest` passed").agent("I changed b.py, committed [main 1234567] x")
    found = actions(talk.span)
    assert (found.changed, found.ran, found.commits, found.failing) == ((), (), (), ())


def test_the_last_run_of_a_check_counts() -> None:
    talk = Talk().bash("pytest -q", "1 failed", exit=1).bash("make lint", "x", exit=2)
    assert [one.command for one in actions(talk.span).failing] == ["pytest -q", "make lint"]
    talk.bash("pytest -q 2>&1 | tail -3", "4 passed in 1 s")
    assert [one.command for one in actions(talk.span).failing] == ["make lint"]
    talk.bash("make lint | head", "")  # how it ended cannot be known
    assert actions(talk.span).failing == ()


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("todo", {"items": [{"text": "a", "state": "done"}, {"text": "b", "state": "doing"}, "c"]},
         (("b", "c"), ("a",))),
        ("TodoWrite", {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]},
         (("b",), ("a",))),
        ("todo", {"items": [{"text": "a", "done": True}, {}, 3, " "]}, ((), ("a",))),
        ("todo", {"clear": True}, ((), ())),
    ],
)  # fmt: skip
def test_todos_are_those_of_the_last_list(name: str, arguments: dict[str, Any], expected: Any) -> None:
    talk = Talk().call("todo", {"items": ["old"]}).result("ok").call(name, arguments).result("ok")
    found = actions(talk.span)
    assert (found.todos, found.done) == (expected if "clear" not in arguments else (("old",), ()))


def test_a_list_that_was_refused_counts_for_nothing() -> None:
    talk = Talk().call("todo", {"items": ["a"]}).result("ok").call("todo", {"items": ["b"]}).result("no", error=True)
    assert actions(talk.span).todos == ("a",)


def test_calls_without_a_result_are_unfinished() -> None:
    talk = Talk().call("bash", {"command": "make all"}).call("read", {"path": "a.py"}).call("ls", {})
    assert actions(talk.span).unfinished == ("bash make all", "read a.py", "ls")


def test_ids_that_are_used_again_answer_the_latest_call() -> None:
    talk = Talk().call("write", {"path": "a.py"}, "1").result("no", error=True, call_id="1")
    talk.call("write", {"path": "b.py"}, "1").result("ok", call_id="1")
    assert [one.path for one in actions(talk.span).changed] == ["b.py"]


def test_a_message_is_answered_when_the_turn_ends_with_an_answer() -> None:
    talk = Talk().user("one").bash("ls").agent("done").user("two").bash("ls").user("three")
    talk.user("[a notice]", "harness", notice=True)
    assert [(one.text, one.answered) for one in actions(talk.span).asked] == [
        ("one", True),
        ("two", False),
        ("three", False),
    ]


@pytest.mark.parametrize(
    ("error", "text", "exit", "expected"),
    [
        (True, "Command exited with code 3", None, 3),
        (True, "Exit code 2\nno such file", None, 2),
        (True, "out\n[exit 127]", None, 127),
        (True, "killed", None, None),
        (False, "exit code 9 is what the docs say", None, None),
        (True, "Exit code 2", 5, 5),
    ],
)
def test_exit_codes_are_read_off_the_entry_else_the_text(
    error: bool, text: str, exit: int | None, expected: int | None
) -> None:
    talk = Talk().call("Bash", {"command": "x"}).result(text, error=error, exit=exit)
    assert [one.exit for one in actions(talk.span).ran] == [expected]


def test_a_command_may_be_a_list() -> None:
    talk = Talk().call("shell", {"command": ["bash", "-lc", "make test"]}).result("ok")
    assert [(one.command, one.check) for one in actions(talk.span).ran] == [("make test", "test")]


_STEPS = st.lists(
    st.tuples(st.sampled_from(["edit", "write", "bash"]), st.sampled_from(["a.py", "b/c.py", "d"]), st.booleans()),
    max_size=12,
)


@given(_STEPS)
def test_only_what_succeeded_is_told(steps: list[tuple[str, str, bool]]) -> None:
    talk = Talk()
    for kind, path, good in steps:
        if kind == "bash":
            talk.bash(f"touch {path}", exit=0 if good else 1)
        else:
            talk.call(kind, {"path": path}).result("ok", error=not good)
    found = actions(talk.span)
    assert {one.path for one in found.changed} == {path for _, path, good in steps if good}
    assert sum(one.times for one in found.changed) == sum(good for _, _, good in steps)
    assert len(found.ran) == sum(kind == "bash" for kind, _, _ in steps)

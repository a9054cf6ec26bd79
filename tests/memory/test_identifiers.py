"""The salient identifiers of a span: who must have named them, and what counts as standing in a text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.read.identifiers import KINDS, commands, salient, stands


def texts(talk: Talk) -> dict[str, list[str]]:
    found = salient(talk.span).found
    return {kind: [one.text for one in found[kind]] for kind in KINDS if found[kind]}


def test_the_salient_identifiers_of_a_piece_of_work() -> None:
    assert texts(work()) == {
        "decision": [
            "Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.",
            "We use psycopg instead of asyncpg because the pool is synchronous.",
        ],
        "path": ["vendor/legacy.py", "src/db/pool.py", "tests/conftest.py"],
        "command": ["make lint", "git commit -am 'pool'"],
        "number": ["42 s"],
        "host": ["localhost:5433"],
    }


@pytest.mark.parametrize(
    ("talk", "is_salient"),
    [
        (Talk().user("look at a/b.py"), True),
        (Talk().user("look at a/b.py", "file"), False),
        (Talk().user("look at a/b.py", notice=True), False),
        (Talk().agent("I looked at a/b.py"), True),
        (Talk().edit("a/b.py"), True),
        (Talk().edit("a/b.py", error=True), False),
        (Talk().call("read", {"path": "a/b.py"}).result("x"), False),
        (Talk().call("read", {"path": "a/b.py"}).result("a/b.py: x"), True),
        (Talk().bash("cat a/b.py"), True),
        (Talk().bash("cat a/b.py", exit=1), False),
        (Talk().call("bash", {"command": "cat a/b.py"}), False),
        (Talk().bash("ls", "a/b.py a/b.py"), False),
        (Talk().bash("ls", "a/b.py").bash("ls", "a/b.py"), True),
    ],
)
def test_what_makes_a_path_salient(talk: Talk, is_salient: bool) -> None:
    found = salient(talk.span)
    assert [one.text for one in found.found["path"]] == (["a/b.py"] if is_salient else [])
    assert [one.text for one in found.rest if one.kind == "path"] == ([] if is_salient else ["a/b.py"])


def test_commands_in_a_talk_are_those_with_a_known_program() -> None:
    text = "run `npm run check` then `foo bar`, `git`\n$ make all\n`$ ls -la`"
    assert commands(text) == ["npm run check", "ls -la", "make all"]


def test_a_program_that_was_run_is_known() -> None:
    talk = Talk().bash("zork --now").agent("next is `zork --later`")
    assert texts(talk)["command"] == ["zork --now", "zork --later"]


def test_a_script_is_no_command() -> None:
    assert "command" not in texts(Talk().bash("cat > x.py <<'E'\nprint(1)\nE"))


def test_what_the_agent_did_itself_weighs_more_than_what_it_was_shown() -> None:
    talk = Talk().call("read", {"path": "a/x.py"}).result("a/y.py")
    weights = {one.text: one.weight for one in salient(talk.span).rest}
    assert weights["a/x.py"] > 4 * weights["a/y.py"]


def test_a_name_weighs_half_after_thirty_steps() -> None:
    talk = Talk().user("a/x.py")
    for _ in range(30):
        talk.agent("well").user("go on")
    (one,) = salient(talk.span).found["path"]
    assert one.weight == pytest.approx(2.0 * (0.5 + 0.1))


@pytest.mark.parametrize(
    ("one", "text", "whole", "piece"),
    [
        ("a/b.py", "see a/b.py.", True, True),
        ("a/b.py", "see a/b.py:12", True, True),
        ("a/b.py", "x/a/b.py", False, True),
        ("a/b.py", "a/b.pyc", False, False),
        ("a/b", "a/b.py", False, False),
        ("src/db", "src/db/pool.py", False, True),
        ("5 tests", "15 tests", False, False),
        ("5 s", "1.5 s", False, False),
        ("12 files", "12 files.", True, True),
        ("a35c73d", "xa35c73d", False, False),
        ("a35c73d", "(a35c73d)", True, True),
        ("pool", "this.pool.size", False, True),
        ("https://a.example", "https://a.example/x", False, False),
        ("make", "remake make", True, True),
        ("", "anything", False, False),
    ],
)
def test_standing_in_a_text(one: str, text: str, whole: bool, piece: bool) -> None:
    assert (stands(one, text), stands(one, text, whole=False)) == (whole, piece)


@given(st.text(alphabet="ab/. -", min_size=1, max_size=8), st.text(alphabet="ab/. -", max_size=30))
def test_what_stands_whole_stands_as_a_piece_and_is_there(one: str, text: str) -> None:
    if stands(one, text):
        assert one in text
        assert stands(one, text, whole=False)


@given(st.lists(st.sampled_from(["a/b.py", "x", "decided: use a/c.py", "12 files"]), max_size=8))
def test_the_same_span_names_the_same_in_the_same_order(lines: list[str]) -> None:
    talk = Talk()
    for line in lines:
        talk.user(line)
    assert salient(talk.span) == salient(talk.span)
    for one in salient(talk.span).every:
        assert sum(one.text in line for line in lines) == one.count


def test_a_long_span_takes_as_long_as_its_length() -> None:
    span = list(work().span) * 500
    begun = time.process_time()
    salient(span)
    assert time.process_time() - begun < 8  # it takes 1 s; looking at each pair of entries takes minutes

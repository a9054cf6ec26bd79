"""Summaries and completions made by rule: they state what the log holds, and fit their room."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.manage.compact.receipt import ground, receipt
from agentmem.memory.manage.compact.ruled import completion, ruled
from agentmem.memory.read.identifiers import stands


def test_the_summary_of_a_piece_of_work() -> None:
    assert ruled(ground(work().span), 400) == (
        "## Decisions and limits, verbatim\n"
        "- Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.\n"
        "- We use psycopg instead of asyncpg because the pool is synchronous.\n"
        "\n"
        "## Files changed\n"
        "src/db/pool.py\n"
        "tests/conftest.py\n"
        "\n"
        "## Checks\n"
        "- failed: pytest tests/db -q (exit 1): OperationalError: connection to port 5433 failed\n"
        "- passed: make lint (exit 0)\n"
        "\n"
        "## Commits\n"
        "- 9f3ab21 pool on psycopg\n"
        "\n"
        "## Numbers\n"
        "42 s\n"
        "2 files\n"
        "1 failed\n"
        "12 passed\n"
        "\n"
        "## Commands\n"
        "git commit -am 'pool'"
    )


def test_open_points_and_what_was_asked() -> None:
    talk = (
        Talk()
        .user("write the parser")
        .call("todo", {"items": ["test it"]})
        .result("ok")
        .call("bash", {"command": "make"})
    )
    talk.user("and document it" + " please" * 100)
    text = ruled(ground(talk.span), 2_000)
    assert "## Open\n- to do: test it\n- no result: bash make" in text
    assert "## Asked\n- write the parser\n- and document it please" in text


def test_of_what_names_nothing_it_says_how_it_begins() -> None:
    letter = "please read this to me " * 400
    assert ruled(ground(Talk().user(letter).span), 300) == f"## Asked\n- {letter[:200].strip()}"
    assert ruled(ground(Talk().user("é" * 5_000).span), 20) == f"## Asked\n- {'é' * 28}"
    assert ruled(ground(Talk().agent(letter).span), 20) == f"## Said\n- {letter[:56].strip()}"
    assert ruled(ground(Talk().user(letter).span), 2) == ""


def test_only_the_last_run_of_a_check_is_told_and_only_where_it_is_known() -> None:
    talk = (
        Talk()
        .bash("make lint", "ok")
        .bash("pytest -q", "4 passed")
        .bash("make lint", "bad", 2)
        .bash("pytest -q | cat", "")
    )
    text = ruled(ground(talk.span), 400)
    assert "## Checks\n- failed: make lint (exit 2)\n- passed: pytest -q (exit 0)\n" in text
    assert "passed: make lint" not in text
    assert "unknown" not in text


def test_a_small_room_keeps_what_must_not_be_missing() -> None:
    of = ground(work().span)
    text = ruled(of, 1)
    assert receipt(of, text).must == ()
    assert "Numbers" not in text


def test_a_strict_budget_is_kept_and_the_newest_comes_first() -> None:
    talk = Talk()
    for number in range(40):
        talk.user(f"never touch src/old_{number}.py").edit(f"src/new_{number}.py")
    of = ground(talk.span)
    text = ruled(of, 200, strict=True)
    assert 600 < len(text) <= 800
    assert "\nsrc/new_38.py\nsrc/new_39.py" in text
    assert "- never touch src/old_38.py\n- never touch src/old_39.py" in text
    assert "src/new_0.py" not in text
    added = completion(of, "- src/new_39.py", 400, strict=True)
    assert 200 < len(added) <= 400
    assert "\nsrc/new_38.py" in added


def test_a_completion_gives_what_a_text_lacks_and_nothing_twice() -> None:
    of = ground(work().span)
    written = "- We use psycopg instead of asyncpg because the pool is synchronous.\n- src/db/pool.py: psycopg"
    added = completion(of, written, 4_000)
    assert "asyncpg" not in added
    assert "\n- src/db/pool.py" not in added
    assert receipt(of, f"{written}\n{added}").survival == 1.0
    assert completion(of, f"{written}\n{added}", 4_000) == ""


def test_names_beside_a_summary_take_at_most_their_room() -> None:
    talk = Talk()
    for number in range(300):
        talk.call("read", {"path": f"src/module_{number}/file_{number}.py"}).result("x" * 50)
    added = completion(ground(talk.span), "")
    assert 1_500 < len(added) <= 2_000
    assert "file_299.py" in added


def test_a_path_tells_of_its_directories_and_a_command_of_its_files() -> None:
    talk = Talk()
    for _ in range(3):
        talk.bash("pytest tests/db/test_pool.py -q", "ok").call("grep", {"path": "tests/db", "file": "test_pool.py"})
        talk.result("test_pool.py")
    added = completion(ground(talk.span), "It was tested.")
    assert added.splitlines() == ["## Commands", "pytest tests/db/test_pool.py -q"]


def test_a_strict_room_beside_a_text_is_for_names_but_for_what_must_not_be_missing() -> None:
    talk = Talk()
    for number in range(90):
        talk.user(f"never touch the {number}th of the old modules, whatever it may say").edit("src/pool.py")
        talk.call("read", {"path": f"src/module_{number}.py"}).result("x")
    added = completion(ground(talk.span), "It was done.", 2_000, strict=True)
    assert 1_900 < len(added) <= 2_000
    assert "## Files changed\nsrc/pool.py" in added
    assert 3 <= added.count("never touch") <= 8
    assert added.count("src/module_") > 50


_WORDS = st.sampled_from(
    ["src/a.py", "b/c.ts", "take 12 files", "error: it is bad", "use `make x` instead of it", "localhost:80", "#12",
     "a_b.c_d", "plain words"]
)  # fmt: skip


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    talk = Talk()
    for _ in range(draw(st.integers(1, 8))):
        text = " and ".join(draw(st.lists(_WORDS, min_size=1, max_size=3)))
        match draw(st.sampled_from(["user", "agent", "bash", "edit", "call"])):
            case "user":
                talk.user(text)
            case "agent":
                talk.agent(text)
            case "bash":
                talk.bash(f"make {text}", text, draw(st.sampled_from([0, 1])))
            case "edit":
                talk.edit(draw(st.sampled_from(["src/a.py", "z.md"])), error=draw(st.booleans()))
            case "call":
                talk.call("read", {"path": text})
    return talk


@given(talks(), st.integers(1, 400))
def test_each_line_made_by_rule_stands_in_the_log(talk: Talk, budget: int) -> None:
    of = ground(talk.span)
    source = " ".join(of.salient.source.split())
    for text in (ruled(of, budget), completion(of, "", budget)):
        for line in text.split("\n"):
            if line.startswith("- "):
                told = re.sub(r"^(failed|passed|to do|no result: \w+):? | \(exit \d+\)", "\0", line[2:])
                assert [piece for piece in told.split("\0") if piece.removeprefix(": ") not in source] == []
            elif line and not line.startswith("## "):
                assert [name for name in line.split(" ") if name not in source] == []


@given(talks(), st.integers(1, 400))
def test_what_must_not_be_missing_never_is(talk: Talk, budget: int) -> None:
    of = ground(talk.span)
    assert receipt(of, ruled(of, budget)).must == ()
    assert receipt(of, completion(of, "", 0)).must == ()


@given(talks())
def test_only_failed_checks_are_told_to_have_failed(talk: Talk) -> None:
    of = ground(talk.span)
    text = ruled(of, 4_000)
    for ran in of.actions.ran:
        if ran.outcome == "failed" and ran not in of.actions.failing:
            assert f"failed: {ran.command}" not in text
    for changed in of.actions.changed:
        assert stands(changed.path, text)

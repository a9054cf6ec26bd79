"""The frontier: done, now and next, from the log alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.manage.compact.frontier import TITLE, frontier


def test_where_the_work_stands() -> None:
    talk = work()
    talk.call(
        "todo", {"items": [{"text": "port the pool", "state": "done"}, {"text": "docs", "state": "open"}]}
    ).result("ok")
    talk.user("now document it").call("bash", {"command": "make docs"})
    assert frontier(talk.span) == (
        f"{TITLE}\n"
        "Done:\n"
        "- answered: Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.\n"
        "- committed 9f3ab21 pool on psycopg\n"
        "- finished: port the pool\n"
        "- passed: make lint\n"
        "- changed: src/db/pool.py\n"
        "- changed: tests/conftest.py\n"
        "Now:\n"
        "- asked last: now document it\n"
        "- failing: pytest tests/db -q: OperationalError: connection to port 5433 failed\n"
        "- without a result: bash make docs\n"
        "Next:\n"
        "- to do: docs"
    )


def test_nothing_done_is_no_block() -> None:
    assert frontier(()) == ""
    assert frontier(Talk().add("call", epoch="0").span) == ""


def test_what_summaries_say_is_not_read() -> None:
    talk = work()
    before = frontier(talk.span)
    talk.add(
        "compaction", form="summary", summary="All is done, nothing is left. Next: rewrite it in Rust.", first_kept="m1"
    )
    assert frontier(talk.span) == before


def test_a_small_room_keeps_what_comes_next_and_tells_what_is_left_out() -> None:
    talk = Talk()
    for number in range(50):
        talk.edit(f"src/file_{number}.py")
    talk.call("todo", {"items": ["the last step"]}).result("ok")
    text = frontier(talk.span, 600)
    assert len(text) <= 600
    assert "- to do: the last step" in text
    assert "- changed: src/file_49.py" in text
    assert "earlier, in the session's log)" in text


@given(st.integers(0, 60), st.integers(300, 4_000))
def test_the_block_fits(files: int, most: int) -> None:
    talk = work()
    for number in range(files):
        talk.user(f"please change file {number} " * 5).edit(f"src/file_{number}.py").agent("changed")
    assert len(frontier(talk.span, most)) <= most

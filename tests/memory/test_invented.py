"""What a summary makes up is found and taken out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.manage.compact.invented import invented, without

SOURCE = (
    "src/db/pool.py was read; pytest tests/db -q: 12 tests on localhost:5433, a35c73d, user_id, https://a.example/x"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/db/pool.py, pool.py, src/db, 12 tests, `pytest tests/db -q`", ()),
        ("src/db/pol.py", ("src/db/pol.py",)),
        ("src/db/pool.ts", ("src/db/pool.ts",)),
        ("13 tests in 2 s", ("13 tests", "2 s")),
        ("a35c73e", ("a35c73e",)),
        ("localhost:5432", ("localhost:5432", "5432")),
        ("https://a.example/y", ("https://a.example/y",)),
        ("`pytest tests/api -q`", ("tests/api", "pytest tests/api -q")),
        ("user_ids and `getUser`", ("getUser", "user_ids")),
        ("PostgreSQL on GitHub, 2 of 3", ()),
        ("TypeError: no such thing", ("TypeError: no such thing",)),
    ],
)
def test_what_is_made_up(text: str, expected: tuple[str, ...]) -> None:
    assert invented(text, SOURCE) == expected


def test_what_stands_in_any_source_is_not_made_up() -> None:
    assert invented("docs/rules.md", SOURCE, "see docs/rules.md") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- read src/db/pool.py\n- wrote made/up.py", "- read src/db/pool.py"),
        ("It read a file. It wrote made/up.py. It ended.", "It read a file. It ended."),
        ("## Files\nnothing", "## Files\nnothing"),
    ],
)
def test_only_the_sentence_that_holds_it_goes(text: str, expected: str) -> None:
    assert without(text, ("made/up.py",)) == expected


@given(
    st.lists(
        st.sampled_from(
            ["src/db/pool.py", "src/db/pol.py", "12 tests", "12 files", "a35c73d", "f35c73d",
             ". ", "\n", " - ", " and ", "`", "x"]
        ),
        max_size=20,
    )
)  # fmt: skip
def test_nothing_made_up_is_left_once_it_is_taken_out(pieces: list[str]) -> None:
    text = "".join(pieces)
    for _ in range(len(pieces) + 1):
        if not (found := invented(text, SOURCE)):
            break
        text = without(text, found)
    assert invented(text, SOURCE) == ()

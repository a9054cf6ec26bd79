from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.write.likeness import replaces, same


@pytest.mark.parametrize(
    ("claim", "belief"),
    [
        ("the tests run on PostgreSQL 15!", "Tests run on PostgreSQL 15"),
        ("Run make lint before committing", "Always run `make lint` before committing."),
        ("Please run make lint before each commit", "run make lint before each commit"),
        ("before committing run make lint", "run make lint before committing"),
        ("Tests run on PostgreSQL 15", "Tests run on PostgreSQL 15, not SQLite: JSONB operators differ."),
        ("we use tabs", "We use tabs because the linter says so"),
        ("we deploy on Tuesdays", "we deploy on Tuesday"),
    ],
)
def test_what_says_the_same_is_known(claim: str, belief: str) -> None:
    assert same(claim, belief)


@pytest.mark.parametrize(
    ("claim", "belief"),
    [
        ("port is 9090", "port is 8080"),
        ("never use sqlite", "use sqlite"),
        ("use sqlite", "use postgres, not sqlite"),
        ("use tabs", "use tabs in Makefiles"),
        ("use tabs in Makefiles", "use tabs"),
        ("Bob manages Alice", "Alice manages Bob"),
        ("A-001", "A-002"),
        ("the staging server runs on host alpha", "the staging server runs on host beta"),
        ("8080 is port", "port is 8080"),
    ],
)
def test_what_differs_in_a_number_a_name_or_a_denial_is_not(claim: str, belief: str) -> None:
    assert not same(claim, belief)


@pytest.mark.parametrize(
    ("claim", "belief"),
    [
        ("port is 9090", "port is 8080"),
        ("port: 9090", "port: 8080"),
        ("The port is now 9090.", "the port is 8080"),
        ("my timezone is PST", "My time zone is CET".replace("time zone", "timezone")),
        ("my editor is emacs", "my editor is vim"),
        ("we use Python 3.12", "we use Python 3.11"),
        ("tests run on PostgreSQL 16", "Tests run on PostgreSQL 15"),
        ("we don't use tabs", "we use tabs"),
        ("we no longer use tabs", "we use tabs"),
    ],
)
def test_a_new_value_takes_the_place_of_the_old(claim: str, belief: str) -> None:
    assert replaces(claim, belief)


@pytest.mark.parametrize(
    ("claim", "belief"),
    [
        ("the API is fast", "the API is REST-based"),
        ("note: call Bob", "note: call Ana"),
        ("Rule 3: never push", "Rule 4: never merge"),
        ("we use pytest for tests", "we use ruff for linting"),
        ("we use redis", "we use postgres"),
        ("my friend is Ana", "my friend is Bob"),
        ("A-001", "A-002"),
        ("the port of the proxy is 9090", "the port is 8080"),
        ("never push", "never merge"),
    ],
)
def test_another_thing_takes_nobodys_place(claim: str, belief: str) -> None:
    assert not replaces(claim, belief)


WORDS = ["we", "use", "tabs", "port", "is", "8080", "9090", "not", "never", "for", "tests:", "A-1", "the"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8)


@given(TEXT, TEXT)
def test_nothing_is_both_the_same_and_a_new_value(one: list[str], other: list[str]) -> None:
    claim, belief = " ".join(one), " ".join(other)
    assert same(claim, claim)
    assert not replaces(claim, claim)
    assert not (same(claim, belief) and replaces(claim, belief))

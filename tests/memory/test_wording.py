from __future__ import annotations

import pytest

from agentmem.memory.write import wording


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The tests run on PostgreSQL 15, not SQLite.", ["tests", "run", "on", "postgresql", "15", "not", "sqlite"]),
        ("Use `pytest -q` in ./tests/unit (C++).", ["use", "pytest", "-q", "in", "./tests/unit", "c++"]),
        ("never use 'rm -rf'!", ["never", "use", "rm", "-rf"]),
        ("don’t — really…", ["don't", "really"]),
        ("O'Brien owns https://x.test/a?b=1", ["o'brien", "owns", "https://x.test/a?b=1"]),
        ("the it is - — !", []),
        ("2,000 ≠ 2000", ["2,000", "≠", "2000"]),
        ("x < 5, x<5 and <b>", ["x", "<", "5", "x<5", "b"]),
    ],
)
def test_content_words(text: str, words: list[str]) -> None:
    assert wording.words(text) == words


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  a \n b\u2028c ", "a b c"),
        ("- a ^m123", "a"),
        ("1. ## - a ^m1 ^m2", "a"),
        ("a ^m1 b", "a ^m1 b"),
        ("#channel", "#channel"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_a_text_fit_for_one_bullet(text: str, clean: str) -> None:
    assert wording.clean(text) == clean


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a fact", None),
        ("x" * 1000, None),
        ("", "there is nothing in it to remember"),
        (" \n- ^m1", "there is nothing in it to remember"),
        ("the", "there is nothing in it to remember"),
        ("x" * 1001, "it is 1001 characters long; at most 1000 fit one memory"),
        ("a\n```sh\nrm\n```", "it holds a code fence; a memory is one line of prose"),
        ("a\x1b[2J", "it holds characters that cannot be seen"),
        ("a\u202eb", "it holds characters that cannot be seen"),
        ("a\U000e0041", "it holds characters that cannot be seen"),
    ],
)
def test_what_cannot_be_kept(text: str, fault: str | None) -> None:
    assert wording.fault(text) == fault

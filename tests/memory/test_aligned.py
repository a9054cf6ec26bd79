from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.write.aligned import aligned


@pytest.mark.parametrize(
    ("claim", "said", "expected"),
    [
        ("use postgres 15 tests in tests/unit", ["we use postgres 15", "tests are in tests/unit"], [0, 1]),
        ("use tabs", ["use tabs", "no", "use tabs"], [2]),
        ("use pytest for tests", ["for tests we use pytest"], [0]),
        ("for tests use pytest", ["use pytest for tests"], [0]),
        ("pytest use tests", ["use pytest for tests"], None),
        ("postgres", ["postgres"], [0]),
        ("postgres", ["we use postgres"], None),
        ("delete database", ["delete logs", "keep database"], None),
        ("delete logs keep database", ["delete logs", "keep database"], [0, 1]),
        ("delete logs, database", ["delete logs", "no", "database"], None),
        ("prod uses 1, dev uses 2", ["dev uses 2 and prod uses 1"], [0, 0]),
        ("prod uses 2", ["dev uses 2 and prod uses 1"], None),
        ("Red is on. Also blue is on.", ["red is on", "blue is on"], [0, 1]),
        ("use red always", ["use red", "always"], [0, 1]),
        ("use red always", ["always", "use red"], None),
        ("use red always", ["use red", "no", "always"], None),
        ("stack use red", ["stack", "use red"], [0, 1]),
        ("use red always", ["use red", "always use blue"], None),
        ("", ["x"], None),
        ("x y", [], None),
    ],
)
def test_a_claim_is_made_of_whole_clauses(claim: str, said: list[str], expected: list[int] | None) -> None:
    assert aligned(claim, said) == expected


NAMES = st.lists(st.sampled_from(["red", "blue", "oak", "elm", "tin", "zinc"]), min_size=2, max_size=6, unique=True)


@given(NAMES, st.sampled_from([". ", "! ", ", thanks", " please"]))
def test_what_was_said_whole_is_said(names: list[str], end: str) -> None:
    assert aligned(" ".join(names), [f"please remember that {' '.join(names)}{end}"]) == [0]


@given(NAMES, st.data())
def test_no_word_may_change_its_place_or_be_left_out(names: list[str], data: st.DataObject) -> None:
    said = " ".join(names)
    other = data.draw(st.permutations(names).filter(lambda row: row != names))
    assert aligned(" ".join(other), [said]) is None
    gone = data.draw(st.integers(0, len(names) - 1))
    assert aligned(" ".join(names[:gone] + names[gone + 1 :]), [said]) is None

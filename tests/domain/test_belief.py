from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.belief import as_of, fold

DAYS = ["2026-11-28", "2026-11-29", "2026-11-30"]


def line(own: str, op: str, fact: str, **more: Any) -> dict[str, Any]:
    base = {"id": own, "op": op, "fact": fact, "at": f"{DAYS[0]}T09:00:00Z", "principal": "user", "text": fact.upper()}
    return base | {"category": "fact", "confidence": 1, "valid_from": DAYS[0]} | more


def test_an_update_closes_the_old_fact_and_both_stay_readable() -> None:
    found = fold([line("l1", "ADD", "a"), line("l2", "UPDATE", "b", supersedes="a", valid_from=DAYS[2])])
    assert [(one.fact, one.text, one.valid_to, one.closed_by) for one in found.values()] == [
        ("a", "A", DAYS[2], "superseded by b"),
        ("b", "B", None, ""),
    ]
    assert [list(as_of(found, day)) for day in DAYS] == [["a"], ["a"], ["b"]]


def test_what_was_expired_forgotten_or_added_again() -> None:
    found = fold(
        [
            line("l1", "ADD", "a"),
            line("l2", "EXPIRE", "a", valid_to=DAYS[1], reason="gone"),
            line("l3", "ADD", "b"),
            line("l4", "FORGET", "b"),
            line("l5", "ADD", "c"),
            line("l6", "EXPIRE", "c", valid_to=DAYS[1], reason="gone"),
            line("l7", "ADD", "c", valid_from=DAYS[2]),
        ]
    )
    told = [(one.fact, one.open, one.forgotten, one.text) for one in found.values()]
    assert told == [("a", False, False, "A"), ("b", False, True, ""), ("c", True, False, "C")]
    assert found["a"].closed_by == "gone"


def test_a_merge_may_put_the_end_of_a_fact_before_its_beginning() -> None:
    added, later = line("l1", "ADD", "a"), f"{DAYS[1]}T09:00:00Z"
    ends = [
        line("l2", "EXPIRE", "a", at=later, valid_to=DAYS[1], reason="gone"),
        line("l2", "UPDATE", "b", at=later, supersedes="a", valid_from=DAYS[1]),
        line("l2", "FORGET", "a", at=later),
    ]
    for end in ends:
        assert fold([end, added])["a"] == fold([added, end])["a"]
        assert not fold([end, added])["a"].open
    again = line("l3", "ADD", "a", at=f"{DAYS[2]}T09:00:00Z")
    assert fold([ends[0], again])["a"].open  # a line by hand that no ledger knew, removed, and written again
    assert fold([ends[0], added])["a"].closed_at == later


def test_whose_word_is_believed() -> None:
    lines = [line("l1", "ADD", "a"), line("l2", "ADD", "b", principal="tool"), line("l3", "ADD", "c", principal="odd")]
    assert [one.believed for one in fold(lines).values()] == [True, False, False]
    lines.append(line("l4", "ADD", "b", principal="tool", approved_by="user"))
    assert fold(lines)["b"].believed


def test_what_is_no_record_is_passed_over() -> None:
    odd: list[Mapping[str, Any]] = [{}, {"id": 1, "fact": "a"}, {"id": "x", "fact": "a", "op": "SING"}, {"fact": "a"}]
    assert (
        fold([*odd, line("l1", "EXPIRE", "a"), line("l2", "UPDATE", "b", supersedes=3, confidence="x", origin=4)])[
            "b"
        ].confidence
        == 0.0
    )


OPS = st.sampled_from(["ADD", "UPDATE", "EXPIRE", "FORGET"])
LINES = st.lists(
    st.builds(
        lambda own, op, fact, old: line(f"l{own}", op, fact, supersedes=old, valid_to=DAYS[1]),
        st.integers(0, 30),
        OPS,
        st.sampled_from("abcd"),
        st.sampled_from([*"abcd", None]),
    ),
    max_size=12,
)


@given(LINES)
def test_a_line_said_twice_counts_once(lines: list[dict[str, Any]]) -> None:
    """What a union merge leaves: both sides' lines, some of them twice."""
    assert fold([*lines, *lines]) == fold(lines)
    assert fold([one for one in lines for _ in range(2)]) == fold(lines)


@given(LINES, LINES)
def test_replaying_goes_on_where_it_stopped(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> None:
    """The fold of a prefix never claims what the whole takes back: a fact named in it stays named."""
    assert set(fold(one)) <= set(fold([*one, *two]))

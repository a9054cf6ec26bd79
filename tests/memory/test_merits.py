from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.belief import Belief
from agentmem.memory.read.recall import merits

NOW = 1_796_040_131.0  # 2026-11-30T12:02:11Z


def belief(**changes: object) -> Belief:
    fields: dict[str, object] = {
        "fact": "m1", "text": "x", "category": "decision", "principal": "user", "confidence": 1.0,
        "at": "2026-11-30T12:02:11Z", "valid_from": "2026-11-30",
    }  # fmt: skip
    return Belief(**(fields | changes))  # type: ignore[arg-type]


def test_the_score_is_the_weighted_signals_over_their_sum() -> None:
    signals = {"relevance": 1.0, "recency": 0.5, "importance": 0.2, "authority": 1.0, "frequency": 0.0, "validity": 1.0}
    assert round(merits.score(signals), 6) == round((0.4 + 0.1 + 0.03 + 0.15 + 0.0 + 0.1) / 1.1, 6)
    assert round(merits.score(dict.fromkeys(signals, 1.0)), 9) == 1.0


@pytest.mark.parametrize(
    ("changes", "authority"),
    [
        ({}, 1.0),
        ({"principal": "curator"}, 1.0),
        ({"principal": "agent"}, 0.6),
        ({"principal": "tool"}, 0.3),
        ({"principal": "import"}, 0.3),
        ({"principal": "agent", "approved_by": "user"}, 1.0),
        ({"principal": "curator", "category": "limit"}, 0.3),
        ({"principal": "curator", "category": "identity", "approved_by": "user"}, 1.0),
    ],
)
def test_whose_word_it_is(changes: dict[str, object], authority: float) -> None:
    assert merits.authority(belief(**changes)) == authority


def test_a_fact_that_came_from_elsewhere_has_little_authority_and_a_closed_one_no_validity() -> None:
    held = merits.of_belief(belief(), True, 0.5, (0, ""), NOW)
    assert (held["authority"], held["validity"], held["recency"], held["importance"]) == (0.3, 1.0, 1.0, 0.8)
    closed = merits.of_belief(belief(valid_to="2026-12-01"), False, 0.5, (0, ""), NOW)
    assert closed["validity"] == 0.0


def test_recency_halves_every_two_weeks_since_the_last_use() -> None:
    assert round(merits.recency("2026-11-16T12:02:11Z", NOW), 6) == 0.5
    assert round(merits.recency("2026-11-02T12:02:11Z", NOW), 6) == 0.25
    assert merits.recency("2027-01-01", NOW) == 1.0
    assert merits.recency("no date", NOW) == 0.5
    used = merits.of_belief(belief(at="2026-01-01T00:00:00Z"), False, 0.5, (1, "2026-11-30T12:02:11Z"), NOW)
    assert used["recency"] == 1.0


@given(st.integers(0, 10_000))
def test_more_uses_count_more_and_never_above_one(uses: int) -> None:
    assert 0.0 <= merits.frequency(uses) <= merits.frequency(uses + 1) <= 1.0


def test_an_episode_has_the_importance_its_block_says() -> None:
    found = merits.of_episode(7.0, "2026-11-30", 0.4, (0, ""), NOW)
    assert (found["importance"], found["relevance"], found["validity"], found["authority"]) == (0.7, 0.4, 1.0, 0.6)


def test_a_sessions_entry_stands_among_facts_by_its_relevance() -> None:
    assert round(merits.of_session(1.0), 6) == round((0.4 + 0.35) / 1.1, 6)
    assert merits.of_session(0.2) < merits.of_session(0.3)

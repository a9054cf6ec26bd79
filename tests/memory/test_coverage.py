"""What the last snapshot of a branch tells, and which entries its summaries cover."""

from __future__ import annotations

from typing import Any

import pytest

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.coverage import Coverage
from agentmem.memory.manage.compact.layout import Room

ROOM = Room(1_000, 0, 0, 4.0)
OLD = {"entry": "s1", "first": "a", "last": "b", "tokens": 9}
STAND_IN = {"entry": "s2", "tokens": 5, "stand_in": True}


def covered(**body: Any) -> Coverage:
    return Coverage(Entry("compaction", "s9", "p", "2026-11-30T09:00:00Z", {"first_kept": "k", **body}), ROOM)


def test_without_a_snapshot_nothing_is_told() -> None:
    none = Coverage(None, ROOM)
    assert (none.segments, none.stand_in, none.end) == ((), None, (None, None))
    assert none.until == {"entry": None, "offset": None}
    assert none.listed([OLD]) == [OLD]


def test_a_listed_stand_in_is_no_segment_and_stays_behind_them() -> None:
    found = covered(form="summary", summary="x" * 40, segments=[OLD, STAND_IN, "damaged", {"entry": "s9"}])
    assert (found.segments, found.stand_in) == ((OLD, {"entry": "s9"}), STAND_IN)
    assert found.listed([OLD]) == [OLD, STAND_IN]


def test_a_window_that_tells_by_rule_is_the_stand_in_itself() -> None:
    found = covered(form="window", summary="x" * 40, segments=[OLD])
    assert (found.segments, found.stand_in) == ((OLD,), {"entry": "s9", "tokens": 10, "stand_in": True})
    assert covered(form="window", segments=[OLD]).stand_in is None
    assert covered(form="window", summary="x", segments=[{"entry": "s9"}]).stand_in is None


def test_a_summary_of_another_tool_covers_all_before_it() -> None:
    found = covered(form="summary", summary="x" * 40)
    assert (found.segments, found.stand_in) == (({"entry": "s9", "tokens": 10},), None)


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ({"form": "summary", "first_kept_offset": 7}, ("k", 7)),
        ({"form": "window"}, (None, None)),
        ({"form": "window", "consolidated_to": {"entry": "c", "offset": 3}}, ("c", 3)),
        ({"form": "summary", "consolidated_to": {"entry": None}}, ("k", None)),
    ],
)
def test_the_accepted_summaries_end_where_it_says(body: dict[str, Any], end: tuple[str | None, int | None]) -> None:
    assert covered(**body).end == end

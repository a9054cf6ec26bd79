from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.write.dates import absolute, periods

MONDAY = "2026-11-30"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("we shipped last Friday", "we shipped last Friday (2026-11-27)"),
        ("it broke yesterday.", "it broke yesterday (2026-11-29)."),
        ("Yesterday's build is bad", "Yesterday (2026-11-29)'s build is bad"),
        ("the day before yesterday we met", "the day before yesterday (2026-11-28) we met"),
        ("due tomorrow", "due tomorrow (2026-12-01)"),
        ("decided today to use X", "decided today (2026-11-30) to use X"),
        ("moved two weeks ago", "moved two weeks ago (2026-11-16)"),
        ("in 3 days it ends", "in 3 days (2026-12-03) it ends"),
        ("a week later", "a week later (2026-12-07)"),
        ("changed 1mon ago", "changed 1mon ago (2026-10-30)"),
        ("since last month", "since last month (2026-10)"),
        ("hired last year", "hired last year (2025)"),
        ("next quarter we move", "next quarter (2027-01-01 to 2027-03-31) we move"),
        ("last week was slow", "last week (2026-11-23 to 2026-11-29) was slow"),
        ("next weekend", "next weekend (2026-12-12 to 2026-12-13)"),
        ("this weekend", "this weekend (2026-12-05 to 2026-12-06)"),
        ("a few days ago", "a few days ago (2026-11-25 to 2026-11-28)"),
        ("this Friday", "this Friday (2026-12-04)"),
        ("next Tue we go", "next Tue (2026-12-08) we go"),
        ("we met on March 3rd", "we met on March 3rd (2026-03-03)"),
        ("the deadline is March 3rd", "the deadline is March 3rd (2027-03-03)"),
        ("in March we froze it", "in March (2026-03) we froze it"),
        ("from last Monday to yesterday", "from last Monday (2026-11-23) to yesterday (2026-11-29)"),
    ],
)
def test_a_relative_date_is_made_absolute_and_its_words_stay(text: str, written: str) -> None:
    assert absolute(text, MONDAY) == written
    assert absolute(written, MONDAY) == written


@pytest.mark.parametrize(
    "text",
    [
        "released on 2026-06-10",
        "released on 13 July 2026",
        "may I ask",
        "she may have been right",
        "standup is on Fridays",
        "what do we do now",
        "the lastweek module",
        "31 February 2026 is no day",
        "version 1.2.3 of 2026",
        "a decade ago",
    ],
)
def test_what_is_absolute_or_no_date_stays(text: str) -> None:
    assert absolute(text, MONDAY) == text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("01/15/2024", (2024, 1, 15), (2024, 1, 15)),
        ("December 25th 2020", (2020, 12, 25), (2020, 12, 25)),
        ("February 2024", (2024, 2, 1), (2024, 2, 29)),
        ("december 0001", (1, 12, 1), (1, 12, 31)),
    ],
)
def test_written_out_dates_are_read(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    (found,) = periods(text, date(2026, 11, 30))
    assert (found.first, found.last, found.fixed) == (date(*first), date(*last), True)


FAR = ["last year", "in 9999 years", "next month", "a few months ago"]


@given(st.dates(date(1, 1, 1), date(9999, 12, 31)), st.sampled_from(FAR))
def test_no_day_is_too_far_off(said: date, words: str) -> None:
    assert words in absolute(f"we moved {words}", said.isoformat())


@pytest.mark.parametrize(
    "text",
    [
        "run yesterday.py",
        "logs are in /var/log/today",
        "call today() first",
        "call `tomorrow` or `next week`",
        "the branch is feat/next-week",
        "set $today and foo.today",
        "half a month ago",
    ],
)
def test_a_name_in_code_is_no_date(text: str) -> None:
    assert absolute(text, MONDAY) == text


def test_half_a_year_is_six_months() -> None:
    assert absolute("half a year ago", MONDAY) == "half a year ago (2026-05-30)"
    assert absolute("in half a year", MONDAY) == "in half a year (2027-05-30)"

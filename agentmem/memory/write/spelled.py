"""Spelled: a date that is written out, "13 July 2026", "01/15/2024", "March 3rd", read by dateparser.

The library is slow to load (it is imported for the first such date) and reads a date into almost any word, so it is
given only what has the form of one.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime
from functools import cache
from importlib import import_module
from typing import Any

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join((*_MONTHS, *(f"{name[:3]}\\.?" for name in _MONTHS), "sept\\.?"))
_LONG = "|".join(name for name in _MONTHS if name != "may")
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
DATED = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{4}}/\d{{1,2}}/\d{{1,2}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}"
    rf"|{_ORDINAL} (?:of )?(?:{_MONTH})(?:,? \d{{4}})?|(?:{_MONTH}) {_ORDINAL}(?:,? \d{{4}})?(?!\d)"
    rf"|(?:{_MONTH}),? \d{{4}}|(?:in|of|since|last|this|next) (?:{_LONG})"
)
_YEAR = re.compile(r"\d{4}")
_NAMED = re.compile(rf"\b({_MONTH})(?![a-z])", re.IGNORECASE)


def spelled(words: str, said: date, ahead: bool) -> tuple[date, date, bool] | None:
    """First and last day, and whether the words say the year too; None for what is no date. Without a year it is the
    last such day before `said`, or with `ahead` the next one. Raises `ValueError` for a day that no calendar has."""
    year = _YEAR.search(words)
    month = _NAMED.search(words)
    if month is not None and not re.search(r"\b\d{1,2}(?:st|nd|rd|th)?\b", words):
        return _month(month[1], int(year[0]) if year else None, said, ahead)
    found = _parser().get_date_data(words) if re.search(r"[1-9]", words) else None
    read = found.date_obj if found is not None else None
    if read is None:
        return None
    day = read.date()
    if year is None:
        day = _yearless(day.month, day.day, said, ahead)
    elif int(year[0]) != day.year:
        return None
    return day, day, year is not None


def _month(name: str, year: int | None, said: date, ahead: bool) -> tuple[date, date, bool] | None:
    number = next(at for at, full in enumerate(_MONTHS, 1) if full.startswith(name.lower()[:3]))
    if year == 0:
        return None
    first = date(year, number, 1) if year is not None else _yearless(number, 1, said, ahead)
    return first, first.replace(day=calendar.monthrange(first.year, first.month)[1]), year is not None


def _yearless(month: int, day: int, said: date, ahead: bool) -> date:
    years = (said.year, said.year + 1) if ahead else (said.year, said.year - 1)
    first = date(years[0], month, day)
    return first if (first >= said) == ahead or first == said else date(years[1], month, day)


@cache
def _parser() -> Any:
    relative = datetime(2024, 1, 1)  # a leap year, so that 29 February is read without one too
    return import_module("dateparser.date").DateDataParser(
        languages=["en"],
        settings={
            "DATE_ORDER": "MDY",
            "RELATIVE_BASE": relative,
            "PREFER_DAY_OF_MONTH": "first",
            "STRICT_PARSING": False,
        },
    )

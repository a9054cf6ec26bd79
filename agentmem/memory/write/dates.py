"""Dates: what is said of time relative to the day it was said, made absolute, with the words kept beside it.

"we shipped last Friday", said on 2026-11-30, is written as "we shipped last Friday (2026-11-27)". English, by rules for
what people mean by weeks, weekends and "a few days"; dateparser reads the forms of a date with a number in it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from agentmem.memory.write.spelled import DATED, spelled

_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year", "f": "fortnight", "q": "quarter"}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = "|".join((*_DAYS, *(day[:3] for day in _DAYS), "tues", "thur", "thurs"))
_NUMBER = (
    "half an?|a couple of|a couple|couple of|couple|a "
    "few|few|several|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|\d{1,4}"
)
_SPAN = r"days?|weeks?|months?|years?|fortnights?|quarters?|d|wks?|w|mon|mos?|yrs?|y"
_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
# How far back "a couple of" and "a few" reach: (from, to) in units.
_VAGUE = {
    "couple": {"day": (3, 1), "week": (21, 7), "month": (90, 30), "year": (1095, 365)},
    "few": {"day": (5, 2), "week": (35, 14), "month": (150, 60), "year": (1825, 730)},
}
# A name in code is no date: `yesterday.py`, `today()`, `/var/log/today`.
_NOT_NAMED = r"(?<![\w./\\@#$-])"
_NOT_NAME = r"(?![/\\@(]|[.\-]\w)"
_CODE = re.compile(r"`[^`\n]*`")
_RELATIVE = re.compile(
    rf"{_NOT_NAMED}(?:"
    rf"(?P<plain>the day before yesterday|the day after tomorrow|day before yesterday|day after tomorrow|"
    rf"yesterday|"
    rf"today|tonight|tomorrow|this morning|this afternoon|this evening|last night)|(?P<now>now|noon|midnight)"
    rf"|(?P<which>last|past|previous|this|current|next|coming) (?P<what>week-?end|week|month|year|quarter|{_WEEKDAY})"
    rf"|(?P<number>{_NUMBER}) ?(?P<unit>{_SPAN}) (?P<way>ago|earlier|before now|back|later|from now|hence)"
    rf"|in (?P<ahead>{_NUMBER}) ?(?P<span>{_SPAN})(?: time)?"
    rf"|(?P<dated>{DATED}))\b{_NOT_NAME}(?!')(?! \()"
    rf"|{_NOT_NAMED}yesterday(?='s\b)",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|due|deadline|until|till|by|before|starts?|ends?|expires?|planned|scheduled|going to)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Period:
    """A day or more, both ends in it, and where its words stand. `fixed`: they say the same whenever they are read."""

    first: date
    last: date
    begin: int
    end: int
    fixed: bool = False

    def told(self) -> str:
        """``2026-11-27``; ``2026-10`` and ``2025`` for a whole month or year; else ``first to last``."""
        if self.first == self.last:
            return self.first.isoformat()
        if self.first.day == 1 and self.last == _month_end(self.first):
            return self.first.isoformat()[:7]
        if (self.first.month, self.first.day, self.last.month, self.last.day) == (1, 1, 12, 31):
            return str(self.first.year).zfill(4)
        return f"{self.first.isoformat()} to {self.last.isoformat()}"


def absolute(text: str, day: str) -> str:
    """The text, said on `day` (``2026-11-30``), with each relative date followed by what it was in parentheses."""
    said = date.fromisoformat(day)
    out: list[str] = []
    at = 0
    code = [span.span() for span in _CODE.finditer(text)]
    for period in periods(text, said):
        if not period.fixed and not any(begin < period.begin < end for begin, end in code):
            out += (text[at : period.end], f" ({period.told()})")
            at = period.end
    return "".join((*out, text[at:])) if out else text


def periods(text: str, said: date) -> Iterator[Period]:
    """Every date in a text, in its order."""
    ahead = _AHEAD.search(text) is not None
    for found in _RELATIVE.finditer(text):
        try:
            ends = _ends(found, said, ahead)
        except (OverflowError, ValueError):
            continue  # a day that no calendar has
        if ends is not None:
            yield Period(*ends[:2], *found.span(), fixed=ends[2])


def _ends(found: re.Match[str], said: date, ahead: bool) -> tuple[date, date, bool] | None:
    if found["dated"]:
        read = spelled(found["dated"], said, ahead)
        return None if read is None else read
    if found["which"]:
        return (*_which(found["which"].lower(), found["what"].lower(), said), False)
    if found["number"]:
        back = found["way"].lower() in ("ago", "earlier", "before now", "back")
        return (*_counted(found["number"].lower(), _unit(found["unit"]), said, -1 if back else 1), False)
    if found["ahead"]:
        return (*_counted(found["ahead"].lower(), _unit(found["span"]), said, 1), False)
    day = said + timedelta(days=0 if found["now"] else _plain((found["plain"] or "yesterday").lower()))
    return day, day, found["now"] is not None  # "now" goes on being said


def _plain(words: str) -> int:
    if "before yesterday" in words:
        return -2
    if "after tomorrow" in words:
        return 2
    return {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(words, 0)


def _which(which: str, what: str, said: date) -> tuple[date, date]:
    step = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1}.get(which, 0)
    monday = said - timedelta(days=said.weekday())
    if what in ("weekend", "week-end"):
        saturday = monday + timedelta(days=5, weeks=step)
        return saturday, saturday + timedelta(days=1)
    if what == "week":
        first = monday + timedelta(weeks=step)
        return first, first + timedelta(days=6)
    if what == "month":
        first = _shifted(said.replace(day=1), step)
        return first, _month_end(first)
    if what == "quarter":
        first = _shifted(date(said.year, said.month - (said.month - 1) % 3, 1), 3 * step)
        return first, _month_end(_shifted(first, 2))
    if what == "year":
        return date(said.year + step, 1, 1), date(said.year + step, 12, 31)
    day = _weekday(step, _DAYS.index(next(day for day in _DAYS if day.startswith(what[:3]))), said, monday)
    return day, day


def _weekday(step: int, number: int, said: date, monday: date) -> date:
    """The last one before that day; the one of this week; of the week after it."""
    if step < 0:
        return said - timedelta(days=(said.weekday() - number - 1) % 7 + 1)
    return monday + timedelta(days=number, weeks=step)


def _counted(number: str, unit: str, said: date, way: int) -> tuple[date, date]:
    vague = "couple" if "couple" in number else "few" if "few" in number or number == "several" else ""
    if vague:
        far, near = (timedelta(days=days) for days in _VAGUE[vague].get(unit, _VAGUE[vague]["day"]))
        return (said - far, said - near) if way < 0 else (said + near, said + far)
    if number.startswith("half"):
        if unit != "year":
            raise ValueError(number)
        number, unit = "6", "month"
    count = int(number) if number.isdigit() else 1 if number in ("a", "an") else _WORDS.index(number)
    if unit in ("day", "week", "fortnight"):
        day = said + timedelta(days=way * count * {"day": 1, "week": 7, "fortnight": 14}[unit])
    else:
        day = _shifted(said, way * count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return day, day


def _unit(word: str) -> str:
    return _UNITS[word[0].lower()]


def _shifted(day: date, months: int) -> date:
    """The same day of another month, or its last one."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    first = date(year, month + 1, 1)
    return first.replace(day=min(day.day, _month_end(first).day))


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])

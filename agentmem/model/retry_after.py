"""Retry-After: how long a server asks to be left alone, by its headers or its words."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

_SPAN = r"\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)"
_ASKED = re.compile(rf"(?:again|retry|retrying|wait|reset)\D{{0,20}}?((?:{_SPAN}\s*)+)(?![a-z])", re.IGNORECASE)
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h)", re.IGNORECASE)
_UNITS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def asked_wait(headers: Mapping[str, str], words: str, now: Callable[[], float] = time.time) -> float | None:
    """Seconds that a refusal asks to wait: ``retry-after-ms``, ``Retry-After`` (seconds, or a date measured against the
    server's own Date where it sends one), else what its words say (``try again in 1.2s``). None when it asks nothing.

    `headers` has lower-case names; `now` gives seconds since 1970.
    """
    if (millis := _number(headers.get("retry-after-ms", ""))) is not None:
        return millis / 1000
    after = headers.get("retry-after", "").strip()
    if (seconds := _number(after)) is not None:
        return seconds
    if after and (then := _date(after)) is not None:
        server_now = _date(headers.get("date", ""))
        return max(then - (now() if server_now is None else server_now), 0.0)
    if (found := _ASKED.search(words)) is None:
        return None
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PIECE.findall(found[1]))


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII) else None


def _date(text: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None

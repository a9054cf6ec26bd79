"""Measures: a length of time and a number of bytes, as people say them."""

from __future__ import annotations

from calendar import timegm
from time import strptime

_SPANS = ((60, "s", 1), (3600, "min", 60), (86_400, "h", 3600), (14 * 86_400, "d", 86_400), (70 * 86_400, "w", 604_800))
_UNITS = ("B", "kB", "MB", "GB", "TB")


def since(stamp: str, now: float) -> float | None:
    """Seconds from a time like ``2026-11-30T09:02:11Z`` to `now` (since 1970), at least 0; None for what is no time."""
    try:
        return max(now - timegm(strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")), 0.0)
    except ValueError:
        return None


def age(seconds: float) -> str:
    """How long ago something was: ``now``, ``40 s``, ``3 min``, ``5 h``, ``6 d``, ``3 w``, ``4 mo``, ``2 y``."""
    if seconds < 5:
        return "now"
    for limit, unit, length in _SPANS:
        if seconds < limit:
            return f"{int(seconds // length)} {unit}"
    days = seconds / 86_400
    return f"{int(days / 30.44)} mo" if days < 730 else f"{int(days / 365.25)} y"


def size(count: float) -> str:
    """Bytes: ``0 B``, ``999 B``, ``1.2 kB``, ``24 kB``, ``1.3 GB``."""
    number, unit = float(count), 0
    while number >= 999.5 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit and number < 9.95 else f"{number:.0f} {_UNITS[unit]}"

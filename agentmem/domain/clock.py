"""Clock and ids: time and randomness are passed in, so that a test can fix them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass


def local_day(stamp: str) -> str:
    """The day that a time in UTC (``2026-11-30T09:02:11Z``) belongs to where the person is; the day that it names
    where it is no such time."""
    from calendar import timegm  # a start needs none of it

    try:
        at = timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return stamp[:10]
    return time.strftime("%Y-%m-%d", time.localtime(at))


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds since 1970 (`now`), seconds of a clock that never jumps (`monotonic`), random bytes (`random`)."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    random: Callable[[int], bytes] = os.urandom

    def stamp(self) -> str:
        """Now in UTC, to the second: ``2026-11-30T09:02:11Z``."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now()))

    def new_id(self) -> str:
        """A random id, 12 hex digits."""
        return self.random(6).hex()

    def session_id(self) -> str:
        """A session's name: ``2026-11-30T09-02-11-4f2a91``, UTC, sorted by time."""
        return time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(self.now())) + "-" + self.random(3).hex()

"""Ctrl-C: one state machine for the key and the signal. First the text, then the turn, then the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Step = Literal["clear", "cancel", "warn", "leave"]

WITHIN = 2.0  # seconds between the two presses that leave


class Presses:
    """Decides what a press means. `now` gives seconds of a clock that never jumps."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._armed_at: float | None = None

    def press(self, *, text: bool, running: bool) -> Step:
        """One press, while there is `text` in the input or a turn is `running`.

        Clearing text does not count as the first press of the two that leave.
        """
        if text:
            self._armed_at = None
            return "clear"
        if self.armed:
            return "leave"
        self._armed_at = self._now()
        return "cancel" if running else "warn"

    def disarm(self) -> None:
        """Something new has begun: the next press is a first one."""
        self._armed_at = None

    @property
    def armed(self) -> bool:
        """True while one more press leaves."""
        return self._armed_at is not None and self._now() - self._armed_at <= WITHIN

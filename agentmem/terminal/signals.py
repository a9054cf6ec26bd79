"""Signals: a Ctrl-C that is sent is a key press, and a request to end is passed on; neither ever raises somewhere."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Take = Callable[[], bool]


class Signals:
    """Passes signals to whoever listens and keeps them while nobody does.

    A listener is called in the main thread between any two instructions; it says whether it took the signal.
    `ended` is the exit code that an end by signal asks for, None while none came.
    """

    def __init__(self) -> None:
        self.ended: int | None = None
        self._press: Take | None = None
        self._end: Take | None = None
        self._presses = 0

    def listen(self, press: Take, end: Take) -> None:
        """From now on pass interrupts to `press` and a request to end to `end`, first those that were kept."""
        self._press, self._end = press, end
        while self._presses and press():
            self._presses -= 1
        if self.ended is not None:
            end()

    def silence(self) -> None:
        """Nobody listens any more."""
        self._press = self._end = None

    def keep(self, presses: int) -> None:
        """Interrupts that a listener took and did not come to heed, for the next one."""
        self._presses += presses

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGINT."""
        if self._press is None or not self._press():
            self._presses += 1

    def terminate(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGTERM and SIGHUP."""
        self.ended = 128 + number
        if self._end is not None:
            self._end()


@contextmanager
def caught() -> Iterator[Signals]:
    """While the block runs the signals come here; then the handlers are those from before."""
    signals = Signals()
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signals.interrupt),
        signal.SIGTERM: signal.signal(signal.SIGTERM, signals.terminate),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signals.terminate),
    }
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

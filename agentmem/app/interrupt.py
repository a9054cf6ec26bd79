"""Interrupt: signals that end a run become its cancel token; a second one ends the process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from agentmem.domain.cancel import Cancel

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

AS_ONE = 1.0
"""Seconds in which further signals are the same wish: a sender may signal a process and then its group."""

TOOLS_END = 1.5
"""Seconds that running tools get to end what they started, when the run is left at once."""


class Interrupts:
    """Takes the signals of one run. Until `begin` there is nothing to end in order: the first signal raises
    KeyboardInterrupt, as a second one always does."""

    def __init__(self, cancel: Cancel, begun: bool, as_one: float, then: Cancel | None) -> None:
        self._cancel = cancel
        self._then = then
        self._begun = begun
        self._as_one = as_one
        self._first: float | None = None

    def begin(self) -> None:
        """From now on the first signal cancels, and the run ends in order."""
        self._begun = True

    def take(self, number: int, frame: FrameType | None) -> None:
        """The handler. It may be called again while it runs."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
            self._cancel.cancel()
            if not self._begun:
                raise KeyboardInterrupt
        elif now - self._first >= self._as_one:
            if self._then is None or self._then.cancelled:
                raise KeyboardInterrupt
            self._first = now
            self._then.cancel()


@contextmanager
def interruptible(
    cancel: Cancel, begun: bool = True, as_one: float = AS_ONE, then: Cancel | None = None
) -> Iterator[Interrupts]:
    """While the block runs, the first signal cancels; one that comes later than `as_one`
    seconds raises KeyboardInterrupt. Then
    what tools have started is ended before the block is left. With `begun` false the first one raises too until
    `begin` is called. `then` is cancelled by the second signal, and the third one raises."""
    interrupts = Interrupts(cancel, begun, as_one, then)
    # A parent that had a signal ignored (nohup) keeps that.
    wanted = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupts.take) for number in wanted}
    try:
        yield interrupts
    except KeyboardInterrupt:
        for number in wanted:
            signal.signal(number, signal.SIG_IGN)
        cancel.cancel()
        _await_tools()
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _await_tools() -> None:
    """Wait for the threads of running tools: they heed the cancel token and kill what they started."""
    until = time.monotonic() + TOOLS_END
    for thread in threading.enumerate():
        if thread.name.startswith("tool-"):
            thread.join(max(0.0, until - time.monotonic()))

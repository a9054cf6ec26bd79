"""Cancel: a token that stops a turn between chunks and inside a tool, from any thread or a signal handler."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """Work was stopped by its cancel token."""


class Cancel:
    """A one-way switch. Callbacks run in the thread that cancels; they must be quick and must not raise."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Stop the work. Calling it again does nothing."""
        if self._event.is_set():
            return
        self._event.set()
        for callback in list(self._callbacks):
            callback()

    def wait(self, seconds: float) -> bool:
        """Sleep up to `seconds`; True when cancelled meanwhile."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raise `Cancelled` when cancelled."""
        if self._event.is_set():
            raise Cancelled

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """While the block runs, `cancel` also calls `callback`; at once if it was cancelled before."""
        self._callbacks.append(callback)
        try:
            if self._event.is_set():
                callback()
            yield
        finally:
            self._callbacks.remove(callback)

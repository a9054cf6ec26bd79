"""The worker: runs a turn's generator in a thread and passes its Events and the person's answers across."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Generator

from agentmem.domain.event import Answer, Asked, Event

_AHEAD = 10_000  # Events the turn may be ahead of the screen


class Worker:
    """One turn. `fileno` becomes readable when there is something to `take`, or when `wake` was called."""

    def __init__(self, events: Generator[Event, Answer | None, None]) -> None:
        self._events = events
        self._out: queue.Queue[Event] = queue.Queue(_AHEAD)
        self._answers: queue.Queue[Answer] = queue.Queue()
        self._failure: BaseException | None = None
        self._over = threading.Event()
        self._closed = False
        self._ear, self._bell = os.pipe()
        os.set_blocking(self._ear, False)
        os.set_blocking(self._bell, False)
        self._thread = threading.Thread(target=self._run, name="turn", daemon=True)

    def start(self) -> None:
        """Begin the turn."""
        self._thread.start()

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._ear

    def wake(self) -> None:
        """Make `fileno` readable, until it was closed; safe in a signal handler."""
        if self._closed:
            return
        try:
            os.write(self._bell, b"!")
        except BlockingIOError:
            return  # it rings already

    def answer(self, answer: Answer) -> None:
        """Answer the question the turn waits with."""
        self._answers.put(answer)

    def take(self) -> list[Event]:
        """The Events since the last time, in order. Raises what the turn raised."""
        try:
            while os.read(self._ear, 4096):
                pass
        except BlockingIOError:
            pass
        over = self._over.is_set()
        out: list[Event] = []
        while not self._out.empty():
            out.append(self._out.get())
        if over and not out and self._failure is not None:
            raise self._failure
        return out

    @property
    def over(self) -> bool:
        """True once the turn has ended and everything it told was taken."""
        return self._over.is_set() and self._out.empty()

    def close(self, wait: float) -> None:
        """Give the pipe back, after the turn has ended or `wait` seconds."""
        self._thread.join(wait)
        if not self._thread.is_alive():
            self._closed = True  # a signal may still come, and the number may be another file's by then
            os.close(self._ear)
            os.close(self._bell)

    def _run(self) -> None:
        answer: Answer | None = None
        try:
            while True:
                event = self._events.send(answer)
                self._out.put(event)
                self.wake()
                answer = self._answers.get() if isinstance(event, Asked) else None
        except StopIteration:
            pass
        except BaseException as error:  # raised again by `take`, in the thread that shows it
            self._failure = error
        finally:
            self._over.set()
            self.wake()

"""The opening: the agent is made in the background, while the person types already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module

from agentmem.terminal.talk import Talk


class Opening:
    """Makes a `Talk` in a thread. `told` is called there when it is made or could not be."""

    def __init__(self, make: Callable[[], Talk]) -> None:
        self._make = make
        self._talk: Talk | None = None
        self._failure: BaseException | None = None
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, told: Callable[[], object] = lambda: None) -> None:
        """Begin, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, args=(told,), name="opening", daemon=True)
            self._thread.start()

    @property
    def done(self) -> bool:
        """True once there is a talk or a failure."""
        return self._done.is_set()

    @property
    def talk(self) -> Talk | None:
        """The talk once it is made, None before."""
        return self._talk

    def wait(self, seconds: float) -> bool:
        """Wait for the end of it; True when it is done."""
        return self._done.wait(seconds)

    def result(self) -> Talk:
        """The talk. Raises what making it raised."""
        self._done.wait()
        if self._failure is not None:
            raise self._failure
        assert self._talk is not None
        return self._talk

    def _run(self, told: Callable[[], object]) -> None:
        try:
            # What draws a turn is loaded here, so that nothing waits for it later.
            import_module("agentmem.terminal.round")
            self._talk = self._make()
        except BaseException as error:  # raised again by `result`, in the thread that shows it
            self._failure = error
        finally:
            self._done.set()
            told()

"""The interactive face's door: shows a prompt at once, keeps the terminal safe, and runs the session behind it.

Importing this module loads nothing heavy; prompt-toolkit comes once the prompt is on the screen, rich after that.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from agentmem.terminal.rawmode import PROMPT, RawMode

if TYPE_CHECKING:
    from pathlib import Path

    from agentmem.terminal.talk import Talk


def run(make_agent: Callable[[], Talk], history: Path, env: Mapping[str, str], *, first: str | None = None) -> int:
    """Talk with a person until they leave; the exit code.

    `make_agent` is called in a thread once the prompt is on the screen; it may raise `CannotStart`, which is shown.
    `history` is the file of what was typed before, `env` the environment. `first` is sent as the first message.
    Other exceptions go on up, after the terminal was given back. Needs a terminal for input and output: 2 without one.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write("error: the interactive prompt needs a terminal; use agentmem -p TEXT without one\n")
        return 2
    raw = RawMode()
    with _signals() as interrupts:
        try:
            raw.enter(PROMPT if first is None else "")
            from agentmem.terminal.seat import Seat

            return Seat(make_agent, history, interrupts, env).run(first, raw.early)
        finally:
            raw.leave()


class Interrupts:
    """Ctrl-C that came as a signal: passed to whoever listens, kept while nobody does."""

    def __init__(self) -> None:
        self._listener: Callable[[], bool] | None = None
        self._kept = 0

    def listen(self, listener: Callable[[], bool] | None) -> None:
        """Pass interrupts to `listener`, which tells whether it took it."""
        self._listener = listener
        while self._kept and listener is not None and listener():
            self._kept -= 1

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        if self._listener is None or not self._listener():
            self._kept += 1


@contextmanager
def _signals() -> Iterator[Interrupts]:
    """While the block runs an interrupt is a key press, and what ends the process unwinds it first."""
    interrupts = Interrupts()
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, interrupts),
        signal.SIGTERM: signal.signal(signal.SIGTERM, _end),
        signal.SIGHUP: signal.signal(signal.SIGHUP, _end),
    }
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)

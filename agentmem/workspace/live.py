"""Live: output for the person's eyes while it comes, in a calm rhythm and never more than a screen can show."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable

from agentmem.workspace.plain import plain

PERIOD = 0.1
"""Seconds between two pieces of text."""

MOST = 8_000
"""Bytes of a piece; of a flood only the end of each period is told."""


class Live:
    """Tells output by `emit` at most ten times a second."""

    def __init__(self, emit: Callable[[str], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._emit = emit
        self._monotonic = monotonic
        self._waiting = b""
        self._skipped = False
        self._told = monotonic()

    def add(self, piece: bytes) -> None:
        """Take a piece, or nothing; tell what has gathered when it is time."""
        grown = self._waiting + piece
        self._skipped |= len(grown) > MOST
        self._waiting = grown[-MOST:]
        if self._waiting and self._monotonic() - self._told >= PERIOD:
            self._tell(final=False)

    def finish(self) -> None:
        """Tell the rest."""
        if self._waiting:
            self._tell(final=True)

    def _tell(self, final: bool) -> None:
        text, used = codecs.utf_8_decode(self._waiting, "replace", final)
        if text:
            self._emit(("…\n" if self._skipped else "") + plain(text.encode()).text)
        self._waiting, self._skipped, self._told = self._waiting[used:], False, self._monotonic()

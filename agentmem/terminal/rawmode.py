"""Raw mode: takes the terminal over before anything heavy is imported, and gives it back whatever happens."""

from __future__ import annotations

import os
import select
import sys
import termios
from typing import Any

PROMPT = "❯ "

# Bracketed paste on, so that a paste that comes before the editor is ready still is one message.
_OPEN = "\x1b[?2004h"
# Attributes off, bracketed paste off, cursor shown, wrapping on.
_CLOSE = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?7h"


class RawMode:
    """The terminal's own line editing, echo and Ctrl-C signal, off. `enter` and `leave` may be called again.

    `early` holds what was typed before `enter`, decoded.
    """

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._saved: list[Any] | None = None
        self.early = ""

    def enter(self, prompt: str = PROMPT) -> None:
        """Take the terminal and show `prompt` at once."""
        if self._saved is None:
            self._saved = termios.tcgetattr(self._descriptor)
        self.hold()
        pending = self._pending()
        self.early = _as_typed(pending)
        os.write(sys.stdout.fileno(), (_OPEN + _unecho(pending) + prompt).encode())

    def hold(self) -> None:
        """Set raw mode again, after a stop and a continue have undone it. Output translation stays on."""
        now = termios.tcgetattr(self._descriptor)
        now[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON | termios.IXOFF)
        now[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        now[6][termios.VMIN] = 1
        now[6][termios.VTIME] = 0
        termios.tcsetattr(self._descriptor, termios.TCSANOW, now)

    def leave(self) -> None:
        """Give the terminal back as it was. A terminal that is gone is no error."""
        if self._saved is None:
            return
        saved, self._saved = self._saved, None
        try:
            os.write(sys.stdout.fileno(), _CLOSE.encode())
            termios.tcsetattr(self._descriptor, termios.TCSANOW, saved)
        except (OSError, termios.error):
            return

    def _pending(self) -> bytes:
        if not select.select([self._descriptor], [], [], 0)[0]:
            return b""
        return os.read(self._descriptor, 65536)


def _as_typed(early: bytes) -> str:
    """What was typed while the terminal still edited lines: it made each Enter a newline, which means another key here.

    Several lines at that moment are a paste without marks: they become one, so that they are one message.
    """
    text = early.decode("utf-8", "replace")
    if text.strip("\r\n").count("\n") and "\x1b[200~" not in text:
        return f"\x1b[200~{text}\x1b[201~"
    return text.replace("\n", "\r")


def _unecho(early: bytes) -> str:
    """Take what the terminal echoed of `early` off the screen; the editor will show it again in its place."""
    if not early:
        return ""
    lines = early.split(b"\n")
    # Lines that may have been folded stay: going up too far would erase what is not ours.
    up = len(lines) - 1 if all(len(line) < 40 for line in lines) else 0
    return (f"\x1b[{up}A" if up else "") + "\r\x1b[J"

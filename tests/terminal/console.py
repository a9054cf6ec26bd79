"""A real terminal for tests: the replay program under a pty, what it draws read by pyte, its questions answered."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pyte

PROGRAM = Path(__file__).with_name("replay.py")


class Console:
    """The program, its keyboard and its screen. Waiting is by looking at the screen, never by sleeping."""

    def __init__(self, folder: Path, *options: str, size: tuple[int, int] = (80, 24), answers: bool = True) -> None:
        columns, rows = size
        self.folder = folder
        self.page = pyte.HistoryScreen(columns, rows, history=5000, ratio=0.5)
        self._stream = pyte.ByteStream(self.page)
        self._answers = answers
        self.raw = b""
        env = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(PROGRAM.parents[2])}
        env.pop("NO_COLOR", None)
        self.child = pexpect.spawn(
            sys.executable, [str(PROGRAM), str(folder), *options], dimensions=(rows, columns), env=env, timeout=20
        )
        self.child.delaybeforesend = None

    def pump(self, seconds: float = 0.02) -> None:
        """Read and draw what has come, for at most about `seconds`."""
        try:
            data = self.child.read_nonblocking(65536, seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        for part in re.split(rb"(\x1b\[6n)", data):
            self.raw += part
            if part != b"\x1b[6n":
                self._stream.feed(part)
            elif self._answers:
                self.child.send(f"\x1b[{self.page.cursor.y + 1};{self.page.cursor.x + 1}R")

    def until(self, true: Callable[[str], object], what: str) -> str:
        """Pump until `true` of the whole text; the text."""
        end = time.monotonic() + 15
        while time.monotonic() < end:
            if true(text := self.text()):
                return text
            self.pump()
        raise AssertionError(f"waited in vain for {what}; the screen:\n{self.text()}")

    def see(self, what: str) -> str:
        """Wait until `what` is on the screen or above it."""
        return self.until(lambda text: what in text, repr(what))

    def gone(self, what: str) -> str:
        """Wait until `what` is no longer there."""
        return self.until(lambda text: what not in text, f"{what!r} to go")

    def ready(self) -> str:
        """Wait for the prompt with the agent made."""
        return self.see("scripted/demo · ask")

    def type(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def paste(self, text: str) -> None:
        """Paste as a terminal does once it was told to mark pastes."""
        self.child.send("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def interrupt(self) -> None:
        """A real SIGINT."""
        os.kill(self.child.pid, signal.SIGINT)

    def resize(self, columns: int, rows: int) -> None:
        """Another size, told by SIGWINCH."""
        self.page.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def text(self) -> str:
        """All that is on the screen, and above it what has scrolled away."""
        rows = [*self.page.history.top, *(self.page.buffer[y] for y in range(self.page.lines))]
        return "\n".join("".join(row[x].data for x in range(self.page.columns)).rstrip() for row in rows).rstrip()

    def sent(self) -> list[str]:
        """The messages the talk got."""
        return [message["text"] for message in self._sent()]

    def origins(self) -> list[list[str]]:
        """Where the parts of each message come from."""
        return [message["origins"] for message in self._sent()]

    def _sent(self) -> list[dict[str, Any]]:
        path = self.folder / "sent.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def answers(self) -> list[str]:
        """The answers the talk got."""
        path = self.folder / "answers"
        return path.read_text().split() if path.exists() else []

    def end(self) -> int:
        """Wait for the program's end; its exit code, or minus the signal that killed it."""
        end = time.monotonic() + 15
        while self.child.isalive() and time.monotonic() < end:
            self.pump()
        self.pump()
        assert not self.child.isalive(), f"the program goes on; the screen:\n{self.text()}"
        return self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus

    def close(self) -> None:
        """End what is left."""
        if self.child.isalive():
            os.kill(self.child.pid, signal.SIGTERM)
            end = time.monotonic() + 5
            while self.child.isalive() and time.monotonic() < end:
                self.pump()
        self.child.delayafterclose = self.child.delayafterterminate = 0.0
        self.child.close(force=True)

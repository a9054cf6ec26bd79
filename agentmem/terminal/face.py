"""The interactive face's door: shows a prompt at once, keeps the terminal safe, and runs the session behind it.

Importing this module loads nothing heavy; prompt-toolkit comes once the prompt is on the screen, rich after that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from agentmem.terminal.rawmode import PROMPT, RawMode
from agentmem.terminal.signals import caught

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
    with caught() as signals:
        try:
            raw.enter(PROMPT if first is None else "")
            from agentmem.terminal.seat import Seat

            return Seat(make_agent, history, signals, env).run(first, raw.early)
        finally:
            raw.leave()

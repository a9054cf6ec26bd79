"""A story: one turn shown from its first event to its last, for a person who only watches."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import TextIO

from agentmem.domain.event import Answer, Event, TurnEnded
from agentmem.terminal.blocks import Call
from agentmem.terminal.screen import Screen
from agentmem.terminal.view import View


def tell(events: Generator[Event, Answer | None, None], out: TextIO, env: Mapping[str, str]) -> TurnEnded | None:
    """Show the turn on `out` as it runs; what is asked goes unanswered. Gives how it ended."""
    screen, view = Screen(out, env), View(time.monotonic)
    view.begin()
    ended: TurnEnded | None = None
    for event in events:
        # Nobody sits at a prompt where more could be asked for.
        screen.show([replace(block, hint="") if isinstance(block, Call) else block for block in view.take(event)])
        if isinstance(event, TurnEnded):
            ended = event
    return ended

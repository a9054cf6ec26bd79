"""A story: one turn shown from its first event to its last, for a person who only watches."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from typing import TextIO

from agentmem.domain.event import Answer, Event, TurnEnded
from agentmem.terminal.screen import Screen
from agentmem.terminal.view import View


def tell(events: Generator[Event, Answer | None, None], out: TextIO, env: Mapping[str, str]) -> TurnEnded | None:
    """Show the turn on `out` as it runs; what is asked goes unanswered. Gives how it ended."""
    screen, view = Screen(out, env), View(time.monotonic)
    view.begin()
    ended: TurnEnded | None = None
    for event in events:
        screen.show(view.take(event))
        if isinstance(event, TurnEnded):
            ended = event
    return ended

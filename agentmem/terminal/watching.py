"""Watching: a run of many turns shown as it goes, for a person who can stop it and is asked where only they may say."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import TextIO

from agentmem.domain.event import Answer, Asked, Event, TurnEnded
from agentmem.domain.visible import visible
from agentmem.terminal.blocks import Call
from agentmem.terminal.screen import Screen
from agentmem.terminal.view import View


def watch(events: Generator[Event, Answer | None, object], out: TextIO, env: Mapping[str, str]) -> TurnEnded | None:
    """Show the events on `out` to their end, and give the last turn's; what is asked is asked on the terminal, and goes
    unanswered without one."""
    screen, view = Screen(out, env), View(time.monotonic)
    view.begin()
    answer: Answer | None = None
    ended: TurnEnded | None = None
    while True:
        try:
            event = events.send(answer)
        except StopIteration:
            return ended
        answer = None
        if isinstance(event, TurnEnded):
            ended = event
        blocks = view.take(event)
        screen.show([replace(block, hint="") if isinstance(block, Call) else block for block in blocks])
        if isinstance(event, Asked):
            answer = ask(event, sys.stdin, out)


def ask(
    event: Asked, typed: TextIO, out: TextIO, line: Callable[[TextIO], str] = lambda file: file.readline()
) -> Answer | None:
    """A yes or a no of the person's, None where nobody sits at a terminal."""
    if not (typed.isatty() and out.isatty()):
        return None
    gist = " ".join(str(value) for value in event.arguments.values())
    out.write(f"\n{visible(event.tool)} {visible(gist)}\n{visible(event.reason)}\n[y/N] ")
    out.flush()
    return "yes" if line(typed).strip().lower() in ("y", "yes") else "no"

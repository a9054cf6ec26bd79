"""Crossing: the slash commands that go to another session or another place of this one."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING

from agentmem.domain.visible import visible
from agentmem.memory.memory import EntryMissing, LogWriteError, SessionBusy, SessionMissing, Twig
from agentmem.terminal.blocks import Block, Row, Said

if TYPE_CHECKING:
    from agentmem.terminal.slash import Desk
    from agentmem.terminal.talk import Shelf

_LINES = 6  # of the last answer, that are shown to say where one is
Run = Callable[["Desk", str], Sequence[Block]]


def _telling(run: Run) -> Run:
    """What went wrong is told; then nothing has changed."""

    @wraps(run)
    def told(desk: Desk, rest: str) -> Sequence[Block]:
        try:
            return run(desk, rest)
        except (SessionMissing, SessionBusy, EntryMissing, LogWriteError) as error:
            return [Row(str(error), "yellow")]

    return told


@_telling
def tree(desk: Desk, rest: str) -> Sequence[Block]:
    """Choose a place of this session and go on from there."""
    from agentmem.terminal.choices import tree_choices

    rows = desk.talk.shelf.rows()
    if not rows:
        return [Row("Nothing was said yet.", "yellow")]
    here = next((number for number, row in enumerate(rows) if row.here), len(rows) - 1)
    picked = desk.pick("go on from", tree_choices(rows), here)
    chosen = next((row for row in rows if row.id == picked), None)
    if chosen is None:
        return []
    if chosen.here and chosen.again is None:
        return [Row("You are here already.", "dim")]
    return _moved(desk, chosen, rest)


def _moved(desk: Desk, chosen: Twig, why: str) -> Sequence[Block]:
    desk.talk.shelf.move(chosen.end, why or "chosen in /tree")
    if chosen.again is not None:
        # A message of one's own is chosen to say it differently.
        desk.draft(chosen.again)
    return [Row("moved; what comes next hangs here. Files are as they were.", "dim", "·"), *recap(desk.talk.shelf)]


@_telling
def sessions(desk: Desk, rest: str) -> Sequence[Block]:
    """Go on with another session."""
    from agentmem.terminal.choices import session_choices

    called: str | None = rest.strip()
    if not called:
        heads = desk.talk.shelf.sessions()
        if not heads:
            return [Row("There are no sessions here yet.", "yellow")]
        called = desk.pick("go on with", session_choices(heads, time.time(), os.getcwd()), 0)
    if called is None:
        return []
    before = desk.talk.session_id
    own = desk.talk.shelf.open(called)
    if own == before:
        return [Row("You are in this session already.", "dim")]
    return [*_arrived(desk, f"session {desk.talk.shelf.name or own}"), *recap(desk.talk.shelf)]


@_telling
def name(desk: Desk, rest: str) -> Sequence[Block]:
    """Name the session, or say its name."""
    shelf = desk.talk.shelf
    if not rest.strip():
        return [Row(f"this session is called {shelf.name!r}" if shelf.name else "this session has no name: /name NAME")]
    shelf.rename(rest)
    return [Row(f"this session is called {shelf.name!r}; agentmem -r {shlex.quote(shelf.name)} resumes it", "dim", "·")]


@_telling
def label(desk: Desk, rest: str) -> Sequence[Block]:
    """Name the last message; without a text take its label away."""
    if not desk.talk.shelf.begun:
        return [Row("There is no message to label yet.", "yellow")]
    desk.talk.shelf.label(rest)
    return [Row(f"labelled {' '.join(rest.split())!r}; /tree shows it" if rest.strip() else "no label", "dim", "·")]


@_telling
def fork(desk: Desk, rest: str) -> Sequence[Block]:
    """Go on in a fork."""
    if not desk.talk.shelf.begun:
        return [Row("There is nothing to fork yet.", "yellow")]
    before = desk.talk.session_id
    own = desk.talk.shelf.fork()
    return _arrived(desk, f"a fork, session {own}; {before} stays as it is")


@_telling
def clear(desk: Desk, rest: str) -> Sequence[Block]:
    """Go on with a new session."""
    before = desk.talk.session_id if desk.talk.shelf.begun else None
    desk.talk.shelf.clear()
    return _arrived(desk, "a new session" + (f"; the one before: agentmem -r {before}" if before else ""))


def _arrived(desk: Desk, where: str) -> list[Block]:
    notices = [Row(notice, "dim", "·", gap=0) for notice in desk.talk.notices]
    return [Row(where, "dim", "·"), *notices]


def recap(shelf: Shelf) -> list[Block]:
    """The last thing that was said and the head of its answer, so that the person sees where they are."""
    asked, answer = shelf.last()
    lines = answer.strip().split("\n")
    short = "\n".join(lines[:_LINES]) + (f"\n… {len(lines) - _LINES} more lines" if len(lines) > _LINES else "")
    shown: list[Block] = [Said(_head(asked))] if asked else []
    return [*shown, *([Row(visible(short))] if short else [])]


def _head(text: str) -> str:
    lines = text.strip().split("\n")
    return "\n".join(lines[:_LINES]) + ("\n…" if len(lines) > _LINES else "")

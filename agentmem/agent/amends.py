"""Amends: what the person does to the prompt between two turns: compact it, bring something back, strike a line."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from agentmem.agent import room as rooms
from agentmem.agent.limits import Spent
from agentmem.agent.relief import asker, brief, relieve, said
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.entry import Entry
from agentmem.domain.event import Answer, Compacted, Event
from agentmem.memory.memory import EntryMissing, LogWriteError, shortening

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.memory.shortening import Aim

Amending: TypeAlias = "Generator[Event, Answer | None, None]"

WHY = "a line that it named was struck"
NOTHING = "nothing to compact: {used:,} of {window:,} tokens are in use, and what may leave is not worth it"


@dataclass(frozen=True, slots=True)
class Brought:
    """What an expand brought back: the entry that says so, the `entries` that are shown again, and tokens in use before
    and after. `told` is set where a message was told again at the tail."""

    entry: str
    entries: tuple[Entry, ...]
    before: int
    after: int
    told: bool


def wanted(agent: Agent) -> Aim:
    """What a compaction that the person asks for comes to: the target, or half of what is in use where that is less."""
    now = rooms.room(agent)
    target = min(int(agent.limits.target * now.window), now.used // 2)
    return shortening.Aim(target, int(rooms.FULL * now.window), cut=True)


def compact(agent: Agent, focus: str, cancel: Cancel) -> Amending:
    """Compact now. `focus` is what the summary must keep."""
    agent.spent = Spent()
    why = "the person asked for it" + (f", keeping: {focus}" if focus else "")
    try:
        done = yield from relieve(agent, wanted(agent), why, focus, cancel)
    except Cancelled:
        yield Notice("warning", "stopped: nothing more left the prompt")
        return
    if not done:
        now = rooms.room(agent)
        yield Notice("info", NOTHING.format(used=now.used, window=now.window))


def telling(amending: Amending) -> Amending:
    """The same, for a person who watches: what cannot be done is told."""
    try:
        yield from amending
    except (EntryMissing, LogWriteError, shortening.NotChanged) as error:
        yield Notice("warning", str(error))


def expand(agent: Agent, called: str) -> Brought:
    """Bring back what a compaction or a strike took out of the prompt. Raises `EntryMissing`, `NotChanged`,
    `LogWriteError`."""
    now = rooms.room(agent)
    entry, found = shortening.expand(agent.session, called, now)
    return Brought(entry.id, found.entries, now.used, rooms.room(agent).used, bool(found.told))


def strike(agent: Agent, called: str, cancel: Cancel) -> Amending:
    """Take a line of the log out of every later prompt, and out of the summary that covers it. Raises `EntryMissing`,
    `NotChanged`, `LogWriteError`."""
    agent.spent = Spent()
    struck, covered = shortening.strike(agent.session, called)
    count = len(struck.body["targets"])
    line = "1 line" if count == 1 else f"{count} lines (a reply goes with the results of its calls)"
    yield Notice("info", f"struck {line}: no later prompt shows it; undo: expand {struck.id}")
    if agent.session.active.snapshot is None:
        return
    work = shortening.begin_compaction(agent.session, rooms.room(agent))
    if not covered:  # what is said of where the work stands may still name it
        work.refreshed(shortening.standing(brief(agent, "")), WHY)
        agent.session.renew()
        agent.session.sync()
        return
    piece = shortening.covering(agent.session, work, struck)
    if piece is None:
        yield Notice("warning", "a summary that was made elsewhere covers it and may repeat it")
        return
    before = work.room.used
    afresh = shortening.afresh(agent.session, brief(agent, ""))
    try:
        told = shortening.tell(piece.leaving, afresh, asker(agent, work, cancel))
    except Cancelled:
        told = shortening.tell(piece.leaving, afresh, None)
    if isinstance(told, shortening.Refusal):
        yield Notice("warning", f"the summary that covers it stands as it was: {told.reason}")
        return
    entry = work.retold(piece, told, WHY)
    agent.session.renew()
    agent.session.sync()
    text = said(entry, sum(one.type == "message" for one in piece.leaving.entries))
    yield Compacted(entry.id, told.form, before, work.room.used, f"told anew without it: {text}")

"""Noting: a turn that is over is left in the inbox as an event, and a closed session's events become one episode."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from agentmem.domain.claim import Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.entry import Entry, Header
from agentmem.domain.places import Places
from agentmem.memory.manage.happened import Piece, happened, pieces
from agentmem.memory.manage.recount import recount
from agentmem.memory.read import catalogue, resume
from agentmem.memory.read.tree import grow
from agentmem.memory.stores import folder, inbox, lines
from agentmem.memory.stores.log import SUFFIX, LogWriteError, holder

_RECENT = 2 * 86_400.0  # seconds: sessions that ended so long ago were told of before, or never will be
_AT_ONCE = 8  # sessions that were killed and are told of in one go


class Talk(Protocol):
    """What is told of a session."""

    places: Places
    id: str

    @property
    def header(self) -> Header:
        """The first line of its log."""
        ...

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The active branch."""
        ...

    def branch(self) -> Sequence[Entry]:
        """The whole branch."""
        ...


def note(session: Talk, *, every: bool = False) -> None:
    """Leave what happened in the last turn of a session, or in its last piece, in the inbox, once; in `every` one where
    that is wanted. A sub-session's turns are part of its giver's. A disk that does not take it is no failure: the log
    holds it all, and it can be left later."""
    if session.header.giver is None:
        with suppress(OSError, LogWriteError):
            _note(session.places, session.id, session.entries, session.branch, every=every)


def close(session: Talk, clock: Clock) -> None:
    """A session is over: what happened in it is left, told in the file of its day, and so is what other sessions left
    unsaid that were killed. A disk that does not take it is no failure: the next run tries again. Where a project keeps
    no memory yet nothing is put beside its files: the events wait in the inbox until it does."""
    note(session, every=True)
    if session.header.giver is None and _keeps_memory(session.places):
        with suppress(OSError):
            settle(session.places, clock, session.id)
            settle_others(session.places, clock, session.id)


def _keeps_memory(places: Places) -> bool:
    return any(os.path.lexists(places.root / name) for name in ("MEMORY.md", "memory"))


def _note(
    places: Places, session: str, branch: Sequence[Entry], whole: Callable[[], Sequence[Entry]], *, every: bool
) -> None:
    """`whole` gives the whole branch, where a cut took the person's message out of it."""
    for piece in pieces(branch) if every else pieces(branch)[-1:]:
        if inbox.is_there(places.inbox, inbox.event_id(session, piece.leaf)):
            continue
        asked = piece.asked
        if asked is None:
            asked = next((one.asked for one in pieces(whole()) if one.leaf == piece.leaf), None)
        event = happened(session, Piece(piece.entries, asked, piece.leaf), places.home)
        if event is not None:
            folder.make_agent_folder(places.shared)
            inbox.put(places.inbox, event)


def settle(places: Places, clock: Clock, session: str) -> Verdict | None:
    """Make an episode of the events of a session that no episode tells of; None where there are none. Raises
    `OSError`."""
    start = inbox.event_start(session)
    told = inbox.told(places.inbox)
    every = inbox.names(places.inbox, start)
    events = inbox.pending(places.inbox, [name for name in every if name not in told.events])
    events = [event for event in events if event.get("session") == session]
    if not events:
        return None
    first = len(events) == len(every) and not any(name.startswith(start) for name in told.events)
    own = inbox.episode_id(session, None if first else str(events[0]["event_id"]))
    head = catalogue.head(places.sessions, session)
    episode = recount(own, session, head.name if head is not None else "", events)
    if episode is None:
        return None
    from agentmem.memory.write.gate import chronicle

    verdict = chronicle.episode(episode.id, episode.day, episode.text, Desk(places, clock))
    if verdict.outcome != "refused":
        size = _size(places.sessions / f"{session}{SUFFIX}")
        names = [event["event_id"] for event in events]
        record = {"at": clock.stamp(), "session": session, "episode": own, "events": names, "size": size}
        inbox.tell(places.inbox, record)
    return verdict


def settle_others(places: Places, clock: Clock, own: str | None) -> list[Verdict]:
    """Do the same for sessions that were killed: what they left unsaid is left in the inbox first. Raises `OSError`."""
    told = inbox.told(places.inbox)
    since = clock.now() - _RECENT
    logs = [(path.stat(), path) for path in catalogue.logs(places.sessions) if path.stem != own]
    fresh = [
        (found.st_mtime, path)
        for found, path in logs
        if found.st_mtime > since and told.sizes.get(path.stem) != found.st_size and holder(path) is None
    ]
    verdicts = []
    for _, path in sorted(fresh, reverse=True)[:_AT_ONCE]:
        with suppress(OSError):
            tree = resume.read(path, path.name, path.stem)
            if tree.header.giver is None:
                branch = tree.active(tree.entries[-1].id).entries if tree.entries else ()
                _note(places, path.stem, branch, partial(_whole, path), every=True)
                verdicts.append(settle(places, clock, path.stem))
    return [verdict for verdict in verdicts if verdict is not None]


def _whole(path: Path) -> Sequence[Entry]:
    return grow(path.name, path.stem, *lines.read(path)).branch()


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0

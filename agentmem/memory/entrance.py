"""Entrance: sessions made, found, resumed, read, listed, forked, imported and removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.places import Places
from agentmem.memory.read import tree
from agentmem.memory.read.tree import Tree
from agentmem.memory.session import Session
from agentmem.memory.stores import lines, roll
from agentmem.memory.stores.log import SUFFIX, LogWriteError, LogWriter, cause, holder

if TYPE_CHECKING:
    from agentmem.domain.imported import Intake
    from agentmem.memory.manage.removal import Removed
    from agentmem.memory.read.fsck import Check
    from agentmem.memory.read.history import History
    from agentmem.memory.read.sessionhead import SessionHead


class SessionMissing(Exception):
    """No session, or more than one, has this name; `near` are ids that may be meant."""

    def __init__(self, session: str, near: tuple[str, ...], several: bool):
        said = f"{session!r} begins more than one session" if several else f"there is no session {session!r}"
        hint = f" (did you mean {', '.join(near)}?)" if near else ""
        super().__init__(said + hint)
        self.session = session
        self.near = near


def new_session(
    places: Places, clock: Clock, version: str, parent: str | None = None, *, reset: bool = False
) -> Session:
    """A session that is not on disk before its first record; `version` is agentmem's own. A sub-session names its
    `parent`: lists leave it out; after a `reset` the parent is the session it goes on from."""
    header = replace(_header(places, clock, version), parent_session=parent, reset=reset)
    return Session(places, clock, tree.Tree(header, (), ()))


def find_session(places: Places, called: str) -> str:
    """The id of the session called so: its id, the start of it that no other has, or its name. Raises
    `SessionMissing`."""
    from agentmem.memory.read import catalogue

    found = catalogue.find(places.sessions, called)
    if len(found) != 1:
        named = catalogue.called(places.sessions, called)
        found = named or found
    if len(found) != 1:
        near = found[:5] or catalogue.near(places.sessions, called)
        raise SessionMissing(called, near, several=bool(found))
    return found[0]


def resume_session(places: Places, clock: Clock, called: str) -> Session:
    """Go on with a session, called as `find_session` takes it. What was damaged, and a directory that is gone, is told
    in `Session.notices`.

    Raises `SessionMissing`, `SessionBusy` (another process writes it), `LogWriteError` (it cannot be written).
    """
    from agentmem.memory.read import resume

    own = find_session(places, called)
    writer = LogWriter.open(_log(places, own), clock)
    try:
        grown = _grown(places, own, resume.read)
    except BaseException:
        writer.close()
        raise
    return Session(places, clock, grown, writer)


def read_session(places: Places, called: str) -> Tree:
    """All that a session's log holds, whoever writes it. Raises `SessionMissing`, `LogWriteError` (it cannot be
    read)."""
    own = find_session(places, called)
    try:
        return _grown(places, own)
    except OSError as error:
        raise LogWriteError(_log(places, own), cause(error)) from error


def history(places: Places, called: str) -> History:
    """A session to look back on; raises as `read_session` does."""
    from agentmem.memory.read.history import History

    return History(read_session(places, called), places.blobs)


def branch_of(found: Tree, at: str | None = None) -> list[Entry]:
    """The path to the leaf, or to an entry called so (see `fork_session`). Raises `EntryMissing`."""
    from agentmem.memory.manage import fork

    return found.branch() if at is None else found.path(fork.entry_called(found, at))


def fork_session(places: Places, clock: Clock, version: str, called: str, at: str | None = None) -> str:
    """Make a session of the path to an entry (its id, the start of it or its label; by default the leaf); gives its id.
    The other one is only read, whoever writes it.

    Raises `SessionMissing`, `EntryMissing`, `LogWriteError`.
    """
    from agentmem.memory.manage import fork

    grown = read_session(places, called)
    entry = fork.entry_called(grown, at if at is not None else grown.entries[-1].id if grown.entries else "")
    header = _header(places, clock, version)
    fork.fork(grown, entry, header, clock, places.sessions)
    if roll.is_there(places.shared):
        roll.append(places.shared, roll.line(clock.stamp(), "forked", header.id, of=grown.header.id))
    return header.id


def remove_session(places: Places, clock: Clock, session: str) -> Removed:
    """Remove a session, named by its whole id, with its sub-sessions and their outputs; see `removal`. Only a person
    may ask for it."""
    from agentmem.memory.manage import removal

    return removal.remove(places, session, clock)


def session_holder(places: Places, session: str) -> tuple[int, str] | None:
    """Process and time of whoever writes the session now, None when nobody does."""
    return holder(_log(places, session))


def session_at_a_glance(places: Places, session: str) -> SessionHead | None:
    """A session's head and tail, None where it cannot be read."""
    from agentmem.memory.read import catalogue

    return catalogue.head(places.sessions, session)


def _header(places: Places, clock: Clock, version: str) -> Header:
    own = clock.session_id()
    while _log(places, own).exists():
        own = clock.session_id()
    return Header(own, clock.stamp(), lines.sound(str(places.cwd)), version)


def _log(places: Places, session: str) -> Path:
    return places.sessions / f"{session}{SUFFIX}"


def _whole(path: Path, name: str, session: str) -> Tree:
    return tree.grow(name, session, *lines.read(path))


def _grown(places: Places, session: str, read: Callable[[Path, str, str], Tree] = _whole) -> Tree:
    """Raises `OSError`."""
    path = _log(places, session)
    grown = read(path, str(path.relative_to(places.root)) if path.is_relative_to(places.root) else str(path), session)
    started = grown.header.cwd
    if started and not os.path.isdir(started):
        moved = f"{session} was started in {started}, which is not there any more; it goes on in {places.cwd}"
        grown = replace(grown, notices=(*grown.notices, moved))
    return grown


def last_session(places: Places) -> str | None:
    """The id of the session last written that was started in this directory or under this root, else of the last whose
    directory is gone (the project was moved); None without one."""
    from agentmem.memory.read import catalogue

    return catalogue.last(places.sessions, lines.sound(str(places.cwd)), lines.sound(str(places.root)))


def list_sessions(places: Places, *, every: bool = False) -> list[SessionHead]:
    """The sessions of this place, the one last written first; sub-sessions only where `every` one is wanted."""
    from agentmem.memory.read import catalogue

    return catalogue.heads(places.sessions, every=every)


def survey_sessions(places: Places, *, every: bool = False) -> tuple[list[SessionHead], list[OSError]]:
    """What `list_sessions` gives, and why other session logs that are there cannot be read, one failure a log; each
    names its file."""
    from agentmem.memory.read import catalogue

    return catalogue.survey(places.sessions, every=every)


def unreadable_since(places: Places, session: str) -> list[OSError]:
    """Why session logs that were written after a session's cannot be read, as `survey_sessions` tells them."""
    from agentmem.memory.read import catalogue

    return catalogue.unreadable(places.sessions, session)


def check(places: Places) -> Check:
    """Every log read whole, what it names and what lies beside it: what is wrong, where, and what mends it. Nothing is
    changed."""
    from agentmem.memory.read import fsck

    return fsck.check(places)


def import_log(path: Path, places: Places, clock: Clock, version: str, form: str | None = None) -> Intake:
    """Bring another tool's log in as a session: `form` is claude-code, codex or pi, None finds it out. `version` is
    agentmem's own. Raises `LogWriteError`: then nothing of the file came in."""
    from agentmem.memory.write import intake  # nothing else needs to know other tools' formats

    return intake.take_in(path, places, version, form, clock.now())


def exported(places: Places, called: str) -> Iterator[bytes]:
    """The lines of a session's log that can be read, as they stand there. Raises `SessionMissing`, `LogWriteError` (it
    cannot be read)."""
    path = _log(places, find_session(places, called))
    try:
        yield from lines.sound_lines(path)
    except OSError as error:
        raise LogWriteError(path, cause(error)) from error


def page(tree: Tree, *, whole_tree: bool = False) -> Iterator[str]:
    """A session as Markdown, in blocks to be joined by blank lines: its current branch, or all of them."""
    from agentmem.memory.read import as_page  # a page is seldom asked for

    return as_page.page(tree, whole_tree=whole_tree)

"""The door to what the agent remembers: everything outside this room imports this module alone.

| memory | answers | store | W write | P manage | R read |
|---|---|---|---|---|---|
| session log | what was said, done | `.agent/sessions/<id>.jsonl` | `Session.record_…` | none, by design | a branch |
| working | what is happening now | replay of a branch | through the log | - | `Session.prompt` |
| semantic | what is true | `MEMORY.md` | the gate: `Session.propose`, `remember` | - | `Session.begin_epoch` |
"""

from __future__ import annotations

from pathlib import Path

from agentmem.domain.claim import Claim, Principal, Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Header
from agentmem.domain.places import Places
from agentmem.memory.read import catalogue, tree, weight
from agentmem.memory.read.assemble import Epoch
from agentmem.memory.read.catalogue import SessionHead
from agentmem.memory.read.history import Held, History
from agentmem.memory.read.instructions import Instruction
from agentmem.memory.read.manifest import PartLost, Prefix, Section
from agentmem.memory.read.tally import Counted, Sent
from agentmem.memory.session import Session
from agentmem.memory.stores import founding, lines
from agentmem.memory.stores.log import LogWriteError, LogWriter, SessionBusy

__all__ = [
    "Counted",
    "Epoch",
    "Held",
    "History",
    "Instruction",
    "LogWriteError",
    "PartLost",
    "Prefix",
    "Section",
    "Sent",
    "Session",
    "SessionBusy",
    "SessionHead",
    "SessionMissing",
    "faults",
    "found",
    "history",
    "last_session",
    "list_sessions",
    "new_session",
    "remember",
    "resume_session",
    "weight",
]


class SessionMissing(Exception):
    """No session, or more than one, has this name; `near` are ids that may be meant."""

    def __init__(self, session: str, near: tuple[str, ...], several: bool):
        said = f"{session!r} begins more than one session" if several else f"there is no session {session!r}"
        hint = f" (did you mean {', '.join(near)}?)" if near else ""
        super().__init__(said + hint)
        self.session = session
        self.near = near


def new_session(places: Places, clock: Clock, version: str, parent: str | None = None) -> Session:
    """A session that is not on disk before its first record; `version` is agentmem's own. A sub-session names its
    `parent`: lists leave it out."""
    own = clock.session_id()
    while (places.sessions / f"{own}{catalogue.SUFFIX}").exists():
        own = clock.session_id()
    header = Header(own, clock.stamp(), lines.sound(str(places.cwd)), version, parent)
    return Session(places, clock, tree.Tree(header, (), ()))


def resume_session(places: Places, clock: Clock, session_id: str) -> Session:
    """Go on with a session, named by its id or a prefix no other has. What was damaged is told in `Session.notices`.

    Raises `SessionMissing`, `SessionBusy` (another process writes it), `LogWriteError` (it cannot be written).
    """
    path = _log(places, session_id)
    writer = LogWriter.open(path, clock)
    try:
        grown = _grown(places, path)
    except BaseException:
        writer.close()
        raise
    return Session(places, clock, grown, writer)


def history(places: Places, session_id: str) -> History:
    """A session's log, read whole and without its lock; named as in `resume_session`. Raises `SessionMissing` and
    `OSError`."""
    return History(_grown(places, _log(places, session_id)), places.blobs)


def _log(places: Places, session_id: str) -> Path:
    """The log of the one session of that name. Raises `SessionMissing`."""
    found = catalogue.find(places.sessions, session_id)
    if len(found) != 1:
        near = found[:5] or catalogue.near(places.sessions, session_id)
        raise SessionMissing(session_id, near, several=bool(found))
    return places.sessions / f"{found[0]}{catalogue.SUFFIX}"


def _grown(places: Places, path: Path) -> tree.Tree:
    name = str(path.relative_to(places.root)) if path.is_relative_to(places.root) else str(path)
    return tree.grow(name, path.stem, *lines.read(path))


def last_session(places: Places) -> str | None:
    """The id of the session last written that was started in this directory or under this root, None without one."""
    return catalogue.last(places.sessions, lines.sound(str(places.cwd)), lines.sound(str(places.root)))


def list_sessions(places: Places) -> list[SessionHead]:
    """The sessions of this place, the one last written first, sub-sessions aside."""
    return catalogue.heads(places.sessions)


def faults(places: Places, session_id: str) -> tuple[str, ...]:
    """What is damaged in a session's log, read whole; one line each, empty when it is sound. Raises `OSError`."""
    path = places.sessions / f"{session_id}{catalogue.SUFFIX}"
    return tree.grow(str(path), session_id, *lines.read(path)).notices


def found(places: Places) -> list[str]:
    """Make MEMORY.md, memory/ and .agent/ where missing; gives the names of what was made. Raises `OSError`."""
    return founding.found(places)


def remember(places: Places, clock: Clock, claim: Claim, by: Principal = "user") -> Verdict:
    """What the person typed as a command goes through the gate without a session; under any other principal (a command
    that an agent's tool ran) it only waits in the queue."""
    from agentmem.memory.write import gate  # most runs never come here, and the word rules take their time to load

    return gate.propose(claim, gate.Source(typed=by == "user"), places, clock)

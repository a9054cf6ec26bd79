"""The shelf: the sessions and branches an agent can go on with, between two turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem import __version__
from agentmem.memory.memory import (
    Session,
    SessionHead,
    Twig,
    find_session,
    fork_session,
    last_exchange,
    list_sessions,
    new_session,
    outline,
    resume_session,
)

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent


class Shelf:
    """What an agent's session can be exchanged for. Each method that opens or writes raises what memory raises
    (`SessionMissing`, `SessionBusy`, `EntryMissing`, `LogWriteError`); then the agent stays where it was."""

    def __init__(self, agent: Agent):
        self._agent = agent

    @property
    def _session(self) -> Session:
        return self._agent.session

    @property
    def begun(self) -> bool:
        """True once the session has an entry."""
        return self._session.leaf is not None

    @property
    def name(self) -> str:
        """What the session is called, "" without a name."""
        return self._session.name

    def sessions(self) -> Sequence[SessionHead]:
        """The sessions of this place, the one last written first."""
        return list_sessions(self._session.places)

    def rows(self) -> Sequence[Twig]:
        """The session's tree."""
        return outline(self._session.tree())

    def last(self) -> tuple[str, str]:
        """What the person said last on this branch, and what the agent answered since; "" for nothing."""
        return last_exchange(self._session.entries)

    def open(self, called: str) -> str:
        """Go on with another session; gives its id."""
        places = self._session.places
        own = find_session(places, called)
        if own != self._session.id:
            self._agent.take(resume_session(places, self._agent.clock, own))
        return own

    def clear(self) -> str:
        """Go on with a new session that knows nothing of this one; gives its id."""
        fresh = new_session(self._session.places, self._agent.clock, __version__)
        self._agent.take(fresh)
        return fresh.id

    def fork(self) -> str:
        """Go on with a fork of this session; gives its id. This one stays as it is."""
        places, clock = self._session.places, self._agent.clock
        return self.open(fork_session(places, clock, __version__, self._session.id, self._session.leaf))

    def move(self, to: str | None, why: str) -> None:
        """Go on from another entry of this session; None is before the first."""
        self._session.move(to, why)
        self._session.sync()
        self._agent.rewound()

    def label(self, text: str) -> None:
        """Name the last message; empty takes its label away."""
        self._session.label(text)
        self._session.sync()

    def rename(self, name: str) -> None:
        """Name the session; empty takes its name away."""
        self._session.rename(name)
        self._session.sync()

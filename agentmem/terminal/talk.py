"""Talk: what the interactive face is given to talk to. The wiring hands in an agent that has these members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # this module is loaded before the first prompt can be typed in
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from agentmem.agent.amends import Brought
    from agentmem.agent.forgetting import Forgetting
    from agentmem.agent.reviewing import Reviewing
    from agentmem.agent.rewind import Rewind
    from agentmem.domain.cancel import Cancel
    from agentmem.domain.event import Answer, Event
    from agentmem.domain.filling import Filling
    from agentmem.domain.message import Text
    from agentmem.memory.memory import Repertoire, SessionHead, Twig

    Play = Callable[[Cancel], Generator[Event, Answer | None, None]]

MODES: tuple[str, ...] = ("plan", "ask", "edits", "auto", "full")


class CannotStart(Exception):
    """The agent could not be made; `str(error)` says what is wrong and what to do. `exit_code` is the process's."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Shelf(Protocol):
    """The sessions and branches a talk can go on with, between two turns. What opens or writes raises memory's own
    failures (`SessionMissing`, `SessionBusy`, `EntryMissing`, `LogWriteError`); then the talk stays where it was."""

    @property
    def begun(self) -> bool:
        """True once the session has an entry."""
        ...

    @property
    def name(self) -> str:
        """What the session is called, "" without a name."""
        ...

    def sessions(self) -> Sequence[SessionHead]:
        """The sessions of this place, the one last written first."""
        ...

    def rows(self) -> Sequence[Twig]:
        """The session's tree."""
        ...

    def last(self) -> tuple[str, str]:
        """What the person said last on this branch, and what the agent answered since."""
        ...

    def open(self, called: str) -> str:
        """Go on with another session; gives its id."""
        ...

    def clear(self) -> str:
        """Go on with a new session; gives its id."""
        ...

    def fork(self) -> str:
        """Go on with a fork of this session; gives its id."""
        ...

    def move(self, to: str | None, why: str) -> None:
        """Go on from another entry of this session; None is before the first."""
        ...

    def label(self, text: str) -> None:
        """Name the last message; empty takes its label away."""
        ...

    def rename(self, name: str) -> None:
        """Name the session; empty takes its name away."""
        ...


class Talk(Protocol):
    """A session with a model, as a face sees it; its `shelf` can put another session in its place."""

    @property
    def model(self) -> str:
        """The model in litellm's naming, ``provider/name``."""
        ...

    @property
    def session_id(self) -> str:
        """The session's name."""
        ...

    @property
    def log(self) -> Path:
        """Where the session's log lies, or will lie once something is said."""
        ...

    @property
    def mode(self) -> str:
        """The permission mode, one of `MODES`."""
        ...

    @property
    def loaded(self) -> Sequence[str]:
        """The instruction files that were loaded, for display."""
        ...

    @property
    def notices(self) -> Sequence[str]:
        """What the person should know about the start, one line each."""
        ...

    @property
    def shelf(self) -> Shelf:
        """The sessions and branches it can go on with."""
        ...

    @property
    def rewind(self) -> Rewind:
        """The way back to an earlier message."""
        ...

    @property
    def skills(self) -> Repertoire | None:
        """The skills that can be called by name, None where there are none."""
        ...

    @property
    def reviewing(self) -> Reviewing:
        """What waits for the person's word."""
        ...

    def recalled(self, query: str) -> Sequence[str]:
        """What is remembered on a query, in lines. Raises `OSError`."""
        ...

    @property
    def forgetting(self) -> Forgetting:
        """What has words forgotten."""
        ...

    def rewound(self) -> None:
        """Tell it that a rewind was done: what it knew of files and of its window no longer holds."""
        ...

    def follow(self, tell: Callable[[list[str]], None]) -> None:
        """Tell of hand edits of the memory files when they are made, from another thread."""
        ...

    def remembered(self, words: str) -> Sequence[str]:
        """What the person asks of durable memory, in lines; "" lists it."""
        ...

    def set_mode(self, mode: str) -> None:
        """Change the permission mode from the next call on."""
        ...

    def context(self) -> tuple[int, int]:
        """Tokens in use and the window's size; a window of 0 is unknown."""
        ...

    def filling(self) -> Filling:
        """What fills the window, by part."""
        ...

    def reset(self, note: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """End the session with a handoff and go on in a fresh one; runs like a turn. `note` is a word for who goes
        on."""
        ...

    def compact(self, focus: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Compact the prompt now; `focus` is what a summary must keep."""
        ...

    def strike(self, called: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Take a line of the log out of every later prompt. What cannot be done is told."""
        ...

    def expand(self, called: str) -> Brought:
        """Bring back what was taken out of the prompt. Raises `EntryMissing`, `NotChanged`, `LogWriteError`."""
        ...

    def turn(self, parts: Sequence[Text], cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Run one turn. The generator is run to its end; after `cancel` it ends by itself with `TurnEnded`."""
        ...

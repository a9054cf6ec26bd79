"""Talk: what the interactive face is given to talk to. The wiring hands in an agent that has these members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # this module is loaded before the first prompt can be typed in
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from agentmem.domain.cancel import Cancel
    from agentmem.domain.event import Answer, Event
    from agentmem.domain.filling import Filling
    from agentmem.domain.message import Text

MODES: tuple[str, ...] = ("plan", "ask", "edits", "auto", "full")


class CannotStart(Exception):
    """The agent could not be made; `str(error)` says what is wrong and what to do. `exit_code` is the process's."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Talk(Protocol):
    """One session with a model, as a face sees it."""

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

    def set_mode(self, mode: str) -> None:
        """Change the permission mode from the next call on."""
        ...

    def context(self) -> tuple[int, int]:
        """Tokens in use and the window's size; a window of 0 is unknown."""
        ...

    def filling(self) -> Filling:
        """What fills the window, by part."""
        ...

    def turn(self, parts: Sequence[Text], cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Run one turn. The generator is run to its end; after `cancel` it ends by itself with `TurnEnded`."""
        ...

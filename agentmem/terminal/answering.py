"""Answering: tells keys that answer a question from keys that are typed ahead of it, into it or behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from agentmem.domain.event import Answer, Asked
from agentmem.terminal.question import Question

_QUIET = 0.5  # seconds after a typed key in which another key is typing, not an answer
_REST = 1.0  # seconds in which the rest of a typed-out answer ("es", Enter) is taken as part of it


class Answering:
    """The question that is open, if any. `now` gives seconds of a clock that never jumps."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.question: Question | None = None
        self._now = now
        self._from: float | None = None
        self._rest, self._rest_until = "", 0.0

    def ask(self, asked: Asked) -> None:
        """A question has come; it is not on the screen yet."""
        self.question, self._from = Question(asked), None

    @property
    def unseen(self) -> bool:
        """True while the open question is not on the screen."""
        return self.question is not None and self._from is None

    def seen(self, last_ahead: float) -> None:
        """The question stands there now; the last key that was typed ahead was pressed at `last_ahead`."""
        self._from = max(self._now(), last_ahead + _QUIET)

    def close(self) -> None:
        """The question was answered."""
        self.question = self._from = None

    def take(self, keys: Sequence[KeyPress]) -> tuple[Answer | None, list[KeyPress]]:
        """The answer that typed keys give, if any, and the keys that are for the next prompt."""
        rest = self._without_rest(list(keys))
        if self.question is None or not rest:
            return None, rest
        now = self._now()
        if self._from is not None and now >= self._from:
            answer = self.question.answer("".join(character(key) for key in rest))
            if answer is not None:
                if len(rest) == 1 and rest[0].key != Keys.Escape:
                    self._rest, self._rest_until = f"{answer[1:]}\r", now + _REST
                return answer, []
        # Enter and Esc mean nothing here, and must not send or change what is typed ahead.
        rest = [key for key in rest if key.key not in (Keys.Escape, Keys.ControlM)]
        if rest and self._from is not None:
            self._from = now + _QUIET
        return None, rest

    @property
    def awaits_rest(self) -> bool:
        """True while the rest of a typed-out answer may still come."""
        return bool(self._rest) and self._now() <= self._rest_until

    def _without_rest(self, keys: list[KeyPress]) -> list[KeyPress]:
        """Whoever types out "yes" and Enter has answered with the first letter; the others are no message."""
        if not self.awaits_rest:
            self._rest = ""
        while keys and self._rest and character(keys[0]) in (self._rest[0], "\r"):
            self._rest = self._rest[1:] if character(keys[0]) != "\r" else ""
            keys = keys[1:]
        if keys:
            self._rest = ""
        return keys


def character(key: KeyPress) -> str:
    """The character a key types, ``\\0`` for a key that types none."""
    match key.key:
        case Keys.Escape:
            return "\x1b"
        case Keys.ControlM | Keys.ControlJ:
            return "\r"
        case _:
            return key.data if len(key.key) == 1 else "\0"

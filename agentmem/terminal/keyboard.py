"""The keyboard while a turn runs: reads keys, and keeps what is typed ahead for the next prompt."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence

from prompt_toolkit.input.base import Input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

_ESCAPE_WAIT = 0.05  # seconds after which a lone Esc is Esc and no longer the start of another key's sequence
_ERASING = {Keys.ControlH, Keys.Delete}
_SENDING = Keys.ControlM


class Keyboard:
    """Reads keys without waiting. What is handed to `ahead` is typed into the next prompt, in order."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._ahead: list[KeyPress] = []
        self.last_ahead = float("-inf")  # seconds of the clock that never jumps

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._source.fileno()

    @property
    def gone(self) -> bool:
        """True once the terminal is closed."""
        return self._source.closed

    def read(self) -> list[KeyPress]:
        """The keys there are once something was typed, Esc alone too. The terminal's own answers are left out."""
        keys = self._source.read_keys()
        if not keys and not self.gone:
            # Nothing whole yet: either Esc alone, or a sequence whose rest is on its way.
            more = select.select([self._source.fileno()], [], [], _ESCAPE_WAIT)[0]
            keys = self._source.read_keys() if more else self._source.flush_keys()
        return self._typed(keys)

    def read_now(self) -> list[KeyPress]:
        """The keys there are, none when nothing was typed."""
        return self._typed(self._source.read_keys())

    def _typed(self, keys: Sequence[KeyPress]) -> list[KeyPress]:
        return [key for key in keys if key.key != Keys.CPRResponse]

    def ahead(self, keys: Sequence[KeyPress]) -> None:
        """Keep keys for the next prompt."""
        if keys:
            self.last_ahead = time.monotonic()
        self._ahead.extend(keys)

    @property
    def typed(self) -> str:
        """What was typed ahead, as text; a sent line ends in ``⏎``."""
        text = ""
        for key in self._ahead:
            if key.key == _SENDING:
                text += "⏎ "
            elif key.key in _ERASING:
                text = text[:-1]
            elif key.key == Keys.BracketedPaste or len(key.key) == 1:
                text += " ".join(key.data.split("\n"))
        return text

    @property
    def unsent(self) -> bool:
        """True when text was typed ahead and not sent."""
        return bool(self.typed.rpartition("⏎ ")[2].strip())

    def clear_unsent(self) -> None:
        """Take back what was typed ahead since the last Enter."""
        while self._ahead and self._ahead[-1].key != _SENDING:
            self._ahead.pop()

    def unsend(self) -> None:
        """Messages typed ahead are not sent by themselves any more: their Enters become line breaks."""
        while self._ahead and self._ahead[-1].key == _SENDING:
            self._ahead.pop()
        self._ahead = [KeyPress(Keys.ControlJ, "\n") if key.key == _SENDING else key for key in self._ahead]

    def hand_over(self) -> None:
        """Give what was typed ahead to the next prompt."""
        store_typeahead(self._source, self._ahead)
        self._ahead = []
        self.last_ahead = float("-inf")

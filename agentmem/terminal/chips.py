"""Chips: a long paste stands in the input as one short mark and is sent in full."""

from __future__ import annotations

import re

_LINES, _CHARACTERS = 10, 1000  # a paste from this size on becomes a chip
_CHIP = re.compile(r"\[pasted [\d,]+ (?:lines|characters) #(\d+)\]")


class Chips:
    """The pastes of one session, numbered from 1."""

    def __init__(self) -> None:
        self._pastes: list[str] = []

    def put(self, paste: str) -> str:
        """What stands in the input for `paste`: itself when it is short, else a chip."""
        lines = paste.count("\n") + 1
        if lines < _LINES and len(paste) < _CHARACTERS:
            return paste
        self._pastes.append(paste)
        size = f"{lines:,} lines" if lines > 1 else f"{len(paste):,} characters"
        return f"[pasted {size} #{len(self._pastes)}]"

    def whole(self, text: str) -> str:
        """`text` with each chip replaced by what was pasted."""

        def paste(chip: re.Match[str]) -> str:
            number = int(chip[1])
            return self._pastes[number - 1] if 0 < number <= len(self._pastes) else chip[0]

        return _CHIP.sub(paste, text)

    def apart(self, text: str) -> list[tuple[str, bool]]:
        """The pieces of `text` with each chip in full, in order; True for what was pasted: it need not be the person's
        own words."""
        pieces: list[tuple[str, bool]] = []
        at = 0
        for chip in _CHIP.finditer(text):
            if (paste := self.whole(chip[0])) != chip[0]:
                pieces += [(text[at : chip.start()], False), (paste, True)]
                at = chip.end()
        return [piece for piece in (*pieces, (text[at:], False)) if piece[0]]

    def at_end(self, text: str) -> int:
        """The length of the chip that `text` ends with, 0 when it ends with none."""
        if not text.endswith("]"):
            return 0
        chip = _CHIP.fullmatch(text, max(text.rfind("["), 0))
        return len(chip[0]) if chip and self.whole(chip[0]) != chip[0] else 0

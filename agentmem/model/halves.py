"""Halves: text whose characters arrive in halves, since JSON may write one as two surrogates in two events."""

from __future__ import annotations

from typing import Any


def clean(text: str) -> str:
    """`text` as valid Unicode: two surrogate halves side by side become their character, a lone one U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_all(value: Any) -> Any:
    """A JSON value with `clean` applied to every string in it, keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): clean_all(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean_all(item) for item in value]
    return value


class Halves:
    """Joins the pieces of one text; a first half at a piece's end waits for its second."""

    def __init__(self) -> None:
        self._held = ""
        self._pieces: list[str] = []

    def add(self, piece: str) -> str:
        """What can be shown now, valid Unicode; empty while only half a character is there."""
        piece = self._held + piece
        self._held = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        shown = clean(piece[:-1] if self._held else piece)
        if shown:
            self._pieces.append(shown)
        return shown

    def end(self) -> str:
        """The whole text."""
        return "".join((*self._pieces, "\ufffd" if self._held else ""))

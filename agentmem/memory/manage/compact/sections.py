"""Sections: a page of lines under headings that keeps within a room, counted in bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

HEADING = 24
"""Bytes of a heading with what is around it, about."""


class Sections:
    """Lines by section. Those of the sections in `together` stand in one line, those in `bare` have no bullet."""

    def __init__(self, room: int, together: Collection[str], bare: Collection[str]) -> None:
        self.room = room
        self.lines: dict[str, list[str]] = {}
        self._together, self._bare = together, bare

    def put(self, title: str, line: str, *, force: bool = False) -> bool:
        """Add a line to a section, if there is room for it."""
        cost = self.cost(title, line) + (0 if title in self.lines else size(title) + 5)
        if line in self.lines.get(title, ()) or (cost > self.room and not force):
            return False
        self.lines.setdefault(title, []).append(line)
        self.room -= cost
        return True

    def cost(self, title: str, line: str) -> int:
        """Bytes of a line in a section that is there."""
        return size(line) + (1 if title in self._together or title in self._bare else 3)

    def text(self, order: Iterable[str] = ()) -> str:
        """The page; sections named in `order` come first, in that order."""
        names = list(dict.fromkeys((*(one for one in order if one in self.lines), *self.lines)))
        return "\n\n".join(f"## {name}\n{self._rows(name)}" for name in names)

    def _rows(self, title: str) -> str:
        if title in self._together:
            return " ".join(self.lines[title])
        return "\n".join(line if title in self._bare else f"- {line}" for line in self.lines[title])


def size(text: str) -> int:
    """Bytes of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))

"""Bullets: the beliefs that a Markdown text states, whoever wrote it: bullets at any depth, numbered or not, and prose.

No belief are: front matter, headings, code blocks, comments, rules, the line under a table's head, and the marks of a
merge. A line that goes on in the next (indented under a bullet, or wrapped) is one belief with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_ID = re.compile(r"\s\^([A-Za-z0-9-]+)\s*$")
_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_NOTHING = re.compile(r"[\s|:=*_+-]*$|(?:<{7}|>{7}|\|{7}) ")
_SETEXT = re.compile(r" {0,3}(?:=+|-{3,})[ \t]*$")
_WRAPPED = 60


class Bullet(NamedTuple):
    """A belief: its text without mark and id, its id (None: a person wrote it), its first and last line (from 1), the
    heading it stands under, and how deep it is indented."""

    text: str
    id: str | None
    at: int
    end: int
    section: str
    indent: int = 0


def parse(text: str) -> list[Bullet]:
    """Every belief in a text with ``\\n`` line ends, in its order."""
    return _Reader(text.split("\n")).read()


def unclosed(text: str) -> int | None:
    """The line (from 0) of a code block or a comment that is never closed: what stands behind it is no belief."""
    reader = _Reader(text.split("\n"))
    reader.read()
    return reader.opened if reader.inside else None


def derived(text: str) -> str:
    """The id of a belief that a person wrote: its text's own, whatever the blanks and the case."""
    import hashlib

    return "m" + hashlib.sha256(" ".join(text.split()).casefold().encode("utf-8", "replace")).hexdigest()[:12]


def identified(bullets: Iterable[Bullet]) -> Iterator[tuple[str, Bullet]]:
    """Each belief with its id. A second line under an id that is taken is a twin where it says the same, and has its
    text's own id where it does not."""
    said: dict[str, str] = {}
    for one in bullets:
        key = one.id or derived(one.text)
        if said.setdefault(key, one.text) != one.text:
            key = derived(one.text)
        yield key, one


def keyed(bullets: Iterable[Bullet]) -> dict[str, Bullet]:
    """The beliefs by id, each at its first place."""
    found: dict[str, Bullet] = {}
    for key, one in identified(bullets):
        found.setdefault(key, one)
    return found


class _Reader:
    def __init__(self, rows: list[str]) -> None:
        self._rows = rows
        self._found: list[Bullet] = []
        self._section = ""
        self._fence = ""
        self._comment = False
        self._marked = False  # the last belief is a bullet
        self._last = -1  # the row at which the last belief ends, while it may go on
        self.opened = 0  # where the last code block or comment began

    @property
    def inside(self) -> bool:
        """Whether what was read ends in a code block or a comment."""
        return bool(self._fence) or self._comment

    def read(self) -> list[Bullet]:
        rows, found = self._rows, self._found
        for at in range(_after_front_matter(rows), len(rows)):
            row = rows[at]
            # What the gate writes, as it is read most: a plain bullet with an id.
            if (
                row[:2] == "- "
                and row[2:3] != "["
                and not self._fence
                and not self._comment
                and (cut := row.rfind(" ^")) > 0
            ):
                own = row[cut + 2 :]
                if own.isalnum() and own.isascii() and "<!--" not in row:
                    found.append(Bullet(row[2:cut].strip(), own, at + 1, at + 1, self._section))
                    self._last, self._marked = at, True
                    continue
            self._take(at, row)
        return found

    def _take(self, at: int, row: str) -> None:
        if self._passes(row):
            self._last = -1
        elif mark := _FENCE.match(row):
            self._fence, self._last, self.opened = mark[1], -1, at
        elif row.lstrip().startswith("<!--"):
            self._comment, self._last, self.opened = "-->" not in row, -1, at
        elif not row.strip():
            self._last = -1
        elif heading := _HEADING.match(row):
            self._section, self._last = (heading[2] or "").strip(), -1
        elif self._last == at - 1 >= 0 and not self._marked and _SETEXT.match(row):
            self._section, self._last = self._found.pop().text, -1
        elif not _NOTHING.match(row):
            self._say(at, row)

    def _passes(self, row: str) -> bool:
        """Whether the row stands in a code block or a comment, or ends one."""
        if self._fence:
            if row.strip().startswith(self._fence) and not row.strip().strip(self._fence[0]):
                self._fence = ""
            return True
        if self._comment:
            self._comment = "-->" not in row
            return True
        return False

    def _say(self, at: int, row: str) -> None:
        indent = len(row) - len(row.lstrip())
        mark = _MARK.match(row)
        said = row[mark.end() :] if mark else row
        found = _ID.search(said)
        text, own = (said[: found.start()].strip(), found[1]) if found else (said.strip(), None)
        if not text:
            return
        if mark is None and self._goes_on(at, row):
            before = self._found[-1]
            self._found[-1] = before._replace(text=f"{before.text} {text}", id=own or before.id, end=at + 1)
        else:
            self._found.append(Bullet(text, own, at + 1, at + 1, self._section, indent))
            self._marked = mark is not None
        self._last = at

    def _goes_on(self, at: int, row: str) -> bool:
        if self._last != at - 1 or not self._found or self._found[-1].id is not None:
            return False
        if self._marked and row[0] in " \t":
            return True
        wrapped = len(self._rows[at - 1]) >= _WRAPPED and row.lstrip()[0].islower()
        return wrapped and not self._found[-1].text.endswith((".", "!", "?", ":"))


def _after_front_matter(rows: list[str]) -> int:
    if rows[0].rstrip() != "---":
        return 0
    return next((at + 1 for at in range(1, len(rows)) if rows[at].rstrip() in ("---", "...")), 0)

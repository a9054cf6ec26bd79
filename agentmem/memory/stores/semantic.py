"""MEMORY.md: what is true, ordinary Markdown, one bullet a belief; a write changes only its own lines.

    ## Decisions
    - Tests run on PostgreSQL 15, not SQLite: JSONB operators differ. ^m7f3a2c9d01b8

Work is done on bytes, so that a BOM, CRLF, odd encodings and a missing final newline stay as they are.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular
from agentmem.domain.claim import Admitted
from agentmem.memory.stores import folder

_HEADING = re.compile(rb"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(rb"^ {0,3}(`{3,}|~{3,})")
_ID = re.compile(r"\s\^([A-Za-z0-9-]+)\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+")
_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Belief:
    """One line of MEMORY.md without its bullet and id; `id` is None for a line a person wrote."""

    text: str
    id: str | None


@dataclass(frozen=True, slots=True)
class Staged:
    """A new version of MEMORY.md that waits beside it, made from the bytes `before` (None: there was no file)."""

    path: Path
    waiting: Path
    before: bytes | None

    def commit(self) -> bool:
        """Put it in place. False, and nothing changed, when the file was edited meanwhile. Raises `OSError`."""
        if _bytes(self.path) != self.before:
            return False
        os.replace(self.waiting, self.path)
        folder.sync_folder(self.path.parent)
        return True

    def discard(self) -> None:
        """Take it back. Raises `OSError`."""
        self.waiting.unlink(missing_ok=True)


def read(path: Path) -> str:
    """The text of MEMORY.md: BOM gone, line ends ``\n``, undecodable bytes U+FFFD; empty where there is no file.

    Of a file over 16 MB only the beginning is read. Raises `OSError`.
    """
    if not path.is_file():
        return ""
    with os.fdopen(regular.opened(path), "rb") as file:
        data = file.read(_LARGEST)
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def belief(line: str) -> Belief:
    """The belief that a line of MEMORY.md states."""
    text = _BULLET.sub("", line)
    found = _ID.search(text)
    return Belief(text[: found.start()].strip(), found.group(1)) if found else Belief(text.strip(), None)


def beliefs(path: Path) -> tuple[Belief, ...]:
    """Every line that says something, headings aside. Raises `OSError`."""
    rows = (line for line in read(path).split("\n") if line.strip() and not line.startswith("#"))
    return tuple(belief(row) for row in rows)


def stage(path: Path, admitted: Admitted) -> Staged:
    """Write MEMORY.md with one bullet more to a file beside it; the caller holds the memory lock. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = _bytes(path)
    waiting = path.with_name(f".{path.name}.new")
    folder.write_new(waiting, with_bullet(before or b"", admitted), 0o644, durable=True)
    if before is not None:
        os.chmod(waiting, path.stat().st_mode & 0o7777)
    return Staged(path, waiting, before)


def with_bullet(old: bytes, admitted: Admitted) -> bytes:
    """`old` with the bullet as the last one under its heading, which is made at the end where it is missing."""
    end = b"\r\n" if old.count(b"\r\n") * 2 > old.count(b"\n") else b"\n"
    bullet = f"- {admitted.text} ^{admitted.id}".encode()
    rows = old.split(b"\n")
    at = _place(rows, admitted.section)
    if at is None:
        said = old.strip(b"\xef\xbb\xbf \t\r\n")
        gap = b"" if not said or old.endswith(end + end) else end if old.endswith(b"\n") else end + end
        return old + gap + f"## {admitted.section}".encode() + end + bullet + end
    if at == len(rows):  # the section ends the file, which lacks its last newline
        return old + end + bullet + end
    return b"\n".join([*rows[:at], bullet + end[:-1], *rows[at:]])


def _place(rows: list[bytes], section: str) -> int | None:
    """The row before which a bullet belongs, None when no heading of that name stands outside code."""
    level, place, fence = 0, None, b""
    for number, row in enumerate(rows):
        mark = _FENCE.match(row)
        if fence:
            if mark and mark[1].startswith(fence) and not row.strip().strip(fence[:1]):
                fence = b""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.match(row.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r")):
            if place is not None and len(heading[1]) <= level:
                break
            if place is None and heading[2].decode(errors="replace").strip().casefold() == section.casefold():
                level, place = len(heading[1]), number + 1
                continue
        if place is not None and row.strip():
            place = number + 1
    return place


def _bytes(path: Path) -> bytes | None:
    try:
        return regular.read(path, _LARGEST)
    except FileNotFoundError:
        return None

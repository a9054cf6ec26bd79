"""MEMORY.md: what is true, ordinary Markdown, one bullet a belief; a write changes only its own lines.

    ## Decisions
    - Tests run on PostgreSQL 15, not SQLite: JSONB operators differ. ^m7f3a2c9d01b8

Work is done on bytes, so that a BOM, CRLF, odd encodings and a missing final newline stay as they are.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular
from agentmem.domain.claim import Admitted
from agentmem.memory.stores import folder
from agentmem.memory.stores.bullets import Bullet, identified, keyed, parse, unclosed

LARGEST = 16 * 1024 * 1024
_LEADING = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_HEADING = re.compile(rb"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(rb"^ {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Staged:
    """A new version of MEMORY.md that waits beside it, made from the bytes `before` (None: there was no file)."""

    path: Path
    waiting: Path
    before: bytes | None
    after: bytes

    def commit(self) -> bool:
        """Put it in place. False, and nothing changed, when the file was edited meanwhile. Raises `OSError`."""
        if bytes_of(self.path) != self.before:
            self.discard()
            return False
        os.replace(self.waiting, self.path)
        folder.sync_folder(self.path.parent)
        return True

    def diff(self) -> str:
        """The lines that went and came, as a diff says it, without the rest."""
        old, new = (data.decode("utf-8", "replace").splitlines() for data in (self.before or b"", self.after))
        most = min(len(old), len(new))
        first = next((at for at in range(most) if old[at] != new[at]), most)
        most -= first
        last = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
        gone, come = old[first : len(old) - last], new[first : len(new) - last]
        return "\n".join([*(f"-{row}" for row in gone), *(f"+{row}" for row in come)])

    def discard(self) -> None:
        """Take it back. Raises `OSError`."""
        self.waiting.unlink(missing_ok=True)


def read(path: Path) -> str:
    """The text of MEMORY.md: BOM gone, line ends ``\n``, undecodable bytes U+FFFD; empty where there is no file.

    Of a file over 16 MB only the beginning is read. Raises `OSError`.
    """
    return text_of(beginning(path))


def beginning(path: Path) -> bytes:
    """The bytes that `read` reads. Raises `OSError`."""
    if not path.is_file():
        return b""
    with os.fdopen(regular.opened(path), "rb") as file:
        return file.read(min(LARGEST, os.fstat(file.fileno()).st_size + 1))


def text_of(data: bytes) -> str:
    """The text of these bytes, as `read` gives it."""
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def bytes_of(path: Path) -> bytes | None:
    """All of the file, None where there is none. Raises `OSError`."""
    try:
        return regular.read(path, LARGEST)
    except FileNotFoundError:
        return None


def text_bytes(path: Path) -> bytes | None:
    """All of a file that may be written into, None where there is none. Raises `OSError`, also for one that is no text
    in UTF-8 or the like: lines added to it would ruin it."""
    data = bytes_of(path)
    if data is not None and b"\0" in data:
        raise OSError(errno.EINVAL, "it is no text (UTF-16?): save it as UTF-8", str(path))
    return data


def real(path: Path) -> Path:
    """Where the file lies, links followed; one that leads in a circle is left as it is, and cannot be read."""
    return Path(os.path.realpath(path))


def beliefs(path: Path) -> list[Bullet]:
    """Every belief the file states, in its order. Raises `OSError`."""
    return parse(read(path))


def waiting_at(path: Path) -> Path:
    """Where a new version of the file waits before it takes its place."""
    return path.with_name(f".{path.name}.new")


def stage(path: Path, admitted: Sequence[Admitted]) -> Staged:
    """Write the changed MEMORY.md to a file beside it; the caller holds the memory lock. Raises `OSError`."""
    before = text_bytes(path)
    return _staged(path, before, changed(before or b"", admitted))


def stage_whole(path: Path, after: bytes) -> Staged:
    """The same for a file that is to hold just these bytes: an earlier version comes back. Raises `OSError`."""
    return _staged(path, bytes_of(path), after)


def _staged(path: Path, before: bytes | None, after: bytes) -> Staged:
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = waiting_at(path)
    folder.write_new(waiting, after, 0o644, durable=True)
    if before is not None:
        os.chmod(waiting, path.stat().st_mode & 0o7777)
    return Staged(path, waiting, before, after)


def changed(data: bytes, admitted: Iterable[Admitted]) -> bytes:
    """The bytes with these changes made, each in turn. Making a change twice is making it once."""
    for one in admitted:
        if one.op == "ADD":
            data = data if one.fact in keyed(parse(text_of(data))) else with_bullet(data, one)
        elif one.op == "UPDATE":
            data = _with_replaced(data, one)
        else:
            data = _without(data, one.replaces or one.fact, one.text)
    return data


def with_bullet(old: bytes, admitted: Admitted) -> bytes:
    """`old` with the bullet as the last one under its heading, which is made at the end where it is missing."""
    if (at := unclosed(text_of(old))) is not None:  # behind it nobody would read the bullet
        lines = old.splitlines(keepends=True)
        return with_bullet(b"".join(lines[:at]), admitted) + b"".join(lines[at:])
    end = b"\r\n" if old.count(b"\r\n") * 2 > old.count(b"\n") else b"\n"
    bullet = f"- {admitted.text} ^{admitted.fact}".encode()
    rows = old.split(b"\n")
    at = _place(rows, admitted.section)
    if at is None:
        said = old.strip(b"\xef\xbb\xbf \t\r\n")
        gap = b"" if not said or old.endswith(end + end) else end if old.endswith(b"\n") else end + end
        return old + gap + f"## {admitted.section}".encode() + end + bullet + end
    if at == len(rows):  # the section ends the file, which lacks its last newline
        return old + end + bullet + end
    return b"\n".join([*rows[:at], bullet + end[:-1], *rows[at:]])


def _with_replaced(data: bytes, admitted: Admitted) -> bytes:
    """The old fact's line with the new text and id, its mark and its indent kept; its twins go."""
    if admitted.fact in keyed(parse(text_of(data))):
        return data
    places = _places(data, admitted.replaces or "")
    if not places:
        return with_bullet(data, admitted)
    rows = data.splitlines(keepends=True)
    for bullet in reversed(places[1:]):
        del rows[bullet.at - 1 : bullet.end]
    first = places[0]
    lead = _LEADING.match(rows[first.at - 1])
    old = rows[first.end - 1]
    end = old[len(old.rstrip(b"\r\n")) :]
    new = (lead[0] if lead else b"- ") + f"{admitted.text} ^{admitted.fact}".encode() + end
    rows[first.at - 1 : first.end] = [new]
    return b"".join(rows)


def _without(data: bytes, fact: str, text: str) -> bytes:
    """Without the fact's lines; with a `text` only those that still say it."""
    rows = data.splitlines(keepends=True)
    for bullet in reversed(_places(data, fact)):
        if text in ("", bullet.text):
            del rows[bullet.at - 1 : bullet.end]
    return b"".join(rows)


def _places(data: bytes, fact: str) -> list[Bullet]:
    """Every line that states the fact: by its id, or, where it has none, by the id its text gives."""
    return [one for key, one in identified(parse(text_of(data))) if key == fact]


def _place(rows: list[bytes], section: str) -> int | None:
    """The row before which a bullet belongs, None when no heading of that name stands outside code."""
    level, place, fence, comment = 0, None, b"", False
    for number, row in enumerate(rows):
        mark = _FENCE.match(row)
        if comment or (not fence and row.lstrip().startswith(b"<!--")):
            comment = b"-->" not in row
        elif fence:
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

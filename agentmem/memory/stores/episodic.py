"""Episodes, `memory/2026-11-30.md`: what happened on a day, one block an episode; code only ever adds to it.

    ## 09:14 Switch the test database  ^e51b20d77f2a0
    session 2026-11-30T09-02-11-4f2a91, entries c3…..k9… · importance 6 · outcome: tests pass
    Wanted: run the test suite against PostgreSQL 15.
    Did: edited tests/conftest.py, compose.yaml; ran `make test` (exit 0).

Whatever people write in these files stays as it is, byte for byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem import regular
from agentmem.domain.claim import Admitted
from agentmem.memory.stores import folder
from agentmem.memory.stores.admissions import Held

_HEADING = re.compile(r"##\s+(?:(\d\d:\d\d)\s+)?(.*?)\s*(?:\s\^([A-Za-z0-9-]+))?\s*")
_SESSION = re.compile(r"session\s+([^\s,]+)")
_SOURCE = re.compile(r"^session (\S+), entries ([0-9a-f]+)", re.MULTILINE)
_LARGEST = 16 << 20

Teller = Literal["harness", "tool"]
"""Who put a section into a day file, where a seal says so."""


@dataclass(frozen=True, slots=True)
class Block:
    """One `##` section of a day file: `id` where its heading bears one, `session` where its first line names one."""

    id: str | None
    title: str
    lines: tuple[str, ...]
    session: str | None


def append(path: Path, admitted: Admitted, ours: Callable[[str], bool]) -> bool:
    """Add an episode as the last block of its day (`admitted.text` is the whole block); the caller holds the memory
    lock. False, and nothing is written, where a section of its id stands there already and is `ours`: what anybody else
    put there under its id, or in its words, keeps no episode out. Raises `OSError`."""
    folder_made = path.parent
    folder_made.mkdir(parents=True, exist_ok=True)
    handle = regular.opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = _all(handle)
        if any(ours(section) for section in _of(admitted.fact, before)):
            return False
        end = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
        said = before.strip(b"\xef\xbb\xbf \t\r\n")
        gap = b"" if not said or before.endswith(end * 2) else end if before.endswith(b"\n") else end * 2
        data = end.join(row.encode() for row in admitted.text.rstrip("\n").split("\n")) + end
        folder.write_all(handle, gap + data)
        os.fsync(handle)
    finally:
        os.close(handle)
    return True


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of a day file, what people wrote among them; none where there is no file. Raises `OSError`."""
    if not path.is_file():
        return
    text = regular.read(path, _LARGEST).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    rows: list[str] = []
    for row in [*text.split("\n"), "## "]:
        if row.startswith("## ") and rows:
            if rows[0].startswith("## "):
                yield _block(rows)
            rows = []
        rows.append(row)


def sections(text: str) -> list[str]:
    """The `##` sections of a day file as they stand, without what stands before the first."""
    found = re.split(r"(?m)^(?=## )", text.removeprefix("\ufeff").replace("\r\n", "\n"))
    return [one for one in found if one.startswith("## ")]


def read(path: Path) -> str:
    """A day file's text, empty where there is none. Raises `OSError`."""
    try:
        return regular.read(path, _LARGEST).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def told(section: str, by: Teller) -> Held:
    """What a seal says of a section: who told it, in these words."""
    return Held("", plain(section), by)


def source(section: str) -> tuple[str, str] | None:
    """The session that an episode tells of, and the first of its entries; None where it names none."""
    found = _SOURCE.search(section)
    return None if found is None else (found[1], found[2])


def plain(section: str) -> str:
    """A section's words without what an editor or a merge may change: empty lines, and blanks at the ends of lines."""
    rows = (row.rstrip() for row in section.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    return "\n".join(row for row in rows if row)


def _block(rows: list[str]) -> Block:
    found = _HEADING.fullmatch(rows[0])
    named = _SESSION.match(next((row for row in rows[1:] if row.strip()), ""))
    body = tuple(row for row in rows[1:] if row.strip())
    return Block(found[3] if found else None, found[2] if found else rows[0][3:], body, named[1] if named else None)


def _of(own: str, data: bytes) -> Iterator[str]:
    """The sections that bear an id."""
    for section in sections(data.decode("utf-8", "replace")):
        found = _HEADING.fullmatch(section.split("\n", 1)[0])
        if found is not None and found[3] == own:
            yield section


def _all(handle: int) -> bytes:
    size = os.fstat(handle).st_size
    if size > _LARGEST:
        raise regular.TooLarge(27, f"it is larger than {_LARGEST >> 20} MB")
    return os.pread(handle, size, 0)

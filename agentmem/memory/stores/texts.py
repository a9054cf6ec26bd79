"""Texts: one file a person wrote (AGENT.md, AGENTS.md, CLAUDE.md, what they import), read as it is, within a size."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass

from agentmem import regular


@dataclass(frozen=True, slots=True)
class TextFile:
    """`text` without BOM and with ``\n`` line ends, cut at a line end when the file is over the limit; `size` in bytes
    on disk; `notes` say what was cut or could not be decoded."""

    text: str
    size: int
    notes: tuple[str, ...] = ()


def read(path: str, limit: int) -> TextFile | None:
    """Read at most `limit` bytes; None where no regular file is. A file that cannot be shown is empty with a note."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    try:
        with os.fdopen(regular.opened(path), "rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        return TextFile("", status.st_size, (f"could not be read: {error.strerror}",))
    if b"\0" in data:
        return TextFile("", status.st_size, ("is no UTF-8 text and was not loaded",))
    notes: list[str] = []
    cut = len(data) > limit
    if cut:
        data = data[: data.rfind(b"\n", 0, limit) + 1 or limit]
        notes.append(f"is {status.st_size} bytes long; only the first {len(data)} were loaded")
    try:
        # A character that the cut left half is no damage: it waits for bytes that are not asked for.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=not cut)
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
        notes.append("holds bytes that are no UTF-8; they are shown as \ufffd")
    return TextFile(text.replace("\r\n", "\n").replace("\r", "\n"), status.st_size, tuple(notes))

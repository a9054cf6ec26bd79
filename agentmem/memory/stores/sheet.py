"""Sheet: a file of JSON lines that another tool wrote. It is only read, line by line, however big and damaged it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentmem.memory.stores import lines

_CHUNK = 1 << 20

Row = tuple[int, list[dict[str, Any]], str | None]


class NoSheet(Exception):
    """There is nothing to read lines from; `str(error)` says why."""


def fingerprint(path: Path) -> tuple[str, int]:
    """The SHA-256 (hex) of a file and its size in bytes. Raises `NoSheet`."""
    from hashlib import sha256

    digest, size = sha256(), 0
    try:
        # A pipe would wait for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise NoSheet("it is no file")
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise NoSheet(os.strerror(error.errno) if error.errno else str(error)) from error
    return digest.hexdigest(), size


def rows(path: Path, size: int) -> Iterator[Row]:
    """Each line of the first `size` bytes: its number from 1, the whole objects on it, and what is wrong with it.

    What another process appends meanwhile is not read. Raises `NoSheet`.
    """
    left = size
    try:
        with path.open("rb") as file:
            number = 0
            while left > 0 and (raw := file.readline(left)):
                left -= len(raw)
                number += 1
                yield number, *lines.parse(raw)
    except OSError as error:
        raise NoSheet(os.strerror(error.errno) if error.errno else str(error)) from error

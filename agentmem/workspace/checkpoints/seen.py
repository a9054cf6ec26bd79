r"""Seen: files of which a snapshot keeps no bytes, only how they looked; one NUL-ended line each.

100644 73400320 1764493331000000000 out/big.csv\0      mode, bytes, time of change in ns, path
- 0 0 gone.txt\0                                        not there
40755 0 0 empty/\0                                      a directory that holds no file
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = re.compile(rb"([0-7]{1,7}) (\d+) (\d+) (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Look:
    """How a file looked: `mode` with its kind, `size` in bytes, `mtime` in ns since 1970."""

    mode: int
    size: int
    mtime: int


Seen = Mapping[bytes, Look | None]


def look_at(path: bytes) -> Look | None:
    """How the file or link looks now, None when there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return None if stat.S_ISDIR(found.st_mode) else Look(found.st_mode, found.st_size, found.st_mtime_ns)


def look_at_folder(path: bytes) -> Look | None:
    """How a directory looks now: its mode alone; None when there is none."""
    try:
        mode = os.lstat(path.rstrip(b"/")).st_mode
    except OSError:
        return None
    return Look(mode, 0, 0) if stat.S_ISDIR(mode) else None


def dump(seen: Seen) -> bytes:
    """The lines, in the order of the paths."""
    return b"".join(_line(path, seen[path]) for path in sorted(seen))


def _line(path: bytes, one: Look | None) -> bytes:
    return b"- 0 0 %s\0" % path if one is None else b"%o %d %d %s\0" % (one.mode, one.size, max(one.mtime, 0), path)


def load(data: bytes) -> dict[bytes, Look | None]:
    """What `dump` wrote; a line that is none is passed over."""
    found: dict[bytes, Look | None] = {}
    for line in data.split(b"\0"):
        if line.startswith(b"- 0 0 "):
            found[line[6:]] = None
        elif match := _LINE.fullmatch(line):
            found[match[4]] = Look(int(match[1], 8), int(match[2]), int(match[3]))
    return found

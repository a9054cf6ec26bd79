"""Regular: files that anybody may have put there, read without waiting on a pipe and without end on a device.

A repository that came from elsewhere may hold a named pipe, or a link to a device, under any name that is read here.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple


class NotRegular(OSError):
    """No regular file but a pipe, a device or a socket; `strerror` says which."""


class TooLarge(OSError):
    """A file over the size that its kind may have; `strerror` says the size."""


def opened(path: str | Path, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """A descriptor of a regular file; with `O_CREAT` in `flags` it is made with `mode` if missing.

    Raises `NotRegular`, `IsADirectoryError` and `OSError` otherwise.
    """
    try:
        check(os.stat(path).st_mode, path)  # looked at first: merely opening some devices has effects
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    try:
        check(os.fstat(handle).st_mode, path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read(path: str | Path, most: int) -> bytes:
    """All bytes of a regular file of at most `most` bytes. Raises `NotRegular`, `TooLarge` and `OSError`."""
    with os.fdopen(opened(path), "rb") as file:
        room = min(os.fstat(file.fileno()).st_size, most)  # room for `most` at once would cost more than the reading
        data = file.read(room + 1) or b""  # None: a file of the kernel that has nothing to give now
        if len(data) > room:
            data += file.read(most - room) or b""
    if len(data) > most:
        size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most >> 10} KB"
        raise TooLarge(errno.EFBIG, f"it is larger than {size}", str(path))
    return data


def check(mode: int, path: str | Path) -> None:
    """Raises `NotRegular` or `IsADirectoryError` for the mode (as `stat` gives it) of what is no regular file."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISLNK, "a link"))
    kind = next((name for test, name in kinds if test(mode)), "a device")
    raise NotRegular(errno.EINVAL, f"it is {kind}, no file", str(path))


class Sign(NamedTuple):
    """What tells that a file was not touched since: times in nanoseconds, size in bytes."""

    changed: int
    written: int
    size: int
    inode: int


def sign(path: str | Path) -> Sign | None:
    """A file's, None where none can be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Sign(found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino)


def digest(path: str | Path, most: int) -> str | None:
    """The SHA-256 of what a file holds, None where it cannot be read or is longer than `most` bytes."""
    import hashlib  # loads OpenSSL, which a start does without

    try:
        return hashlib.sha256(read(path, most)).hexdigest()
    except OSError:
        return None

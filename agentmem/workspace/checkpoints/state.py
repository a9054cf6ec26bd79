"""The state of a path on disk: what lies there, and its bytes."""

from __future__ import annotations

import errno
import os
import stat

from agentmem.domain.checkpoint import ABSENT, State
from agentmem.objects import name_of

MOST = 64_000_000
"""Bytes of a file that are kept; tools change no larger one."""


def look(path: bytes) -> tuple[State, bytes]:
    """What lies at an absolute path (links not followed), and the bytes its state names. Never raises for what is
    there: a file that cannot be read is ``other`` and says why."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            data = os.readlink(path)
            return State("link", name_of("blob", data)), data
        if not stat.S_ISREG(found.st_mode):
            return State("other", what=_kind(found.st_mode)), b""
        if found.st_size > MOST:
            return State("other", what=f"larger than {MOST // 1_000_000} MB"), b""
        data, mode = _bytes(path)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ABSENT, b""
        return State("other", what=f"not readable: {error.strerror}"), b""
    return State("file", name_of("blob", data), mode), data


def _bytes(path: bytes) -> tuple[bytes, int]:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read() or b"", stat.S_IMODE(os.fstat(handle).st_mode)


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for test, name in kinds if test(mode)), "a device")

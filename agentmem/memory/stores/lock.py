"""The memory lock: one process at a time reads, decides and writes durable memory."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentmem import regular
from agentmem.memory.stores import folder


class MemoryBusy(Exception):
    """Another process held the memory lock for all of the time we waited."""


class _Mine(threading.local):
    """The locks this thread holds."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()


_MINE = _Mine()


@contextmanager
def held(path: Path, seconds: float = 10.0) -> Iterator[None]:
    """Hold the lock file `path` (made if missing; freed by the kernel when we die). Who holds it in this thread may
    take it again. Raises `MemoryBusy`, `OSError`."""
    if path in _MINE.paths:
        yield
        return
    folder.make_private(path.parent)
    handle = regular.opened(path, os.O_RDWR | os.O_CREAT)
    try:
        _take(handle, path, time.monotonic() + seconds)
        _MINE.paths.add(path)
        yield
    finally:
        _MINE.paths.discard(path)
        os.close(handle)


def _take(handle: int, path: Path, until: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return  # no locks on this file system: memory is never in the way
        if time.monotonic() >= until:
            raise MemoryBusy(f"another process holds {path}")
        time.sleep(0.002)

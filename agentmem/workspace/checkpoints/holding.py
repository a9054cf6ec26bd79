"""Holding: who uses the store of checkpoints now, so that nothing goes from under a session that looks at it.

Sessions hold `checkpoints.git/lock` together, whoever removes holds it alone and for moments only.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "lock"
_PATIENCE = 1.0  # seconds that a session waits for one that removes


class InUse(Exception):
    """Nothing was removed; the message says who is in the way."""


def hold(store: Path) -> int | None:
    """Use the store from now on; gives what `let_go` takes, None where the disk knows no locks. Raises `OSError`."""
    handle = _opened(store)
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return handle
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES) or time.monotonic() > until:
                os.close(handle)
                return None
        time.sleep(0.01)


def let_go(held: int | None) -> None:
    """End the use of the store."""
    if held is not None:
        os.close(held)


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Be the only one who uses the store. Raises `InUse`, `OSError`."""
    handle = _opened(store)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InUse("a session that runs uses them; try again when it has ended") from error
        yield
    finally:
        os.close(handle)


def _opened(store: Path) -> int:
    return os.open(store / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)

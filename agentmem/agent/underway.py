"""Underway: that a command of an agent runs, told to other processes, and after a kill to whoever comes next.

A mark is a file `underway-PID-…`, locked by the process whose command runs: in the project's `.agent/` and at the
person's level. One that nobody locks was left by a process that was killed, or that ended before what its command had
left behind: what that wrote was looked at by nobody.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_NAME = "underway-"


@dataclass(slots=True)
class Underway:
    """The marks of one process's commands in `folders`; one that is not there is made."""

    folders: tuple[Path, ...]
    _held: dict[Path, int] = field(default_factory=dict)

    def hold(self) -> None:
        """A command runs from here on. Where files cannot be locked there are no marks: a process's parents still
        tell whose it is."""
        if self._held:
            return
        for folder in self.folders:
            with suppress(OSError):
                self._mark(folder)

    def release(self, looked: bool = True) -> None:
        """No command runs any more. What was not `looked` at stays marked, for whoever comes next."""
        while self._held:
            path, handle = self._held.popitem()
            if looked:
                path.unlink(missing_ok=True)
            os.close(handle)

    def _mark(self, folder: Path) -> None:
        own = f"{os.getpid()}-{os.urandom(4).hex()}"
        staged, path = folder / f".{_NAME}{own}", folder / f"{_NAME}{own}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(staged, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            staged.rename(path)  # under its name it is locked from its first moment
        except OSError:
            os.close(handle)
            staged.unlink(missing_ok=True)
            raise
        self._held[path] = handle


def runs(folder: Path) -> bool:
    """Whether a command of an agent runs now: in the project of this `.agent/`, or at the person's level in any."""
    return any(_locked(path) for path in _marks(folder))


def left(folder: Path) -> list[Path]:
    """The marks of processes that went while a command, or what one left, ran; the caller removes them once that was
    looked at."""
    return [path for path in _marks(folder) if not _locked(path)]


def owner(path: Path) -> int:
    """The id of the process that made a mark, 0 where its name does not tell."""
    own = path.name.removeprefix(_NAME).split("-")[0]
    return int(own) if own.isdecimal() else 0


def _marks(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from [folder / name for name in os.listdir(folder) if name.startswith(_NAME)]


def _locked(path: Path) -> bool:
    """Whether somebody locks it; so does one that went meanwhile: its owner took it away."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a file system without locks
    finally:
        os.close(handle)
    return False

"""Putting back: one path is made to hold what it once held, whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from agentmem.domain.checkpoint import State
from agentmem.workspace.checkpoints.hindrance import hindrance
from agentmem.workspace.checkpoints.state import look
from agentmem.workspace.file import Changed, NotRegular, store


class CannotPutBack(Exception):
    """The path stays as it is; the message says why."""


def put_back(path: bytes, now: State, wanted: State, data: bytes, made: int = 0) -> None:
    """Make the absolute `path`, which must be in the state `now`, hold `wanted`, whose bytes are `data`.

    A kill at any moment leaves the old file or the new one. Where the file goes, so do up to `made` directories above
    it that are empty then. Raises `CannotPutBack`.
    """
    try:
        _check(path, now, wanted)
        _put(path, now, wanted, data, made)
    except Changed as error:
        raise CannotPutBack("it was changed just now") from error
    except NotRegular as error:
        raise CannotPutBack(f"it is {error}") from error
    except OSError as error:
        raise CannotPutBack(error.strerror or str(error)) from error


def _check(path: bytes, now: State, wanted: State) -> None:
    why = hindrance(path, now, wanted)
    if why:
        raise CannotPutBack(why)
    if look(path)[0] != now:
        raise CannotPutBack("it was changed just now")


def _put(path: bytes, now: State, wanted: State, data: bytes, made: int) -> None:
    if wanted.kind == "absent":
        os.unlink(path)
        _prune(path, made)
    elif wanted.kind == "link":
        _place(path, wanted, data, now)
    elif now.kind == "file":
        _store(path, now, wanted, data)
    else:
        _place(path, wanted, data, now)


def _store(path: bytes, now: State, wanted: State, data: bytes) -> None:
    """File over file: owner and extended attributes stay."""
    if now.blob != wanted.blob:
        if not now.mode & 0o200:
            os.chmod(path, now.mode | 0o200)
        store(Path(os.fsdecode(path)), data, look(path)[1])
    if stat.S_IMODE(os.lstat(path).st_mode) != wanted.mode:
        os.chmod(path, wanted.mode)


def _place(path: bytes, wanted: State, data: bytes, now: State) -> None:
    """A file or a link where there is none, or one of the other kind: made beside, then renamed."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    beside = os.path.join(folder, b".agentmem-%s.tmp" % os.urandom(6).hex().encode())
    try:
        if wanted.kind == "link":
            os.symlink(data, beside)
        else:
            _write(beside, data, wanted.mode)
        if look(path)[0] != now:
            raise Changed
        os.rename(beside, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _write(path: bytes, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(handle, mode)
        os.fsync(handle)


def _prune(path: bytes, made: int) -> None:
    for _ in range(made):
        path = os.path.dirname(path)
        try:
            os.rmdir(path)
        except OSError:
            return  # something else lies in it

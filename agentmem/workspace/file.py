"""A file: its bytes read without hanging, and replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

# A rename that the place does not allow (a file mounted on its own, a folder nobody may add to) is done in place.
_NO_RENAME = frozenset({errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.ENOTSUP})


class NotRegular(Exception):
    """No regular file: a directory, a pipe, a device, a socket. The message is the kind, with its article."""


class Changed(Exception):
    """The file is not what it was when the new bytes were made from it."""


def digest(data: bytes) -> str:
    """SHA-256 of the bytes, 64 hex digits."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def open_regular(path: Path) -> int:
    """A descriptor for reading a regular file. Raises `NotRegular`, `OSError`; a pipe does not block."""
    kind = _kind(os.stat(path).st_mode)
    if kind is not None:  # looked at first: merely opening some devices has effects
        raise NotRegular(kind)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = _kind(os.fstat(descriptor).st_mode)
    if kind is not None:
        os.close(descriptor)
        raise NotRegular(kind)
    return descriptor


def load(path: Path) -> bytes:
    """All bytes of a regular file. Raises `NotRegular` and `OSError`."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read() or b""  # None: a file of the kernel that has nothing to give now


def store(path: Path, data: bytes, before: bytes | None) -> None:
    """Make `path` (links resolved) hold `data`. `before` is what it must hold until then, None that it must not exist.

    The bytes are written whole under a temporary name, which is then renamed: a kill or a full disk leaves the old;
    mode, owner and extended attributes are kept. Other hard links of a file keep the old bytes: they may lie anywhere.
    A new file gets the mode the umask gives, missing parents are made. Raises `Changed`, `NotRegular`, and `OSError`
    (`PermissionError` for a file without write permission, even for root).
    """
    if before is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _swap(path, data, None, None)
        return
    old = os.stat(path)
    if (kind := _kind(old.st_mode)) is not None:
        raise NotRegular(kind)
    if not old.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    try:
        _swap(path, data, before, old)
    except OSError as error:
        if error.errno not in _NO_RENAME:
            raise
        _check(path, before)
        _overwrite(path, data, before)


def _kind(mode: int) -> str | None:
    """What a file is when it is not regular, None when it is."""
    if stat.S_ISREG(mode):
        return None
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for test, name in kinds if test(mode)), "a device")


def _check(path: Path, before: bytes | None) -> None:
    try:
        now = load(path)
    except FileNotFoundError:
        if before is None:
            return
        raise Changed from None
    if before is None or now != before:
        raise Changed


def _swap(path: Path, data: bytes, before: bytes | None, old: os.stat_result | None) -> None:
    """Write beside, flush to the disk, check once more that nobody else wrote, rename."""
    beside = path.parent / f".agentmem-{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(beside, flags, 0o666 if old is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _dress(path, file.fileno(), old)
            os.fsync(file.fileno())
        _check(path, before)
        os.rename(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _dress(path: Path, descriptor: int, old: os.stat_result) -> None:
    """Give the new file what the old one has. Raises `OSError` where that is not allowed."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    if hasattr(os, "listxattr"):
        try:
            names = os.listxattr(path)
        except OSError:
            names = []  # a disk without extended attributes
        for name in names:
            os.setxattr(descriptor, name, os.getxattr(path, name))
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _overwrite(path: Path, data: bytes, before: bytes) -> None:
    """Write in place; when that fails half way, put the old bytes back."""
    with open(path, "r+b", buffering=0) as file:
        try:
            _fill(file.fileno(), data)
        except OSError:
            _fill(file.fileno(), before)
            raise


def _fill(descriptor: int, data: bytes) -> None:
    view, at = memoryview(data), 0
    while at < len(view):
        at += os.pwrite(descriptor, view[at:], at)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)

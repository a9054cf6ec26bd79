"""Records: a file of the person's own level, one JSON object a line, that several processes may change at once."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from agentmem import regular

_MOST = 1 << 22  # bytes

Record = Mapping[str, Any]


def records(path: Path) -> list[Record]:
    """The objects of a file. One that others may write, that is no file or cannot be read says nothing; lines that are
    no objects are passed over."""
    try:
        if os.stat(path).st_mode & 0o022:
            return []
        data = regular.read(path, _MOST)
    except OSError:
        return []
    found: list[Record] = []
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def change(path: Path, with_: Callable[[list[Record]], list[Record]]) -> None:
    """Read, change and write the file, with mode 0600, while no one else does. Raises `OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path):
        rows = [json.dumps(dict(one)) for one in with_(records(path))]
        _put(path, "".join(f"{row}\n" for row in rows).encode())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """A lock beside the file: one on the file itself would go with it."""
    handle = regular.opened(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _put(path: Path, data: bytes) -> None:
    """The whole file at once and for good."""
    staged = path.with_name(f".{path.name}.{os.getpid()}.new")
    staged.unlink(missing_ok=True)
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(staged, path)
    except OSError:
        staged.unlink(missing_ok=True)
        raise

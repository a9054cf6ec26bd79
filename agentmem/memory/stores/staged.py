"""Staged: a log in the making beside its place, seen by nobody before it is whole; and a spool for what waits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentmem.memory.stores import folder, lines

Spot = tuple[int, int]


class Spool:
    """Objects put aside on disk, in a file without a name that goes when it is closed."""

    def __init__(self, sessions: Path) -> None:
        path = sessions / f".spool.{os.getpid()}.new"
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        path.unlink()
        self._file = os.fdopen(handle, "w+b")
        self._end = 0

    def add(self, value: Mapping[str, Any]) -> Spot:
        """Put one aside, made sound; gives where it lies. Raises `OSError`."""
        data = lines.dump(lines.sound(value))
        self._file.seek(self._end)
        self._file.write(data)
        spot = (self._end, len(data))
        self._end += len(data)
        return spot

    def get(self, spot: Spot) -> dict[str, Any]:
        """The object that lies there. Raises `OSError`."""
        self._file.seek(spot[0])
        (value,), _ = lines.parse(self._file.read(spot[1]))
        return value

    def close(self) -> None:
        """Let it go."""
        self._file.close()


class Staged:
    """A new log: `put` its lines, then `publish` it whole, or `drop` it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._staged = path.with_name(f".{path.name}.{os.getpid()}.new")
        _sweep(path)
        self._staged.unlink(missing_ok=True)
        self._file = os.fdopen(
            os.open(self._staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb", 1 << 18
        )
        self._end = 0

    def put(self, record: Mapping[str, Any]) -> int:
        """Write one line; gives the byte it begins at. Raises `OSError`."""
        at = self._end
        self._end += self._file.write(lines.dump(record))
        return at

    def publish(self, changed: float | None) -> bool:
        """Make it durable and put it in its place; False where a file was there already. `changed` is the time, in
        seconds since 1970, that lists sort it by. Raises `OSError`."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if changed is not None:
            with suppress(OSError, OverflowError, ValueError):
                os.utime(self._staged, (changed, changed))
        try:
            os.link(self._staged, self._path)  # unlike a rename it never takes another file's place
        except FileExistsError:
            return False
        finally:
            self.drop()
        folder.sync_folder(self._path.parent)
        return True

    def drop(self) -> None:
        """Leave nothing behind. Calling it again does nothing."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._staged.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Remove what a process that was killed had staged for this place."""
    for left in path.parent.glob(f".{path.name}.*.new"):
        pid = left.name.split(".")[-2]
        try:
            os.kill(int(pid), 0)
        except (ProcessLookupError, ValueError, OverflowError):
            left.unlink(missing_ok=True)
        except PermissionError:
            continue

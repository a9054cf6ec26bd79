"""Derived: an SQLite file made from other files: of another version it is made anew, and a change is whole or nothing.

What a power cut takes from it is made again, so nothing waits for the disk. Without a file it is one for this process.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

CACHE = 16_000  # KB of pages
PAGE = 16_384  # bytes


@dataclass(frozen=True, slots=True)
class Form:
    """What such a file holds: the statements that make it, and their version (never 0)."""

    schema: tuple[str, ...]
    version: int


class Derived:
    """One open file. Raises `sqlite3.Error` where it is damaged or another process holds it too long."""

    def __init__(self, path: Path | None, form: Form, *, wait: float) -> None:
        """Open it, made where it is missing or of another version; None: one that is gone when it is closed. `wait`
        (seconds) is how long a writer waits for another. Raises `OSError` where no file can be kept there."""
        self._inode = _made(path) if path is not None else 0
        self.path = path
        self._form = form
        self._wait = wait
        self.db = sqlite3.connect(path or ":memory:", timeout=wait, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self.db.close()
            raise

    def _prepare(self) -> None:
        self.db.execute(f"PRAGMA page_size={PAGE}")  # heeded where the file is still empty
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.execute(f"PRAGMA cache_size=-{CACHE}")
        if self._version() == self._form.version:
            return
        try:
            with self.writing():
                self._make()
        except sqlite3.OperationalError:
            if self._version() != self._form.version:  # else another process made it, and writes on
                raise

    def _make(self) -> None:
        if self._version() == self._form.version:  # another process was faster
            return
        self._clear()
        for statement in self._form.schema:
            self.db.execute(statement)
        self.db.execute(f"PRAGMA user_version={self._form.version}")

    def _clear(self) -> None:
        tables = self.db.execute("SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master WHERE type='table'")
        held: dict[str, bool] = {str(name): bool(virtual) for name, virtual in tables.fetchall()}
        kept = tuple(f"{name}_" for name, virtual in held.items() if virtual)  # these go with their table
        for name in held:
            if not name.startswith(("sqlite_", *kept)):
                self.db.execute(f'DROP TABLE "{name}"')

    def _version(self) -> int:
        return int(self.db.execute("PRAGMA user_version").fetchone()[0])

    @property
    def stands(self) -> bool:
        """Whether its file is still the one that was opened."""
        if self.path is None:
            return True
        try:
            return os.stat(self.path).st_ino == self._inode
        except OSError:
            return False

    def wait_at_most(self, seconds: float | None) -> None:
        """From now on a writer waits no longer for another, None: as long as it was opened with."""
        wait = self._wait if seconds is None else min(self._wait, max(seconds, 0.0))
        self.db.execute(f"PRAGMA busy_timeout={round(1000 * wait)}")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A change, all of it or nothing; within another one a part of it. Raises `sqlite3.OperationalError` where
        another process writes."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def close(self) -> None:
        """Close it. Calling it again does nothing."""
        self.db.close()


def _made(path: Path) -> int:
    """The inode of the file there, made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        return os.fstat(handle).st_ino
    finally:
        os.close(handle)

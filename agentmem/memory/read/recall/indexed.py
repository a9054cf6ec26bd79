"""Indexed: a project's index while it is open: its file, or where none can be kept one of this process's own.

A damaged file is made anew. On a disk that is full or read-only, with a folder or a link in its place, or while another
process lets nobody in, the files are read into memory instead: a search gives the same answers, and takes longer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from agentmem.memory.stores import folder
from agentmem.memory.stores import index as indexes
from agentmem.memory.stores.index import Index

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNKEPT = (
    *_BUSY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOLFS,
)
"""What ails the place and not the file: it may be as good as ever."""
_UNREAD = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ)
_TRIES = 3  # the file, a new file, memory

_Given = TypeVar("_Given")


class Indexed:
    """Where the index of one project stands, whose private folder is `shared`."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared
        self._index: Index | None = None
        self._trouble: str | None = None
        self._passing = False

    @property
    def path(self) -> Path:
        """The index's file."""
        return self._shared / indexes.NAME

    @property
    def trouble(self) -> str:
        """Why its file cannot be used, "" where it can or will be in a moment."""
        return "" if self._passing else self._trouble or ""

    @property
    def stands(self) -> bool:
        """Whether an index is open and nobody deleted its file."""
        return self._index is not None and self._index.stands

    def index(self) -> Index:
        """The index, opened where it is not. Raises `sqlite3.Error`."""
        if self._index is not None and not self._index.stands:
            self.close()
        if self._index is None:
            self._index = self._opened()
        return self._index

    def _opened(self) -> Index:
        if self._trouble is None:
            try:
                folder.make_agent_folder(self._shared)
                return Index(self.path)
            except OSError as error:
                self._trouble = error.strerror or str(error)
        return Index(None)

    def look_again(self) -> None:
        """Go back to the file where it was only another process that kept it."""
        if self._passing:
            self.close()
            self._trouble, self._passing = None, False

    def through(self, task: Callable[[], _Given], begin: Callable[[], object] = lambda: None) -> _Given:
        """`task`; where the index fails on the way, `begin` and `task` with another one. Raises `OSError`."""
        failed = 0
        while True:
            try:
                if failed:
                    begin()
                return task()
            except sqlite3.Error as error:
                failed += 1
                if failed == _TRIES:
                    raise OSError(None, f"the index cannot be made: {error}", str(self.path)) from error
                self._leave(error, again=failed > 1)

    def _leave(self, error: sqlite3.Error, *, again: bool) -> None:
        self.close()
        told = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        code = told & 0xFF
        unkept = code in _UNKEPT or (code == sqlite3.SQLITE_IOERR and told not in _UNREAD)  # over a quota, for one
        if again or unkept:
            self._trouble, self._passing = str(error), code in _BUSY
            return
        try:
            indexes.discard(self.path)
        except OSError as refused:
            self._trouble = refused.strerror or str(refused)

    def close(self) -> None:
        """Give the index back. Calling it again does nothing."""
        if self._index is not None:
            self._index.close()
            self._index = None

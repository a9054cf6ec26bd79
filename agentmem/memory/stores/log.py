"""A session's log, `.agent/sessions/<id>.jsonl`: one header line, then entries; it only grows, and has one writer.

    {"type":"session","id":"2026-11-30T09-02-11-4f2a91","version":1,"at":"2026-11-30T09:02:11Z","cwd":"/w", ...}
    {"type":"message","id":"a1…","parent_id":null,"at":"…","role":"user","content":[{"type":"text", ...}]}

The writer holds a `flock` on the log itself, which the kernel gives back when the process dies. `<id>.lock` beside it
only says who holds it; a stale one means nothing.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path

from agentmem import regular
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.memory.stores import folder, lines

SUFFIX = ".jsonl"
TAIL = 8 * 1024  # bytes: lists of sessions read so much of a log's end
# After so many bytes a writer tells the session's name again: tail less the longest name.
NAME_EVERY = 6 * 1024
NAME_MOST = 200  # characters
_NOTE = 4096  # bytes; a note holds a number and a time
_FIXED = ("type", "id", "parent_id", "at")


class LogWriteError(Exception):
    """The log could not be written; what was written before stays sound. Names the file and the cause."""

    def __init__(self, path: Path, cause: str):
        super().__init__(f"the session log {path} could not be written: {cause}")
        self.path = path
        self.cause = cause


class SessionBusy(Exception):
    """Another process writes this session. `pid` and `since` are None where its note is missing."""

    def __init__(self, session: str, pid: int | None, since: str | None):
        holder = f"process {pid}, since {since}" if pid is not None else "another process"
        super().__init__(
            f"session {session} is in use by {holder}; wait for it, or go on in a copy: `agentmem -r {session} --fork`"
        )
        self.session = session
        self.pid = pid
        self.since = since


_NOBODY = 1.0  # seconds a lock is waited for that nobody alive says to hold


def holder(path: Path) -> tuple[int, str] | None:
    """Process and time of whoever writes this log now, as its note says, None when nobody does."""
    try:
        note = json.loads(regular.read(_note(path), _NOTE))
        pid, since = int(note["pid"]), str(note["at"])
        os.kill(pid, 0)
    except PermissionError:
        return pid, since
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return pid, since


class LogWriter:
    """The one writer of a log. Every record is one `write` of one line; `sync` makes all of them durable."""

    def __init__(self, path: Path, handle: int, *, header: Header | None, clock: Clock):
        self.path = path
        self._handle = handle
        self._header = header
        self._fresh = header is not None
        try:
            self._noted = _lock(path, handle, clock)
            self._torn = _lacks_newline(handle)
        except BaseException:
            os.close(handle)
            raise

    @classmethod
    def create(cls, path: Path, header: Header, clock: Clock) -> LogWriter:
        """Make a new log; its header is written with the first entry. Raises `LogWriteError`, `SessionBusy`."""
        try:
            folder.make_agent_folder(path.parent.parent)
            folder.make_private(path.parent)
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LogWriteError(path, cause(error)) from error
        return cls(path, handle, header=header, clock=clock)

    @classmethod
    def open(cls, path: Path, clock: Clock) -> LogWriter:
        """Open a log to go on with it; nothing in it changes. Raises `LogWriteError`, `SessionBusy`."""
        try:
            handle = regular.opened(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise LogWriteError(path, cause(error)) from error
        return cls(path, handle, header=None, clock=clock)

    def append(self, entry: Entry) -> Entry:
        """Write one entry; gives it back as it now stands in the log. Raises `LogWriteError`: it is not recorded."""
        if self._header is not None:
            self._write(lines.dump(lines.sound(self._header.to_json())))
            self._header = None
        try:
            line = lines.dump(entry.to_json())
        except (ValueError, TypeError, RecursionError):
            kept = lines.sound(entry.to_json())
            line = lines.dump(kept)
            body = {key: value for key, value in kept.items() if key not in _FIXED}
            entry = Entry(entry.type, entry.id, entry.parent_id, entry.at, body)
        self._write(line)
        return entry

    def _write(self, line: bytes) -> None:
        # A fragment at the end (of a killed writer, or of a write that failed below) gets a line of its own first.
        data = b"\n" + line if self._torn else line
        done = 0
        self._must_be_open()
        try:
            while done < len(data):
                done += os.write(self._handle, memoryview(data)[done:])
        except OSError as error:
            self._torn = self._torn or done > 0
            if done < len(data) - 1:
                raise LogWriteError(self.path, cause(error)) from error
            return  # all but the newline stands: the record is whole
        self._torn = False

    def size(self) -> int:
        """The log's size in bytes. Raises `LogWriteError`."""
        self._must_be_open()
        return os.fstat(self._handle).st_size

    def sync(self) -> None:
        """Make what was written durable (one fsync). Raises `LogWriteError`, also when the file was deleted."""
        self._must_be_open()
        try:
            os.fsync(self._handle)
            if self._fresh:
                folder.sync_folder(self.path.parent)
                self._fresh = False
            gone = os.fstat(self._handle).st_nlink == 0
        except OSError as error:
            raise LogWriteError(self.path, cause(error)) from error
        if gone:
            raise LogWriteError(self.path, "the file was deleted while the session was open")

    def go_on_in(self, staged: Path) -> None:
        """Put another file in the log's place and go on with it; the lock is never given back in between. Raises
        `LogWriteError`: the old one stands."""
        self._must_be_open()
        handle = -1
        try:
            handle = regular.opened(staged, os.O_RDWR | os.O_APPEND)
            if self._noted:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.replace(staged, self.path)
            folder.sync_folder(self.path.parent)
        except OSError as error:
            if handle >= 0:
                os.close(handle)
            raise LogWriteError(self.path, cause(error)) from error
        os.close(self._handle)
        self._handle = handle

    def _must_be_open(self) -> None:
        if self._handle < 0:
            raise LogWriteError(self.path, "the session is closed")

    @property
    def closed(self) -> bool:
        """Whether the lock was given back."""
        return self._handle < 0

    def close(self) -> None:
        """Give the lock back. Calling it again does nothing."""
        if self._handle < 0:
            return
        if self._noted:
            _note(self.path).unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = -1


def head_and_tail(path: str | Path, head: int, tail: int) -> tuple[bytes, bytes, os.stat_result]:
    """The first `head` and the last `tail` bytes of a log (they never overlap) and its stat. Raises `OSError`, also for
    a link: a log is a file of its own."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        regular.check(os.lstat(path).st_mode, path)
        raise
    try:
        stat = os.fstat(handle)
        if stat.st_mode & 0o170000 != 0o100000:
            regular.check(stat.st_mode, path)
        first = os.read(handle, head)
        start = max(len(first), stat.st_size - tail)
        return first, os.pread(handle, tail, start) if start < stat.st_size else b"", stat
    finally:
        os.close(handle)


def _note(path: Path) -> Path:
    return path.with_suffix(".lock")


def _lock(path: Path, handle: int, clock: Clock) -> bool:
    """Take the lock and say so beside the log; False where the file system knows no locks.

    A killed writer's lock may live on for a moment in a child between its fork and its exec, and a new writer's note is
    written just after its lock is taken: while nobody alive is named, it is tried again for a while.
    """
    until = time.monotonic() + _NOBODY
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            found = holder(path)
            if found is not None or time.monotonic() > until:
                raise SessionBusy(path.stem, *(found or (None, None))) from error
            time.sleep(0.02)
    with suppress(OSError):
        folder.write_private(_note(path), json.dumps({"pid": os.getpid(), "at": clock.stamp()}).encode())
    return True


def _lacks_newline(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"


def cause(error: OSError) -> str:
    """What the system says went wrong, and what the person can do."""
    what = os.strerror(error.errno) if error.errno is not None else str(error)
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return f"{what}; free some space, then resume the session"
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return f"{what}; make it writable for you, then resume the session"
        case _:
            return what

"""Snapshots of a work tree: a git tree of all files that are not ignored, taken with an index of our own.

Large files are only looked at. A snapshot that takes too long is told by what is known then: the tree of the last one,
and how all that changed since looks; it is finished in the background, so that the next one is quick.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from agentmem import objects
from agentmem.workspace.checkpoints.git import MANY, Git, GitFailed
from agentmem.workspace.checkpoints.seen import Look, Seen, look_at, look_at_folder
from agentmem.workspace.walk import Ground, walk
from agentmem.workspace.worktree import work_tree

LARGE = 10_000_000
"""Bytes of a file from which on a snapshot only looks at it."""

FILES_MOST, BYTES_MOST = 200_000, 2_000_000_000
"""More new files or bytes than these are never put into a snapshot."""

_NAMED_MOST = 200  # directories that are named to git in one go; more, and it looks everywhere

_LAST_WORDS = 0.06  # seconds kept back for telling what is known when time is up


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`tree` (a git tree) with `seen` over it: files of which only the looks are known, and directories (named with a
    slash at the end) that hold no file a tree could tell. `whole` when nothing but large and unreadable files is among
    the files; `large` counts them."""

    tree: str
    seen: Seen
    whole: bool
    large: int


class _TooMuch(Exception):
    """More files or bytes than go into a snapshot."""


@dataclass(slots=True)
class _Job:
    """One snapshot being taken. `changed` is set once it is known what changed since the last one."""

    index: Path
    listed: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    changed: dict[bytes, Look | None] = field(default_factory=dict)
    folders: dict[bytes, Look | None] = field(default_factory=dict)
    result: Snapshot | None = None
    failure: str = ""


class Snapshots:
    """Takes snapshots of the work tree of `git`; its index is the file `index`. Not for several threads at once."""

    def __init__(self, git: Git, index: Path) -> None:
        self._git = git
        self._index = index
        self._job: _Job | None = None
        self._thread: threading.Thread | None = None
        self._tree: tuple[str, object] | None = None

    def take(self, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Snapshot | str:
        """A snapshot, waiting at most about `seconds`; or why there is none. `stopped` ends the waiting early."""
        until = time.monotonic() + seconds - _LAST_WORDS
        job = self._job
        late = job is not None and not job.over.is_set()
        if job is None or not late:
            job = self._start()
        self._await(job.over, until, stopped)
        if job.over.is_set() and late:  # begun for an earlier moment: now it is quick
            job = self._start()
            self._await(job.over, until, stopped)
        if job.result is not None:
            return job.result
        self._git.calm()
        if late or not job.listed.is_set():
            return job.failure or "its files are too many to look at in the time there is"
        try:
            return self._known(job)
        except (GitFailed, OSError) as error:
            return job.failure or str(error)

    def close(self) -> None:
        """End what runs in the background."""
        self._git.stop()
        if self._thread is not None:
            self._thread.join(1.0)

    def _start(self) -> _Job:
        job = self._job = _Job(self._index.with_name(f"{self._index.name}.{os.getpid()}.tmp"))
        self._thread = threading.Thread(target=self._run, args=(job,), name="snapshot", daemon=True)
        self._thread.start()
        return job

    @staticmethod
    def _await(event: threading.Event, until: float, stopped: Callable[[], bool]) -> None:
        while not event.wait(min(0.02, max(0.0, until - time.monotonic()))):
            if stopped() or time.monotonic() >= until:
                return

    def _run(self, job: _Job) -> None:
        try:
            self._git.prepare()
            job.result = self._made(job)
        except (GitFailed, _TooMuch, OSError) as error:
            job.failure = str(error)
        finally:
            with suppress(OSError):
                job.index.unlink(missing_ok=True)
            job.over.set()

    def _made(self, job: _Job) -> Snapshot:
        """The snapshot; an index that is damaged, or whose objects somebody removed, is made anew."""
        try:
            return self._make(job)
        except GitFailed:
            if self._git.stopped or not self._index.exists():
                raise
        self._index.unlink(missing_ok=True)
        job.index.unlink(missing_ok=True)
        return self._make(job)

    def _make(self, job: _Job) -> Snapshot:
        found, folders = self._changed()
        job.changed, job.folders = found, folders
        job.listed.set()
        small, large, count = _sorted_out(os.fsencode(self._git.root), found)
        if not small and self._tree is not None and self._tree[1] == _mark(self._index):
            return Snapshot(self._tree[0], {**large, **folders}, True, count)
        _copy(self._index, job.index)
        if small:
            words = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
            self._git.run(
                *words, index=job.index, stdin=b"".join(b"%s\0" % path for path in small), many=len(small) > MANY
            )
        tree = self._git.run("write-tree", index=job.index).decode().strip()
        os.replace(job.index, self._index)
        self._tree = tree, _mark(self._index)
        return Snapshot(tree, {**large, **folders}, True, count)

    def _changed(self) -> tuple[dict[bytes, Look | None], dict[bytes, Look | None]]:
        """What is not as the index has it, with its looks now (None: gone); and the directories without files."""
        root = os.fsencode(self._git.root)
        found: dict[bytes, Look | None] = {}
        folders: list[bytes] = []
        for path in self._listed("--modified", "--deleted", "--directory"):
            if path.endswith(b"/"):
                folders.append(path)
                continue
            found[path] = look_at(os.path.join(root, path))
            if found[path] is None and look_at_folder(os.path.join(root, path)) is not None:
                folders.append(path + b"/")  # a file before: git does not list it as a directory
        full: set[bytes] = set()
        for path in self._listed("--", *map(os.fsdecode, folders[:_NAMED_MOST])) if folders else ():
            for inner in _inside(self._git.root, path) if path.endswith(b"/") else (path,):
                found[inner] = look_at(os.path.join(root, inner))
                full.update(_above(inner))
        return found, {path: look_at_folder(os.path.join(root, path)) for path in folders if path not in full}

    def _listed(self, *more: str) -> Iterator[bytes]:
        """The paths that git lists as not in the index, and what `more` asks for. Without a name after ``--`` all."""
        words = ["ls-files", "-z", "--others", "--exclude-standard"]
        own = _own_excludes(self._git.root)
        if own is not None:
            words.append(f"--exclude-from={own}")
        named = more if len(more) <= _NAMED_MOST else ()
        return (path for path in self._git.run(*words, *named, index=self._index).split(b"\0") if path)

    def _known(self, job: _Job) -> Snapshot:
        """What can be told of a snapshot that is not ready."""
        tree = objects.put_tree(self._git.objects, ())
        if self._index.exists():
            copy = self._index.with_name(f"{self._index.name}.{os.getpid()}.known")
            try:
                _copy(self._index, copy)
                tree = self._git.run("write-tree", index=copy).decode().strip()
            finally:
                copy.unlink(missing_ok=True)
        return Snapshot(tree, {**job.changed, **job.folders}, False, 0)


def _sorted_out(root: bytes, found: dict[bytes, Look | None]) -> tuple[list[bytes], dict[bytes, Look | None], int]:
    """The paths whose bytes go into the snapshot, and the looks of those too large or not readable, with their count.

    Raises `_TooMuch`.
    """
    small: list[bytes] = []
    seen: dict[bytes, Look | None] = {}
    total = 0
    for path, one in found.items():
        if one is not None and (one.size > LARGE or not _readable(os.path.join(root, path), one)):
            seen[path] = one
        else:
            small.append(path)
            total += one.size if one else 0
    small.sort(key=lambda path: found[path] is not None)  # what is gone first: a directory may stand in its place
    if len(small) > FILES_MOST or total > BYTES_MOST:
        raise _TooMuch(f"{len(small):,} new files of {total // 1_000_000:,} MB are more than a snapshot takes")
    return small, seen, len(seen)


def _readable(path: bytes, one: Look) -> bool:
    return one.mode & 0o170000 == 0o120000 or os.access(path, os.R_OK)


def _above(path: bytes) -> Iterator[bytes]:
    """The directories above a path, as git lists directories."""
    at = path.find(b"/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find(b"/", at + 1)


def _inside(root: Path, folder: bytes) -> Iterator[bytes]:
    """The files of a repository inside: git tells of it as one entry."""
    names = tuple(os.fsdecode(folder).rstrip("/").split("/"))
    for found in walk(Ground(str(root), names), lambda path, error: None):
        if found.kind != "folder":
            yield os.fsencode("/".join(found.names))


def _own_excludes(root: Path) -> Path | None:
    """The repository's `info/exclude`, which is only read."""
    tree = work_tree(str(root))
    common = tree.common if tree is not None else None
    path = (Path(common) if common else root / ".git") / "info" / "exclude"
    return path if path.is_file() else None


def _copy(index: Path, copy: Path) -> None:
    """Copy an index with its time, by which git knows which of its entries it must look at again."""
    with suppress(FileNotFoundError):
        shutil.copyfile(index, copy)
        found = index.stat()
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))


def _mark(index: Path) -> object:
    try:
        found = index.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size

"""The private folder `.agent/`: made at the first record, readable by its owner alone, kept out of git."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentmem import regular

GITIGNORE = """\
# Made by agentmem: all of this stays out of git but the project's config and its handoff.
/*
!/config.yaml
!/handoff/
"""


def make_agent_folder(shared: Path) -> None:
    """Make `.agent/` with its .gitignore; what is there already is left as it is. Raises `OSError`."""
    make_private(shared)
    ignore = shared / ".gitignore"
    if not ignore.exists():
        write_private(ignore, GITIGNORE.encode())


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, with mode 0700. Raises `OSError`."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private(folder.parent)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    if not folder.is_dir():
        raise NotADirectoryError(20, "there is a file where a directory belongs", str(folder))


def holds_only(path: Path) -> bool:
    """Whether a file is the only one of its kind (by suffix) in its folder."""
    return all(name == path.name for name in os.listdir(path.parent) if name.endswith(path.suffix))


def write_private(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put a whole file in place at once: a reader sees the old bytes or the new ones. Raises `OSError`."""
    staged = path.with_name(f".{path.name}.{threading.get_native_id()}.{os.getpid()}.new")
    try:
        write_new(staged, data, mode)
        os.replace(staged, path)
    except OSError:
        staged.unlink(missing_ok=True)
        raise


def write_new(path: Path, data: bytes, mode: int, *, durable: bool = False) -> None:
    """Write a file that is not there yet (a leftover of that name goes first). Raises `OSError`."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        write_all(handle, data)
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def append_private(path: Path, rows: bytes, *, durable: bool = False) -> None:
    """Add whole lines to a file, which is made if missing, in one write; a line that was torn before them is ended
    first, so that it spoils none of them. `durable` waits until the disk has them. Raises `OSError`."""
    handle = regular.opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        write_all(handle, b"\n" * torn + rows)
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte, however many calls it takes. Raises `OSError`."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable. Raises `OSError`."""
    with _opened(folder) as handle:
        os.fsync(handle)


def sync_file(path: Path) -> None:
    """Make a file's bytes durable. Raises `OSError`."""
    with _opened(path) as handle:
        os.fsync(handle)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)

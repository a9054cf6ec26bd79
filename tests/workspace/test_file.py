from __future__ import annotations

import os
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentmem.workspace.file import Changed, NotRegular, digest, load, open_regular, store


def test_digest() -> None:
    assert digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_load(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\n\xff")
    assert load(tmp_path / "f") == b"a\r\n\xff"


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")
    for path, kind in ((tmp_path, "a directory"), (tmp_path / "p", "a pipe"), (Path("/dev/null"), "a device")):
        with pytest.raises(NotRegular, match=kind):
            open_regular(path)
        with pytest.raises(NotRegular, match=kind):
            store(path, b"x", b"")


def test_a_new_file_and_its_parents(tmp_path: Path) -> None:
    store(tmp_path / "a/b/f", b"x", None)
    assert (tmp_path / "a/b/f").read_bytes() == b"x"
    assert os.listdir(tmp_path / "a/b") == ["f"]


def test_owner_mode_times_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a")
    path.chmod(0o2750)
    if os.geteuid() == 0:
        os.chown(path, 1234, 5678)
        path.chmod(0o2750)
    try:
        os.setxattr(path, "user.note", b"kept")
    except (OSError, AttributeError):
        pytest.skip("needs a disk with extended attributes")
    before = path.stat()
    store(path, b"b", b"a")
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert os.getxattr(path, "user.note") == b"kept"
    assert after.st_ino != before.st_ino


def test_other_names_of_a_file_keep_the_old_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a")
    os.link(tmp_path / "f", tmp_path / "g")
    store(tmp_path / "f", b"b", b"a")
    assert ((tmp_path / "f").read_bytes(), (tmp_path / "g").read_bytes()) == (b"b", b"a")


@pytest.mark.parametrize(("now", "before"), [(b"other", b"a"), (b"a", None), (None, b"a")])
def test_not_over_what_someone_else_wrote(tmp_path: Path, now: bytes | None, before: bytes | None) -> None:
    path = tmp_path / "f"
    if now is not None:
        path.write_bytes(now)
    with pytest.raises((Changed, FileNotFoundError)):
        store(path, b"b", before)
    assert (path.read_bytes() if path.exists() else None) == now
    assert os.listdir(tmp_path) == (["f"] if now is not None else [])


def test_a_read_only_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="the file is read-only"):
        store(path, b"b", b"a")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"a", 0o444)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A disk that is full after `size` bytes, as far as one process can have one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def shut() -> Iterator[Path]:
    """A file that may be written in a folder that nothing may be added to; root stands aside for it."""
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name, "f")
        path.write_bytes(b"old text")
        path.chmod(0o666)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield path
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n" * 100)
    with files_of_at_most(1_000), pytest.raises(OSError, match="File too large"):
        store(path, b"n" * 5_000, b"old\n" * 100)
    assert path.read_bytes() == b"old\n" * 100
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("new", [b"longer than before", b"s", b""])
def test_where_nothing_can_be_added_a_file_is_written_in_place(shut: Path, new: bytes) -> None:
    number = shut.stat().st_ino
    store(shut, new, b"old text")
    assert (shut.read_bytes(), shut.stat().st_ino) == (new, number)
    assert os.listdir(shut.parent) == ["f"]


def test_a_write_in_place_that_fails_puts_the_old_bytes_back(shut: Path) -> None:
    with files_of_at_most(1_000), pytest.raises(OSError, match="File too large"):
        store(shut, b"n" * 5_000, b"old text")
    assert shut.read_bytes() == b"old text"
    with pytest.raises(Changed):
        store(shut, b"new", b"older text")
    assert shut.read_bytes() == b"old text"

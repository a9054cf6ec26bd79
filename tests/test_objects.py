from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem import objects
from agentmem.objects import Damaged, Item

HELLO = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    subprocess.run(("git", "init", "-q", "--bare", str(tmp_path / "r")), check=True)
    return tmp_path / "r" / "objects"


def test_an_object_has_gits_name_and_git_reads_it(folder: Path) -> None:
    assert objects.put(folder, "blob", b"hello world\n", durable=True) == HELLO
    assert objects.get(folder, HELLO) == b"hello world\n"
    shown = subprocess.run(("git", "-C", str(folder.parent), "cat-file", "-p", HELLO), check=True, capture_output=True)
    assert shown.stdout == b"hello world\n"


def test_trees_are_in_gits_order(folder: Path) -> None:
    files = [
        (b"a/b", "100644", HELLO),
        (b"a.b", "100755", HELLO),
        (b"a0", "120000", HELLO),
        (b"\xff\n", "100644", HELLO),
    ]
    objects.put(folder, "blob", b"hello world\n")
    tree = objects.put_paths(folder, files)
    subprocess.run(("git", "-C", str(folder.parent), "fsck", "--strict", tree), check=True, capture_output=True)
    shown = subprocess.run(
        ("git", "-C", str(folder.parent), "ls-tree", "-r", "-z", tree), check=True, capture_output=True
    )
    names = [row.split(b"\t")[1] for row in shown.stdout.split(b"\0") if row]
    assert names == [b"a.b", b"a/b", b"a0", b"\xff\n"]


def test_what_is_there_is_left_alone_when_it_is_sound(folder: Path) -> None:
    objects.put(folder, "blob", b"hello world\n")
    path = folder / HELLO[:2] / HELLO[2:]
    before = path.stat()
    objects.put(folder, "blob", b"hello world\n")
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    "bad", [b"", b"no zlib", zlib.compress(b"blob 4\0evil"), zlib.compress(b"tree 12\0hello world\n")]
)
def test_a_damaged_object_is_told_and_written_anew(folder: Path, bad: bytes) -> None:
    path = folder / HELLO[:2] / HELLO[2:]
    path.parent.mkdir()
    path.write_bytes(bad)
    with pytest.raises(Damaged, match=HELLO):
        objects.get(folder, HELLO)
    objects.put(folder, "blob", b"hello world\n")
    assert objects.get(folder, HELLO) == b"hello world\n"


def test_nothing_is_left_behind_when_it_cannot_be_written(folder: Path) -> None:
    (folder / HELLO[:2]).write_text("a file where a directory belongs")
    with pytest.raises(OSError, match="File exists"):
        objects.put(folder, "blob", b"hello world\n")
    assert sorted(path.name for path in folder.iterdir()) == [HELLO[:2], "info", "pack"]


@given(st.binary(max_size=2000))
def test_what_goes_in_comes_out(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        assert objects.get(Path(name), objects.put(Path(name), "blob", data)) == data


def test_a_directory_sorts_as_if_it_ended_in_a_slash() -> None:
    items = [Item("40000", b"a", HELLO), Item("100644", b"a-", HELLO), Item("100644", b"a0", HELLO)]
    order = [part.split(b" ")[1] for part in objects.tree_data(items).split(bytes.fromhex(HELLO)) if part]
    assert order == [b"a-\0", b"a\0", b"a0\0"]


@pytest.mark.parametrize(
    "data",
    [b"100644 a", b"100644a\0" + bytes(20), b" a\0" + bytes(20), b"100644 a\0" + bytes(9), b"\xff a\0" + bytes(20)],
)
def test_a_damaged_tree_is_told(data: bytes) -> None:
    with pytest.raises(Damaged):
        objects.tree_items("x", data)

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmem.domain.checkpoint import ABSENT, State
from agentmem.workspace.checkpoints.putback import CannotPutBack, put_back
from agentmem.workspace.checkpoints.state import look


def back(path: Path, wanted: State, data: bytes = b"", made: int = 0, now: State | None = None) -> None:
    put_back(os.fsencode(path), now or look(os.fsencode(path))[0], wanted, data, made)


def state(path: Path) -> State:
    return look(os.fsencode(path))[0]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def kinds(place: Path) -> dict[str, tuple[State, bytes]]:
    (place / "file").write_bytes(b"f")
    (place / "file").chmod(0o640)
    (place / "link").symlink_to("some where")
    return {name: look(os.fsencode(place / name)) for name in ("file", "link", "absent")}


@pytest.mark.parametrize("there", ["file", "link", "absent", "readonly"])
@pytest.mark.parametrize("wanted", ["file", "link", "absent"])
def test_anything_becomes_anything(place: Path, there: str, wanted: str) -> None:
    target, data = kinds(place)[wanted]
    path = place / "deep" / "x" if there == "absent" else place / "x"
    if there in ("file", "readonly"):
        path.write_bytes(b"other")
        path.chmod(0o444 if there == "readonly" else 0o644)
    elif there == "link":
        path.symlink_to("file")
    if there == wanted == "absent":
        return
    back(path, target, data)
    assert state(path) == target
    assert list(place.rglob("*.tmp")) == []
    assert (place / "file").read_bytes() == b"f"


def test_only_the_mode(place: Path) -> None:
    path = place / "x"
    path.write_bytes(b"f")
    now = state(path)
    inode = path.stat().st_ino
    back(path, State("file", now.blob, 0o700), b"f")
    assert (state(path).mode, path.stat().st_ino) == (0o700, inode)


def test_directories_that_the_write_made_go_if_they_are_empty(place: Path) -> None:
    path = place / "a" / "b" / "c" / "x"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"f")
    back(path, ABSENT, made=2)
    assert [str(one.relative_to(place)) for one in place.rglob("*")] == ["a"]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"f")
    (place / "a" / "b" / "other").write_bytes(b"o")
    back(path, ABSENT, made=3)
    assert sorted(str(one.relative_to(place)) for one in place.rglob("*")) == ["a", "a/b", "a/b/other"]


def test_a_change_in_the_last_moment_stays(place: Path) -> None:
    path = place / "x"
    path.write_bytes(b"f")
    now = state(path)
    path.write_bytes(b"by hand")
    with pytest.raises(CannotPutBack, match="it was changed just now"):
        back(path, ABSENT, now=now)
    assert path.read_bytes() == b"by hand"


def test_a_directory_that_became_a_link_is_not_followed(place: Path) -> None:
    (place / "real").mkdir()
    (place / "real" / "x").write_bytes(b"f")
    (place / "d").symlink_to("real")
    with pytest.raises(CannotPutBack, match="a directory above it is a link now"):
        back(place / "d" / "x", ABSENT)
    assert (place / "real" / "x").exists()


def test_a_directory_in_the_way_stays(place: Path) -> None:
    (place / "x").mkdir()
    with pytest.raises(CannotPutBack, match="it is a directory now"):
        back(place / "x", State("file", "1" * 40, 0o644), b"f")
    (place / "file").write_bytes(b"f")
    with pytest.raises(CannotPutBack, match="it was a pipe"):
        back(place / "file", State("other", what="a pipe"))
    (place / "y").write_bytes(b"in the way")
    with pytest.raises(CannotPutBack, match=r"exists|directory"):
        back(place / "y" / "x", State("file", "1" * 40, 0o644), b"f")


def test_what_cannot_be_read_says_why(place: Path) -> None:
    os.mkfifo(place / "pipe")
    assert state(place / "pipe") == State("other", what="a pipe")
    assert state(place) == State("other", what="a directory")
    assert state(Path("/dev/null")) == State("other", what="a device")
    assert state(place / "pipe" / "below") == ABSENT
    with (place / "big").open("wb") as file:
        file.truncate(64_000_001)
    assert state(place / "big") == State("other", what="larger than 64 MB")
    long = place / ("x" * 300)
    assert look(os.fsencode(long))[0] == State("other", what="not readable: File name too long")

"""What a repository may hold under the names that are read: pipes, devices, folders, files without end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem import regular
from agentmem.app.doctor import examine
from agentmem.config import load_config
from agentmem.configfile import ConfigError
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.read import fsck
from agentmem.memory.stores import blobs, ledger, lines, lock, queue, roll, seal, semantic, stretch, texts
from agentmem.memory.stores.log import LogWriteError, LogWriter, head_and_tail
from agentmem.model.catalog import lookup
from agentmem.terminal.past import Past
from agentmem.workspace.search import is_binary

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")

Put = Callable[[Path], None]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[pipe, device])
def put(request: pytest.FixtureRequest) -> Put:
    found: Put = request.param
    return found


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for name, what in (("pipe", "it is a pipe, no file"), ("device", "it is a device, no file")):
            with pytest.raises(regular.NotRegular) as caught:
                regular.read(tmp_path / name, 10)
            assert caught.value.strerror == what
        with pytest.raises(regular.NotRegular, match="it is a socket, no file"):
            regular.opened(tmp_path / "socket")
    with pytest.raises(IsADirectoryError):
        regular.opened(tmp_path)
    with pytest.raises(FileNotFoundError):
        regular.read(tmp_path / "gone", 10)
    assert regular.read(tmp_path / "link", 3) == b"abc"
    with pytest.raises(regular.TooLarge, match="it is larger than 0 KB"):
        regular.read(tmp_path / "link", 2)
    with pytest.raises(regular.TooLarge, match="it is larger than 2 MB"):
        os.truncate(tmp_path / "file", 3 << 20)
        regular.read(tmp_path / "file", 2 << 20)


def test_a_file_is_made_where_that_is_asked_for(tmp_path: Path) -> None:
    handle = regular.opened(tmp_path / "new", os.O_WRONLY | os.O_CREAT)
    os.close(handle)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_a_config_that_is_no_file_is_told(tmp_path: Path, put: Put) -> None:
    put(tmp_path / "config.yaml")
    with pytest.raises(ConfigError, match=r"config\.yaml: cannot be read: it is a (pipe|device), no file"):
        load_config(tmp_path / "none", tmp_path)


def test_a_config_of_any_size_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"#" * (256 * 1024) + b"\n")
    with pytest.raises(ConfigError, match="cannot be read: it is larger than 256 KB"):
        load_config(tmp_path / "none", tmp_path)


def test_no_store_waits_on_what_is_no_file(tmp_path: Path, put: Put) -> None:
    path = tmp_path / "x"
    put(path)
    for read in (lines.read, semantic.bytes_of):
        with pytest.raises(regular.NotRegular):
            read(path)
    with pytest.raises(regular.NotRegular), stretch.opened(path):
        pass
    with pytest.raises(regular.NotRegular):
        list(lines.sound_lines(path))
    with pytest.raises(regular.NotRegular):
        head_and_tail(path, 10, 10)
    with pytest.raises(regular.NotRegular):
        ledger.append(path, {"id": "l"})
    with pytest.raises(regular.NotRegular), lock.held(path):
        pass
    with pytest.raises(LogWriteError):
        LogWriter.open(path, Clock())
    assert semantic.read(path) == ""
    assert texts.read(str(path), 100) is None
    assert is_binary(str(path)) is False


def test_what_is_no_file_counts_as_nothing_there(tmp_path: Path, put: Put) -> None:
    for name in ("queue/waiting/a.json", "roll/sessions.jsonl", "home/hmac.key", "home/cache/models.json", "home/past"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path)
    assert list(queue.waiting(tmp_path / "queue")) == []
    roll.append(tmp_path / "roll", {"event": "opened"})
    assert len(seal.key(tmp_path / "home")) == 32
    assert lookup("openai/gpt-5", tmp_path / "home").window > 0
    past = Past(tmp_path / "home" / "past", str)
    assert list(past.load_history_strings()) == []
    past.store_string("hello")


def test_a_blob_that_is_no_file_is_lost_and_put_anew(tmp_path: Path, put: Put) -> None:
    name = blobs.digest(b"part")
    put(tmp_path / name)
    with pytest.raises(blobs.BlobLost, match=r"it is a (pipe|device), no file"):
        blobs.get(tmp_path, name)
    assert blobs.put(tmp_path, b"part") == (tmp_path / name, True)
    assert blobs.get(tmp_path, name) == b"part"


def test_sessions_and_doctor_go_past_what_is_no_file(places: Places, put: Put) -> None:
    places.sessions.mkdir(parents=True)
    places.blobs.mkdir(parents=True)
    places.home.mkdir(parents=True, exist_ok=True)
    put(places.sessions / "2026-01-01T00-00-00-aaaaaa.jsonl")
    put(places.blobs / ("0" * 64))
    put(places.home / "MEMORY.md")
    put(places.root / "AGENTS.md")
    assert list(memory.list_sessions(places)) == []
    with pytest.raises(OSError, match=r"it is a (pipe|link), no file"):
        memory.last_session(places)
    told = [trouble.what for trouble in fsck.check(places).troubles]
    assert any("cannot be read: it is a" in what for what in told)
    assert any("is no log: it is a" in what for what in told)
    session = memory.new_session(places, Clock(), "0")
    session.begin_epoch((), 200_000)
    session.close()


def test_the_doctor_names_a_memory_that_is_no_file(tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path / "MEMORY.md")
    monkeypatch.chdir(tmp_path)
    told = [found.text for found in examine({"AGENTMEM_HOME": str(tmp_path / "h"), "OLLAMA_HOST": "127.0.0.1:1"})]
    assert any("MEMORY.md cannot be read: it is a" in text for text in told)

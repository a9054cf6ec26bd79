from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from agentmem.memory.stores import folder


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path, failed = tmp_path / "file", []
    start = threading.Barrier(8)

    def write(own: bytes) -> None:
        start.wait()
        try:
            for _ in range(50):
                folder.write_private(path, own)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(b"%d" % one * 1000,)) for one in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(set(path.read_bytes())) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_lines_are_added_behind_what_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    folder.append_private(path, b"one\n")
    folder.append_private(path, b"two\nthree\n", durable=True)
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"one\n{torn")
    folder.append_private(path, b"two\n")
    assert path.read_bytes() == b"one\n{torn\ntwo\n"


def test_a_pipe_is_never_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is a pipe"):
        folder.append_private(tmp_path / "pipe", b"one\n")

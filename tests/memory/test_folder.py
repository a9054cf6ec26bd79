from __future__ import annotations

import threading
from pathlib import Path

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

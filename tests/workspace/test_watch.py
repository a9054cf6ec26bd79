"""Changes below folders are told, those of folders that come later too."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from agentmem.workspace.watch import Watch


def soon(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def test_a_change_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "skills/a").mkdir(parents=True)
    watch = Watch(lambda: [str(tmp_path / "skills")])
    watch.start()
    watch.start()
    try:
        for number in range(200):  # the thread may not be listening yet
            (tmp_path / "skills/a/SKILL.md").write_text(str(number))
            if soon(lambda: watch.pending, 0.1):
                break
        assert watch.pending and watch.take()
        assert soon(lambda: not watch.take(), 5)
        (tmp_path / "skills/b").mkdir()
        assert soon(lambda: watch.pending)
    finally:
        watch.stop()


def test_folders_may_come_and_go(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    watch = Watch(lambda: [str(folder)] if folder.is_dir() else [])
    watch.start()
    try:
        assert not watch.pending
        folder.mkdir()
        assert soon(lambda: watch.take())
        time.sleep(0.3)
        folder.rmdir()
        assert soon(lambda: watch.pending)
    finally:
        watch.stop()


def test_where_watching_fails_it_may_have_changed_every_second(tmp_path: Path) -> None:
    watch = Watch(lambda: [str(tmp_path / "gone")])
    watch.start()
    assert soon(lambda: watch.take())
    assert not watch.take()
    assert soon(lambda: watch.take(), 5)

"""Who uses the store of checkpoints: many that look together, one that removes alone."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from agentmem.workspace.checkpoints.holding import InUse, alone, hold, let_go


def test_many_hold_it_and_none_removes_meanwhile(tmp_path: Path) -> None:
    one, two = hold(tmp_path), hold(tmp_path)
    assert one is not None and two is not None
    let_go(one)
    with pytest.raises(InUse, match="a session that runs uses them"), alone(tmp_path):
        pass
    let_go(two)
    with alone(tmp_path):
        pass
    let_go(None)


def test_who_comes_while_something_is_removed_waits_for_a_moment(tmp_path: Path) -> None:
    found: list[int | None] = []
    with alone(tmp_path):
        waiting = threading.Thread(target=lambda: found.append(hold(tmp_path)))
        waiting.start()
        time.sleep(0.05)
        assert found == []
    waiting.join(10)
    assert [handle is not None for handle in found] == [True]
    let_go(found[0])


def test_it_goes_on_without_when_that_takes_too_long(tmp_path: Path) -> None:
    begun = time.monotonic()
    with alone(tmp_path):
        assert hold(tmp_path) is None
    assert 0.9 < time.monotonic() - begun < 9


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    away = tmp_path / "away"
    (tmp_path / "store").mkdir()
    os.symlink(away, tmp_path / "store" / "lock")
    with pytest.raises(OSError):
        hold(tmp_path / "store")
    assert not away.exists()

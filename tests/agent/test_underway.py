from __future__ import annotations

from pathlib import Path

from agentmem.agent.underway import Underway, left, runs


def test_a_mark_stands_while_a_command_runs(tmp_path: Path) -> None:
    folders = (tmp_path / "home", tmp_path / "project")
    marks = Underway(folders)
    assert [runs(one) for one in folders] == [False, False]
    marks.hold()
    marks.hold()
    assert [runs(one) for one in folders] == [True, True]
    assert [left(one) for one in folders] == [[], []]
    marks.release()
    assert [runs(one) for one in folders] == [False, False]
    assert [list(one.iterdir()) for one in folders] == [[], []]


def test_what_nobody_locks_was_left_by_a_kill(tmp_path: Path) -> None:
    marks, others = Underway((tmp_path,)), Underway((tmp_path,))
    marks.hold()
    others.hold()
    marks.release(looked=False)
    assert runs(tmp_path)
    (path,) = left(tmp_path)
    path.unlink()
    others.release()
    assert list(tmp_path.iterdir()) == []


def test_where_no_mark_can_be_made_nothing_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    marks = Underway((tmp_path / "file" / "below",))
    marks.hold()
    marks.release()
    assert not runs(tmp_path / "file")
    assert left(tmp_path / "file") == []

"""The catalogue of a folder of logs: what is no session in it, and which session is the last one here."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentmem.memory.read import catalogue

HEAD = {"type": "session", "id": "s", "at": "2026-11-30T12:02:11Z", "cwd": "/w", "parent_session": None}
FIRST = {"type": "message", "id": "a", "role": "user", "content": "first"}


def test_files_that_are_no_sessions_are_survived(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "noise.jsonl").write_bytes(b"\0\xff\n[1]\n" + b'{"role":"user","text":"\\u12' * 2000)
    (tmp_path / "dir.jsonl").mkdir()
    (tmp_path / "other.txt").touch()
    assert {(one.id, one.preview, one.last) for one in catalogue.heads(tmp_path)} == {
        ("empty", "", ""),
        ("noise", "", ""),
    }


def test_the_last_session_here_is_known_by_a_header_that_is_not_first(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps(FIRST) + "\n" + json.dumps(HEAD) + "\n")
    assert catalogue.last(tmp_path, "/w", "/w") == "s"


def test_a_session_whose_header_is_lost_can_be_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps(FIRST) + "\n" + '{"type":"sess')
    assert catalogue.last(tmp_path, "/elsewhere", "/elsewhere") == "s"


def begun(folder: Path, own: str, **header: object) -> None:
    """A log of one session, with more of its header."""
    (folder / f"{own}.jsonl").write_text(json.dumps({**HEAD, "id": own, **header}) + "\n" + json.dumps(FIRST) + "\n")


def test_sub_sessions_and_forks_are_known_by_their_headers(tmp_path: Path) -> None:
    begun(tmp_path, "a")
    begun(tmp_path, "b", parent_session="a")
    begun(tmp_path, "c", parent_session="b")
    begun(tmp_path, "d", parent_session="a", reset=True)
    begun(tmp_path, "e", forked_from={"session": "a", "entry": None})
    assert catalogue.below(tmp_path, "a") == ["b", "c"]
    assert catalogue.forks(tmp_path) == ["e"]
    assert {one.id for one in catalogue.heads(tmp_path)} == {"a", "d", "e"}
    assert len(catalogue.heads(tmp_path, every=True)) == 5


def test_a_session_is_called_by_its_start_or_its_name(tmp_path: Path) -> None:
    for own in ("2026-11-29T09-00-00-aa11", "2026-11-30T09-00-00-bb22", "2026-11-30T10-00-00-cc33"):
        begun(tmp_path, own)
    with (tmp_path / "2026-11-30T09-00-00-bb22.jsonl").open("a") as log:
        log.write(json.dumps({"type": "session_info", "id": "n", "name": "The Bug"}) + "\n")
    assert catalogue.find(tmp_path, "2026-11-30T09") == ("2026-11-30T09-00-00-bb22",)
    assert catalogue.find(tmp_path, "2026-11-30T10-00-00-cc33") == ("2026-11-30T10-00-00-cc33",)
    assert len(catalogue.find(tmp_path, "2026-11-30")) == 2
    assert catalogue.find(tmp_path, "") == ()
    assert catalogue.called(tmp_path, " the bug ") == ("2026-11-30T09-00-00-bb22",)
    assert catalogue.near(tmp_path, "2026-11-30T23") == ("2026-11-30T10-00-00-cc33", "2026-11-30T09-00-00-bb22")
    assert len(catalogue.near(tmp_path, "zzz")) == 3


def test_the_sessions_of_a_project_that_was_moved_are_its_own(tmp_path: Path) -> None:
    begun(tmp_path, "a", cwd=str(tmp_path / "gone"))
    assert catalogue.last(tmp_path, "/w", "/w") == "a"
    begun(tmp_path, "b", cwd="/w/below")
    assert catalogue.last(tmp_path, "/w", "/w") == "b"
    begun(tmp_path, "c", cwd=str(tmp_path))  # another project, which is there
    assert catalogue.last(tmp_path, "/w", "/w") == "b"
    assert catalogue.last(tmp_path / "none", "/w", "/w") is None


def test_what_stands_where_a_log_belongs_is_told(tmp_path: Path) -> None:
    begun(tmp_path, "a", cwd=str(tmp_path))
    (tmp_path / "b.jsonl").mkdir()
    os.utime(tmp_path / "b.jsonl", (0, 0))
    assert [failure.filename for failure in catalogue.no_logs(tmp_path)] == [str(tmp_path / "b.jsonl")]
    assert [failure.filename for failure in catalogue.unreadable(tmp_path)] == [str(tmp_path / "b.jsonl")]
    assert catalogue.unreadable(tmp_path, "a") == []  # it is older than that one
    assert catalogue.head(tmp_path, "b") is None
    with pytest.raises(OSError, match="directory"):
        catalogue.last(tmp_path, "/other", "/other")
    (tmp_path / "file").touch()
    assert [failure.filename for failure in catalogue.no_logs(tmp_path / "file")] == [str(tmp_path / "file")]


def test_the_last_session_is_the_one_that_goes_on_after_a_reset_also_in_one_tick_of_the_clock(tmp_path: Path) -> None:
    for own, head, end in (
        ("c", {}, [{"type": "reset", "id": "r1", "parent_id": None, "at": "", "to": "a"}]),
        ("a", {"parent_session": "c", "reset": True}, [{"type": "reset", "id": "r2", "parent_id": None, "to": "b"}]),
        ("b", {"parent_session": "a", "reset": True}, []),
    ):
        rows = [{"type": "session", "id": own, "version": 1, "at": "", "cwd": "/w", **head}, *end]
        path = tmp_path / f"{own}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, ns=(5, 5))
    assert catalogue.last(tmp_path, "/w", "/w") == "b"
    with (tmp_path / "c.jsonl").open("a") as log:  # the person went on in the old one
        log.write('{"type":"message","id":"m1","parent_id":"r1","at":"","role":"user","content":"on"}\n')
    assert catalogue.last(tmp_path, "/w", "/w") == "c"
    (tmp_path / "c.jsonl").unlink()
    (tmp_path / "b.jsonl").unlink()
    assert catalogue.last(tmp_path, "/w", "/w") == "a"

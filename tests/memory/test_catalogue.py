"""The catalogue of a folder of logs: what is no session in it, and which session is the last one here."""

from __future__ import annotations

import json
from pathlib import Path

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

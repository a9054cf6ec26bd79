from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentmem.memory.read import catalogue

HEAD = {"type": "session", "id": "s", "at": "2026-11-30T12:02:11Z", "cwd": "/w", "parent_session": None}


def write(folder: Path, *values: dict[str, Any], tail: bytes = b"") -> None:
    data = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)
    (folder / "s.jsonl").write_bytes(data + tail)


def said(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    part = {"type": "text", "text": text, "origin": more.pop("origin", "person")}
    return {"type": "message", "id": "a", "role": role, "content": [part], **more}


def head(folder: Path) -> tuple[str, str]:
    (found,) = catalogue.heads(folder)
    return found.preview, found.last


def test_a_session_at_a_glance(tmp_path: Path) -> None:
    write(
        tmp_path, HEAD, said("note", notice=True, origin="harness"), said("fix\n the  bug"), said("done", "assistant")
    )
    (found,) = catalogue.heads(tmp_path)
    assert (found.id, found.at, found.cwd) == ("s", "2026-11-30T12:02:11Z", "/w")
    assert (found.preview, found.last) == ("fix the bug", "done")
    assert found.size == (tmp_path / "s.jsonl").stat().st_size


def test_long_logs_are_read_at_both_ends(tmp_path: Path) -> None:
    middle = [said("x" * 5000, "assistant") for _ in range(40)]
    write(tmp_path, HEAD, said("first"), *middle, said("last one", "assistant"), tail=b'{"torn')
    assert head(tmp_path) == ("first", "last one")


def test_a_first_message_longer_than_the_head_still_has_a_preview(tmp_path: Path) -> None:
    write(tmp_path, HEAD, said('say "é" ' + "y" * 50_000))
    preview, _ = head(tmp_path)
    assert preview.startswith('say "é" yyy')
    assert len(preview) == 200


def test_files_that_are_no_sessions_are_survived(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "noise.jsonl").write_bytes(b"\0\xff\n[1]\n" + b'{"role":"user","text":"\\u12' * 2000)
    (tmp_path / "dir.jsonl").mkdir()
    (tmp_path / "other.txt").touch()
    assert {(one.id, one.preview, one.last) for one in catalogue.heads(tmp_path)} == {
        ("empty", "", ""),
        ("noise", "", ""),
    }


def test_a_header_that_is_not_first_is_found(tmp_path: Path) -> None:
    write(tmp_path, said("first"), HEAD, said("done", "assistant"))
    (found,) = catalogue.heads(tmp_path)
    assert (found.cwd, found.preview, found.last) == ("/w", "first", "done")
    assert catalogue.last(tmp_path, "/w", "/w") == "s"


def test_a_session_whose_header_is_lost_can_be_gone_on_with(tmp_path: Path) -> None:
    write(tmp_path, said("first"), tail=b'{"type":"sess')
    assert catalogue.last(tmp_path, "/elsewhere", "/elsewhere") == "s"

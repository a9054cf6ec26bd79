"""A session at a glance: what the two ends of a log tell of it, whatever else stands there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentmem.memory.read.sessionhead import SessionHead, giver, glance, header_of

HEAD = {"type": "session", "id": "s", "at": "2026-11-30T12:02:11Z", "cwd": "/w", "parent_session": None}


def write(folder: Path, *values: dict[str, Any], tail: bytes = b"") -> str:
    data = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)
    (folder / "s.jsonl").write_bytes(data + tail)
    return str(folder / "s.jsonl")


def said(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    part = {"type": "text", "text": text, "origin": more.pop("origin", "person")}
    return {"type": "message", "id": "a", "role": role, "content": [part], **more}


def test_a_session_at_a_glance(tmp_path: Path) -> None:
    note = said("note", notice=True, origin="harness")
    path = write(tmp_path, HEAD, note, said("fix\n the  bug"), said("done", "assistant"))
    stat = Path(path).stat()
    assert glance(path) == SessionHead(
        "s", "2026-11-30T12:02:11Z", "/w", "fix the bug", "done", stat.st_mtime, stat.st_size
    )


def test_long_logs_are_read_at_both_ends(tmp_path: Path) -> None:
    middle = [said("x" * 5000, "assistant") for _ in range(40)]
    found = glance(write(tmp_path, HEAD, said("first"), *middle, said("last one", "assistant"), tail=b'{"torn'))
    assert (found.preview, found.last) == ("first", "last one")


def test_a_first_message_longer_than_the_head_still_has_a_preview(tmp_path: Path) -> None:
    found = glance(write(tmp_path, HEAD, said('say "é" ' + "y" * 50_000)))
    assert found.preview.startswith('say "é" yyy')
    assert len(found.preview) == 200


def test_a_header_that_is_not_first_is_found(tmp_path: Path) -> None:
    path = write(tmp_path, said("first"), HEAD, said("done", "assistant"))
    found = glance(path)
    assert (found.cwd, found.preview, found.last) == ("/w", "first", "done")
    assert header_of(path) == HEAD


def test_what_is_no_log_has_an_empty_header(tmp_path: Path) -> None:
    assert header_of(str(tmp_path / "none.jsonl")) == {}
    assert header_of(write(tmp_path, said("first"))) == {}


def test_a_session_that_goes_on_after_a_reset_is_nobodys_sub_session(tmp_path: Path) -> None:
    given = {**HEAD, "parent_session": "p"}
    assert (giver(HEAD), giver(given), giver({**given, "reset": True})) == (None, "p", None)
    assert glance(write(tmp_path, {**given, "reset": True})).follows == "p"
    assert glance(write(tmp_path, given)).parent == "p"


def test_its_last_name_is_its_title(tmp_path: Path) -> None:
    named = [{"type": "session_info", "id": "n", "name": name} for name in ("one", "two  words")]
    found = glance(write(tmp_path, HEAD, said("first"), *named))
    assert (found.name, found.title) == ("two words", "two words")
    assert glance(write(tmp_path, HEAD, said("first"))).title == "first"

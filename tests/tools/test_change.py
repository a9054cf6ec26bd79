from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.change import Change, Refused, encoded, make


def test_another_program_was_quicker(context: ToolContext) -> None:
    path = context.cwd / "f"
    path.write_bytes(b"theirs\n")
    result = make(Change(path, "f", b"mine\n", b"new\n", "done"), context)
    assert result == ToolResult(
        "f was changed by another program just now; read it again. Nothing was written", error=True
    )
    assert (path.read_bytes(), context.seen) == (b"theirs\n", {})
    assert make(Change(path, "f", None, b"new\n", "done"), context).error
    assert path.read_bytes() == b"theirs\n"


def test_it_became_something_else(context: ToolContext) -> None:
    (context.cwd / "f").mkdir()
    result = make(Change(context.cwd / "f", "f", b"mine\n", b"new\n", "done"), context)
    assert result == ToolResult("f is a directory, not a file", error=True)


def test_it_is_gone(context: ToolContext) -> None:
    result = make(Change(context.cwd / "f", "f", b"mine\n", b"new\n", "done"), context)
    assert result == ToolResult("f: no such file or directory", error=True)


def test_a_change_is_stored_shown_and_seen(context: ToolContext, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\n")
    result = make(Change(path, "../x", b"a\n", b"b\n", "done"), context)
    assert result == ToolResult("done", diff=f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n")
    assert context.seen == {str(path): "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f"}


def test_half_a_character() -> None:
    assert encoded("a\u00e9", "new") == b"a\xc3\xa9"
    with pytest.raises(Refused, match="new holds half a character"):
        encoded("a\ud83d", "new")

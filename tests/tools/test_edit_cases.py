"""Every case of the shared edit cases: the accepted results, the errors, and what must never be on disk."""

from __future__ import annotations

import base64
import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools import edit, read

_FOLDER = Path(os.environ.get("AGENTMEM_SHARED") or Path(__file__).resolve().parents[3] / "shared")
_FILE = _FOLDER / "cases" / "edit_cases.jsonl"


def _cases() -> list[Any]:
    if not _FILE.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"needs the shared edit cases; none at {_FILE}"))]
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").split("\n") if line]
    return [pytest.param(row, id=row["id"]) for row in rows]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _set_up(case: dict[str, Any], context: ToolContext) -> Path:
    """The files of a case; gives the path whose bytes count."""
    path = context.cwd / "f"
    before = _bytes(case["before_b64"])
    if case["setup"] == "mkdir f":
        path.mkdir()
    elif case["id"] in ("E54", "E55"):
        real = context.cwd / "real.txt"
        real.write_bytes(before or b"")
        if case["id"] == "E54":
            path.symlink_to("real.txt")
        else:
            os.link(real, path)
    elif before is not None:
        path.write_bytes(before)
    if case["mode"]:
        path.chmod(int(case["mode"], 8))
    if case["id"] == "E57":
        read.TOOL.run({"path": "f"}, context)
        path.write_bytes(b"v=1\nw=7\n")
    return path


@pytest.mark.parametrize("case", _cases())
def test_edit_case(case: dict[str, Any], context: ToolContext) -> None:
    path = _set_up(case, context)
    before = path.read_bytes() if path.is_file() else None
    times = path.stat().st_mtime_ns if path.exists() else None
    start = time.process_time()

    result = edit.TOOL.run({"path": "f", "edits": case["edits"]}, context)

    assert time.process_time() - start < 1
    after = path.read_bytes() if path.is_file() else None
    never = [_bytes(text) for text in case["never_after_b64"]]
    accepted = [_bytes(text) for text in case["accept_after_b64"]]
    assert after not in never
    if result.error:
        assert case["accept_error"] is not None, result.text
        assert after == before
        assert times == (path.stat().st_mtime_ns if path.exists() else None)
        assert result.diff is None
    else:
        assert after in accepted, result.text
    _check_more(case["id"], path, result)


def _check_more(name: str, path: Path, result: ToolResult) -> None:
    """What a case asks for beyond the bytes."""
    wanted: dict[str, str] = {
        "E08": "2 places",
        "E12": "the file ends without a newline, old has one",
        "E15": "2 places of f (lines 1, 3)",
        "E17": "2 places",
        "E19": "beta",
        "E20": "no change",
        "E24": "no such file",
        "E25": "is a directory",
        "E27": "the file indents with tabs",
        "E40": "UTF-16",
        "E43": "binary",
        "E47": "line numbers",
        "E48": "placeholder",
        "E51": "edit 2 of 2: old was not found",
        "E52": "edits 1 and 2 overlap",
        "E56": "read-only",
        "E57": "read it again",
    }
    assert wanted.get(name, "") in result.text
    if name == "E36":
        assert result.text == "edited f: 1 place, line 2"
    if name == "E37":
        assert result.diff == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-using A;\n+using B;\n end\n"
    if name == "E49":
        assert len(result.diff or "") < 2_000
    if name == "E53":
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
    if name == "E54":
        assert path.is_symlink()
        assert (path.parent / "real.txt").read_bytes() == b"v=2\n"
    if name == "E56":
        assert stat.S_IMODE(path.stat().st_mode) == 0o444

from __future__ import annotations

import os
import socket

import pytest

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import ls


def test_what_is_listed(context: ToolContext) -> None:
    root = context.cwd
    for name in ("b.txt", ".hidden", "B.txt", "a b", "Ä", "line\nend"):
        (root / name).write_bytes(b"")
    (root / "sub").mkdir()
    (root / "to_sub").symlink_to("sub")
    (root / "to_file").symlink_to("b.txt")
    (root / "gone").symlink_to("no\twhere")
    (root / "round").symlink_to("round")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(root / "sock"))
    with open(os.fsencode(root) + b"/caf\xe9", "wb"):
        pass
    assert ls.TOOL.run({}, context).text.split("\n") == [
        ".hidden",
        "a b",
        "B.txt",
        "b.txt",
        "caf\\xe9",
        "gone -> no\\twhere [broken]",
        "line\\nend",
        "pipe [pipe]",
        "round -> round [Too many levels of symbolic links]",
        "sock [socket]",
        "sub/",
        "to_file -> b.txt",
        "to_sub -> sub/",
        "Ä",
    ]


def test_five_hundred_at_most(context: ToolContext) -> None:
    for number in range(1, 1_203):
        (context.cwd / f"{number:04}").write_bytes(b"")
    rows = ls.TOOL.run({"path": "."}, context).text.split("\n")
    assert (rows[0], rows[499], len(rows)) == ("0001", "0500", 501)
    assert rows[500] == "[entries 1-500 of 1,202; offset 501 shows the next, find looks deeper]"
    rows = ls.TOOL.run({"path": ".", "offset": 1001}, context).text.split("\n")
    assert (rows[0], rows[-1], len(rows)) == ("1001", "1202", 202)
    assert ls.TOOL.run({"offset": 2000}, context).text == (
        "[the directory has 1,202 entries; offset 2000 is beyond the last]"
    )


def test_fifty_kilobytes_at_most(context: ToolContext) -> None:
    for number in range(300):
        (context.cwd / f"{number:03}{'n' * 240}").write_bytes(b"")
    text = ls.TOOL.run({}, context).text
    assert len(text.encode()) <= 50_000
    assert text.endswith("[entries 1-204 of 300; offset 205 shows the next, find looks deeper]")


def test_what_cannot_be_listed(context: ToolContext) -> None:
    (context.cwd / "f").write_bytes(b"abc")
    assert ls.TOOL.run({"path": "f"}, context) == ToolResult("f is a file, not a directory: use read", error=True)
    assert ls.TOOL.run({"path": "F"}, context) == ToolResult("F: no such file or directory; near it: f", error=True)
    assert ls.TOOL.run({"path": "\0"}, context) == ToolResult("the path holds a NUL byte", error=True)
    (context.cwd / "empty").mkdir()
    assert ls.TOOL.run({"path": "empty"}, context) == ToolResult("[the directory is empty]")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every directory")
def test_a_directory_that_may_not_be_read(context: ToolContext) -> None:
    (context.cwd / "shut").mkdir(mode=0)
    assert ls.TOOL.run({}, context).text == "shut/ [may not be read]"
    assert ls.TOOL.run({"path": "shut"}, context) == ToolResult("shut: permission denied", error=True)


def test_access(context: ToolContext) -> None:
    assert ls.TOOL.reads_only
    assert ls.TOOL.access({}, context) == (Access("read", str(context.cwd), "."),)

from __future__ import annotations

import os
import re
import socket
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import read
from agentmem.tools.page import Page, Request


def put(context: ToolContext, data: bytes, name: str = "f") -> Path:
    path = context.cwd / name
    path.write_bytes(data)
    return path


def run(context: ToolContext, path: str = "f", **more: Any) -> ToolResult:
    return read.TOOL.run({"path": path, **more}, context)


def test_lines_are_numbered_and_the_file_is_seen(context: ToolContext) -> None:
    path = put(context, b"one\n\nthree")
    assert run(context) == ToolResult("1\tone\n2\t\n3\tthree")
    assert context.seen == {str(path): "55684904aa903e84780d43de4311cee8d2e27d9194403cab386a848736acf7d9"}


@pytest.mark.parametrize(
    ("data", "more", "text"),
    [
        (b"a\nb\nc\n", {"offset": 2}, "2\tb\n3\tc"),
        (b"a\nb\nc\n", {"offset": 2, "limit": 1}, "2\tb\n[line 2 of 3; offset 3 goes on]"),
        (b"a\nb\nc\n", {"limit": 2}, "1\ta\n2\tb\n[lines 1-2 of 3; offset 3 goes on]"),
        (b"a\nb\nc\n", {"limit": 3}, "1\ta\n2\tb\n3\tc"),
        (b"a\nb\nc", {"limit": "2"}, "1\ta\n2\tb\n[lines 1-2 of 3; offset 3 goes on]"),
        (b"a\n", {"offset": 0, "limit": -3}, "1\ta"),
        (b"a\r\nb\rc\r\n", {}, "1\ta\n2\tb\rc"),
        (b"\xef\xbb\xbfa\n", {}, "1\ta"),
        ("p\u2028q\x0br\x85s\n".encode(), {}, "1\tp\u2028q\x0br\x85s"),
        (b"a\xff\xfeb\n", {}, "1\ta\\xff\\xfeb\n[bytes that are not UTF-8 are shown as \\xNN; edit keeps them]"),
        (b"s = '\\xff'\n", {}, "1\ts = '\\xff'"),
        ("ok \ufffd é\n".encode(), {}, "1\tok \ufffd é"),
        (b"", {}, "[the file is empty]"),
        ("\ufeffhé\r\nb".encode("utf-16-le"), {}, "1\thé\n2\tb\n[UTF-16 text; edit and write do not touch it]"),
        ("\ufeffhé\n".encode("utf-32-be"), {}, "1\thé\n[UTF-32 text; edit and write do not touch it]"),
    ],
)
def test_what_is_shown(context: ToolContext, data: bytes, more: dict[str, Any], text: str) -> None:
    put(context, data)
    assert run(context, **more) == ToolResult(text)


@pytest.mark.parametrize(
    ("data", "offset", "text"),
    [
        (b"a\nb\n", 3, "[the file has 2 lines; offset 3 is beyond its end]"),
        (b"a", 9, "[the file has 1 line; offset 9 is beyond its end]"),
        (b"", 2, "[the file is empty]"),
    ],
)
def test_offset_beyond_the_end(context: ToolContext, data: bytes, offset: int, text: str) -> None:
    put(context, data)
    assert run(context, offset=offset) == ToolResult(text, error=True)


def test_two_thousand_lines_at_most(context: ToolContext) -> None:
    put(context, b"".join(b"%d\n" % n for n in range(1, 5_322)))
    rows = run(context).text.split("\n")
    assert (len(rows), rows[-2:]) == (2_001, ["2000\t2000", "[lines 1-2000 of 5321; offset 2001 goes on]"])
    assert len(run(context, limit=9_999).text.split("\n")) == 2_001
    assert run(context, offset=5_321).text == "5321\t5321"


def test_fifty_kilobytes_at_most_and_the_offsets_lead_through_the_file(context: ToolContext) -> None:
    lines = ["é" * (n % 900) for n in range(1, 800)]
    put(context, "\n".join(lines).encode())
    got: list[str] = []
    offset, pages = 1, 0
    while offset:
        text = run(context, offset=offset).text
        assert len(text.encode()) <= 50_000
        goes_on = re.search(r"\n\[lines \d+-\d+ of 799; offset (\d+) goes on\]$", text)
        offset = int(goes_on[1]) if goes_on else 0
        got += [row.split("\t", 1)[1] for row in (text[: goes_on.start()] if goes_on else text).split("\n")]
        pages += 1
    assert got == lines
    assert pages == 14


@pytest.mark.parametrize("data", ["x" * 200_000, "é€😀" * 30_000, "ab" * 2_000 + "c"])
def test_the_columns_lead_through_a_long_line(context: ToolContext, data: str) -> None:
    put(context, b"first\n" + data.encode() + b"\nlast\n")
    text = run(context).text
    assert text.startswith("1\tfirst\n2\t")
    assert text.endswith("\n3\tlast")
    got, column = "", 0
    size = len(data.encode())
    row = text.split("\n")[1].removeprefix("2\t")
    for _ in range(20):
        goes_on = re.search(rf" … \[line 2 has {size} bytes; column (\d+) goes on\]", row)
        got += row[: goes_on.start()] if goes_on else row
        if not goes_on:
            break
        column = int(goes_on[1])
        assert column > len(got.encode())
        text = run(context, offset=2, column=column).text
        assert len(text.encode()) <= 50_000
        row = text.removeprefix("2\t").removesuffix("\n[line 2 of 3; offset 3 goes on]")
    assert got == data


def test_column_in_bytes_that_are_no_text_and_beyond_the_end(context: ToolContext) -> None:
    put(context, b"x" * 9_000 + b"\xff" * 60_000)
    text = run(context, column=9_001).text
    assert len(text.encode()) <= 50_000
    assert text.startswith("1\t\\xff\\xff")
    assert " … [line 1 has 69000 bytes; column 21251 goes on]" in text
    assert run(context, column=70_000).text == "1\t[line 1 has only 69000 bytes]"
    assert run(context, offset=1, column=1, limit=5).text.startswith("1\txxx")


def test_crlf_at_the_cut(context: ToolContext) -> None:
    put(context, b"x" * 4_000 + b"\r\ny\r\n")
    rows = run(context).text.split("\n")
    assert rows == ["1\t" + "x" * 4_000, "2\ty"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"\x7fELF\x02\x01\x01\x00abc",
            "[binary, 11 bytes, begins 7f 45 4c 46 02 01 01 00: not shown; bash can look at",
        ),
        (bytes(range(128, 256)) * 40, "[5,120 bytes, mostly not UTF-8: not shown; bash can convert it (iconv)"),
        (b"\xff\xfea", "[3 bytes, mostly not UTF-8: not shown"),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02",
            "[image/png image, 640 x 480 pixels, 26",
        ),
        (b"GIF89a" + struct.pack("<HH", 3, 4), "[image/gif image, 3 x 4 pixels, 10 bytes: not shown]"),
        (
            b"\xff\xd8\xff\xe0\x00\x04JF\xff\xff\xc0\x00\x11\x08" + struct.pack(">HH", 480, 640) + b"\x03",
            "[image/jpeg image, 640 x 480 pixels, 19 bytes",
        ),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "[image/jpeg image, 10 bytes"),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x7f\x02\0\xdf\x01\0", "[image/webp image, 640 x 480 pixels, 30 bytes"),
        (b"RIFF\0\0\0\0WEBPVP8L" + bytes(5) + b"\x7f\xc2\x77\0", "[image/webp image, 640 x 480 pixels, 25 bytes"),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + b"\x80\x02\xe0\x01", "[image/webp image, 640 x 480 pixels, 30 bytes"),
    ],
)
def test_what_is_no_text(context: ToolContext, data: bytes, text: str) -> None:
    put(context, data)
    result = run(context)
    assert (result.text[: len(text)], result.error) == (text, False)
    assert context.seen == {}


def test_a_nul_far_into_a_text(context: ToolContext) -> None:
    put(context, b"a\n" * 5_000 + b"b\0c\n")
    assert (
        run(context, offset=5_001).text
        == "5001\tb\\x00c\n[bytes that are not UTF-8 are shown as \\xNN; edit keeps them]"
    )


@pytest.mark.parametrize("size", [60_000, 300_000])
def test_digest_of_long_files(context: ToolContext, size: int) -> None:
    path = put(context, b"x" * size)
    run(context, limit=1)
    first = context.seen[str(path)]
    path.write_bytes(b"x" * (size - 1) + b"y")
    run(context, limit=1)
    assert context.seen[str(path)] != first


def test_a_huge_file_is_not_read_whole(context: ToolContext) -> None:
    path = context.cwd / "f"
    with open(path, "wb") as file:
        file.write(b"begin\n" * 20_000)
        file.truncate(40_000_000_000)
    context.seen[str(path)] = "of an earlier time"
    start = time.process_time()
    result = run(context)
    assert time.process_time() - start < 2
    assert result.text.endswith("2000\tbegin\n[lines 1-2000 of more than 20000; offset 2001 goes on]")
    assert context.seen == {}


def test_a_cancelled_read_ends(context: ToolContext) -> None:
    put(context, b"a\n")
    context.cancel.cancel()
    assert run(context) == ToolResult("interrupted while reading", error=True)


def test_what_is_no_file(context: ToolContext) -> None:
    (context.cwd / "d").mkdir()
    assert run(context, "d") == ToolResult("d is a directory: use ls", error=True)
    os.mkfifo(context.cwd / "p")
    assert run(context, "p") == ToolResult("p is a pipe, and only files are read", error=True)
    assert run(context, "/dev/zero") == ToolResult("/dev/zero is a device, and only files are read", error=True)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(context.cwd / "s"))
        assert run(context, "s") == ToolResult("s is a socket, and only files are read", error=True)


def test_what_is_not_there(context: ToolContext) -> None:
    for name in ("README.md", "main.py", "Main.rs", "x\ny.txt"):
        put(context, b"", name)
    assert run(context, "readme.md").text == "readme.md: no such file or directory; near it: README.md"
    assert run(context, "main.rs").text == "main.rs: no such file or directory; near it: Main.rs, main.py"
    assert run(context, "xy.txt").text == "xy.txt: no such file or directory; near it: x\\ny.txt"
    assert run(context, "zzzzzz").text == "zzzzzz: no such file or directory"
    assert run(context, "a/b/c").text == (
        f"a/b/c: no such file or directory; there is no {context.cwd}/a/b, only {context.cwd}"
    )
    assert run(context, "main.py/c").text == "main.py/c: a part of the path is a file, not a directory"
    (context.cwd / "loop").symlink_to("loop")
    assert run(context, "loop").text == "loop: its links go round in a circle"
    assert run(context, "n" * 300).text == "n" * 300 + ": the name is too long for this disk"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a\0b", "the path holds a NUL byte"),
        ("  ", "the path is empty"),
        ("\ud83d", "the path holds half a character (a lone surrogate)"),
    ],
)
def test_paths_no_file_can_have(context: ToolContext, path: str, text: str) -> None:
    assert run(context, path) == ToolResult(text, error=True)
    assert read.TOOL.access({"path": path}, context) == ()


def test_read_only_reads(context: ToolContext) -> None:
    assert read.TOOL.reads_only
    assert read.TOOL.preview is None
    assert read.TOOL.access({"path": "f"}, context) == (Access("read", str(context.cwd / "f"), "f"),)


def test_a_page_is_the_same_for_all_sizes_of_chunk() -> None:
    data = b"\xef\xbb\xbfone\r\n" + b"two" * 3_000 + "\nthré\n".encode() + b"\n" + b"last"
    wanted: tuple[list[str], int] | None = None
    for size in (len(data), 1_000, 7, 3):
        page = Page(Request(first=2, count=3))
        for start in range(0, len(data), size):
            page.feed(data[start : start + size])
        page.close()
        assert wanted in (None, (page.rows, page.passed))
        wanted = (page.rows, page.passed)
    assert wanted == ([f"2\t{'two' * 1_333}t … [line 2 has 9000 bytes; column 4001 goes on]", "3\tthré", "4\t"], 5)

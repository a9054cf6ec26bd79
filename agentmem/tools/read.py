"""read: a part of a text file, each line with its number, and word of what else the file holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from agentmem.domain.cancel import Cancelled
from agentmem.domain.picture import picture
from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.change import FILE_MOST
from agentmem.tools.content import HEAD, looks_binary, wide
from agentmem.tools.page import LINES_MOST, Page, Request
from agentmem.tools.specs import READ
from agentmem.tools.target import access_of, printable, target, trouble
from agentmem.workspace.file import NotRegular, open_regular
from agentmem.workspace.paths import BadPath

_CHUNK = 262_144  # bytes
_WIDE_MOST = 16_000_000  # bytes of a UTF-16 file that are decoded


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    named = arguments["path"]
    try:
        path = target(arguments, context)
    except BadPath as error:
        return ToolResult(str(error), error=True)
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return _read(file, path, arguments, context)
    except Cancelled:
        return ToolResult("interrupted while reading", error=True)
    except NotRegular as error:
        advice = ": use ls" if str(error) == "a directory" else ", and only files are read"
        return ToolResult(f"{printable(named)} is {error}{advice}", error=True)
    except OSError as error:
        return ToolResult(trouble(error, named, path), error=True)


def _read(file: BinaryIO, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    head = file.read(HEAD) or b""  # None: a file of the kernel that has nothing to give now
    size = max(os.fstat(file.fileno()).st_size, len(head))
    column = arguments.get("column")
    request = Request(
        max(1, arguments.get("offset", 1)),
        max(1, arguments.get("limit", LINES_MOST)),
        max(1, column) if column else None,
    )
    if wide(head) is not None and size <= _WIDE_MOST:
        return _read_wide(head + (file.read() or b""), request)
    if picture(head) is not None or looks_binary(head):
        return ToolResult(_not_text(head + (file.read(_CHUNK) or b""), size))
    page = Page(request)
    mark = _stream(head, file, page, context)
    if mark is None:
        context.seen.pop(str(path), None)
    else:
        context.seen[str(path)] = mark
    return _result(page, whole=mark is not None)


def _stream(head: bytes, file: BinaryIO, page: Page, context: ToolContext) -> str | None:
    """Take the page out of the file. Gives the digest of all its bytes, None when it is too long to read on."""
    from hashlib import sha256

    sum_ = sha256()
    chunk, total = head, 0
    while chunk:
        context.cancel.check()
        total += len(chunk)
        page.feed(chunk)
        if total <= FILE_MOST:
            sum_.update(chunk)
        elif page.complete:
            return None
        chunk = file.read(_CHUNK)
    page.close()
    return sum_.hexdigest() if total <= FILE_MOST else None


def _read_wide(data: bytes, request: Request) -> ToolResult:
    codec = str(wide(data))
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return ToolResult(_not_text(data[:HEAD], len(data)))
    page = Page(request)
    page.feed(text.encode())
    page.close()
    result = _result(page, whole=True)
    return ToolResult(f"{result.text}\n[{codec.upper()} text; edit and write do not touch it]", error=result.error)


def _not_text(head: bytes, size: int) -> str:
    image = picture(head)
    if image is not None:
        sides = f", {image.width} x {image.height} pixels" if image.width else ""
        return f"[{image.media_type} image{sides}, {size:,} bytes: not shown]"
    if b"\0" not in head[:HEAD]:
        return f"[{size:,} bytes, mostly not UTF-8: not shown; bash can convert it (iconv) or look at it (file, xxd)]"
    return f"[binary, {size:,} bytes, begins {head[:8].hex(' ')}: not shown; bash can look at it (file, xxd, strings)]"


def _result(page: Page, whole: bool) -> ToolResult:
    """The page's rows and what they leave out."""
    first, rows = page.request.first, page.rows
    if not rows:
        if page.passed == 0:
            return ToolResult("[the file is empty]", error=first > 1)
        lines = f"{page.passed} line{'' if page.passed == 1 else 's'}"
        return ToolResult(f"[the file has {lines}; offset {first} is beyond its end]", error=True)
    notes = []
    last = page.next_line - 1
    if page.passed > last or not whole:
        total = f"{page.passed}" if whole else f"more than {page.passed}"
        shown_lines = f"line {first}" if last == first else f"lines {first}-{last}"
        notes.append(f"[{shown_lines} of {total}; offset {last + 1} goes on]")
    if page.foreign:
        notes.append("[bytes that are not UTF-8 are shown as \\xNN; edit keeps them]")
    return ToolResult("\n".join([*rows, *notes]))


TOOL = checked_tool(READ, _run, access_of("read"), reads_only=True)

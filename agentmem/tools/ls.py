"""ls: the entries of one directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import LS
from agentmem.tools.target import access_of, printable, target, trouble
from agentmem.workspace.paths import BadPath

ENTRIES_MOST = 500
BYTES_MOST = 50_000


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    named = arguments["path"]
    try:
        folder = target(arguments, context)
    except BadPath as error:
        return ToolResult(str(error), error=True)
    try:
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            return ToolResult(f"{printable(named)} is a file, not a directory: use read", error=True)
        names = sorted(os.listdir(folder), key=lambda name: (name.casefold(), name))
    except OSError as error:
        return ToolResult(trouble(error, named, folder), error=True)
    first = max(arguments.get("offset", 1), 1) - 1
    return ToolResult(_page(folder, names, first))


def _page(folder: Path, names: list[str], first: int) -> str:
    rows: list[str] = []
    size = 0
    for name in names[first : first + ENTRIES_MOST]:
        row = _entry(folder, name)
        size += len(row.encode()) + 1
        if size > BYTES_MOST and rows:
            break
        rows.append(row)
    if not names:
        return "[the directory is empty]"
    if not rows:
        return f"[the directory has {len(names):,} entries; offset {first + 1} is beyond the last]"
    last = first + len(rows)
    if last < len(names):
        rows.append(
            f"[entries {first + 1}-{last} of {len(names):,}; offset {last + 1} shows the next, find looks deeper]"
        )
    return "\n".join(rows)


def _entry(folder: Path, name: str) -> str:
    """One entry: what it is by a sign behind its name, as far as it may be looked at."""
    path = os.path.join(folder, name)
    text = printable(name)
    try:
        mode = os.lstat(path).st_mode
        if not stat.S_ISLNK(mode):
            return text + _sign(mode, path)
        text += f" -> {printable(os.readlink(path))}"
    except OSError as error:
        return f"{text} [{error.strerror}]"
    try:
        return text + _sign(os.stat(path).st_mode, path)
    except FileNotFoundError:
        return f"{text} [broken]"
    except OSError as error:
        return f"{text} [{error.strerror}]"


def _sign(mode: int, path: str) -> str:
    if stat.S_ISDIR(mode):
        return "/" if os.access(path, os.R_OK | os.X_OK) else "/ [may not be read]"
    if stat.S_ISREG(mode):
        return ""
    kinds = ((stat.S_ISFIFO, " [pipe]"), (stat.S_ISSOCK, " [socket]"))
    return next((sign for test, sign in kinds if test(mode)), " [device]")


def _here(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"path": ".", **arguments}


TOOL = checked_tool(
    LS,
    lambda arguments, context: _run(_here(arguments), context),
    lambda arguments, context: access_of("read")(_here(arguments), context),
    reads_only=True,
)

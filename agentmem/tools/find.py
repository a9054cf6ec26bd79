"""find: list the files, directories and links whose path fits a glob."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.scope import NoScope, find_scope, means, reading, remarks, shown
from agentmem.tools.specs import FIND
from agentmem.workspace.glob import BadGlob, Wanted
from agentmem.workspace.search import Done, find_paths
from agentmem.workspace.walk import Found, Ground

SHOWN = 1_000
"""Paths shown at most."""

LIMIT = 49_000
"""Bytes of paths shown at most."""


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        scope = find_scope(arguments.get("path", "."), arguments.get("ignored", False), context)
        wanted = Wanted(_relative(arguments["pattern"], scope.ground.base))
    except BadGlob as error:
        return ToolResult(f"find: the pattern cannot be used: {error}", error=True)
    except NoScope as error:
        return ToolResult(f"find: {error}", error=True)
    if scope.file is not None:
        return ToolResult(f"find: {arguments['path']} is a file, not a directory", error=True)
    found = _Listing(scope.ground, wanted, lambda path: shown(path, context))
    done = find_paths(scope.ground, means(context), found.take)
    return _told(done, found, scope.ground, means(context).limit)


def _relative(pattern: str, base: str) -> str:
    """The pattern from the directory that is searched, also when it was written from the top of the disk."""
    inner = pattern.removeprefix(base.rstrip("/") + "/")
    return f"./{inner}" if inner != pattern else pattern


def _told(done: Done, found: _Listing, ground: Ground, limit: float) -> ToolResult:
    lines, notes = list(found.lines), remarks(done, limit)
    if found.count > len(lines):
        least = "" if done.how == "exit" else "at least "
        notes.insert(0, f"{len(lines):,} of {least}{found.count:,} paths shown; narrow the pattern or the path")
    if not found.count:
        ignored = "" if ground.ignored else " and what .gitignore leaves out (`ignored: true` lists it)"
        lines.append(f"Nothing found. Not listed: .git{ignored}.")
    text = "\n".join([*lines, *(f"[{note}]" for note in notes)])
    return ToolResult(text, error=done.how in ("timeout", "cancelled"))


class _Listing:
    """Gathers the paths that fit, within bounds, and counts them all."""

    def __init__(self, ground: Ground, wanted: Wanted, show: Callable[[str], str]) -> None:
        self.lines: list[str] = []
        self.count = 0
        self._ground = ground
        self._wanted = wanted
        self._show = show
        self._size = 0

    def take(self, found: Found) -> None:
        names, folder = found.names[len(self._ground.start) :], found.kind == "folder"
        if not self._wanted.matches(names, folder):
            return
        self.count += 1
        if len(self.lines) >= SHOWN or self._size > LIMIT:
            return
        line = self._show(os.path.join(self._ground.base, *names)) + "/" * folder
        self._size += len(line.encode()) + 1
        if self._size <= LIMIT:
            self.lines.append(line)


TOOL = checked_tool(FIND, _run, reading, reads_only=True)

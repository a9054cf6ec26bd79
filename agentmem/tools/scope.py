"""Scope: what a search is pointed at, from the path a model named, and how paths are shown to it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.tool import Access, ToolContext
from agentmem.tools.target import access_of, printable, trouble
from agentmem.workspace.paths import BadPath, resolve
from agentmem.workspace.search import Done, Means
from agentmem.workspace.walk import Ground


class NoScope(Exception):
    """There is nothing to search; the message says why."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search: a directory as a ground, or the one `file` in it."""

    ground: Ground
    file: str | None = None


def find_scope(named: str, ignored: bool, context: ToolContext) -> Scope:
    """The scope that `named` means. Inside the project its .gitignore files count from the root down, elsewhere from
    the named directory down. Raises `NoScope`."""
    try:
        path = resolve(named, context.cwd)
    except BadPath as error:
        raise NoScope(str(error)) from error
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise NoScope(trouble(error, named, path)) from error
    if stat.S_ISREG(mode):
        return Scope(Ground(str(path.parent)), path.name)
    if not stat.S_ISDIR(mode):
        raise NoScope(f"{printable(named)} is neither a file nor a directory")
    root = Path(os.path.realpath(context.places.root))
    if path.is_relative_to(root):
        return Scope(Ground(str(root), path.relative_to(root).parts, ignored))
    return Scope(Ground(str(path), (), ignored))


def reading(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    """What a search touches: the path it is given, else the working directory."""
    return access_of("read")({"path": ".", **arguments}, context)


def means(context: ToolContext) -> Means:
    """What a search of this call runs with."""
    return Means(context.env, context.cancel)


def shown(path: str, context: ToolContext) -> str:
    """An absolute path as the model may name it again: from the working directory where it lies below it, in
    one line of valid text."""
    below = os.path.realpath(context.cwd) + os.sep
    short = path.removeprefix(below) if path.startswith(below) else path
    return printable(short)


def remarks(done: Done, limit: float) -> list[str]:
    """What a search could not see."""
    lines = []
    if done.how == "timeout":
        lines.append(f"stopped after {limit:g} s, there may be more; narrow the path")
    if done.how == "cancelled":
        lines.append("interrupted while running, by the user; there may be more")
    if done.unread:
        lines.append(f"{done.unread:,} files or directories could not be read")
    return lines

"""Scope: what a search is pointed at, from the path a model named, and how paths are shown to it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.tool import Access, ToolContext
from agentmem.workspace.paths import BadPath, resolve
from agentmem.workspace.search import Done, Means
from agentmem.workspace.walk import Ground


class NoTarget(Exception):
    """There is nothing to search; the message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to search: a directory as a ground, or the one `file` in it."""

    ground: Ground
    file: str | None = None


def find_target(named: str, ignored: bool, context: ToolContext) -> Target:
    """The target that `named` means. Inside the project its .gitignore files count from the root down, elsewhere from
    the named directory down. Raises `NoTarget`."""
    try:
        path = resolve(named, context.cwd)
        mode = os.stat(path).st_mode
    except BadPath as error:
        raise NoTarget(str(error)) from error
    except OSError as error:
        raise NoTarget(f"{named}: {error.strerror}") from error
    if stat.S_ISREG(mode):
        return Target(Ground(str(path.parent)), path.name)
    if not stat.S_ISDIR(mode):
        raise NoTarget(f"{named} is neither a file nor a directory")
    root = Path(os.path.realpath(context.places.root))
    if path.is_relative_to(root):
        return Target(Ground(str(root), path.relative_to(root).parts, ignored))
    return Target(Ground(str(path), (), ignored))


def reading(named: str, context: ToolContext) -> tuple[Access, ...]:
    """What a search touches."""
    try:
        return (Access("read", str(resolve(named, context.cwd)), named),)
    except BadPath:
        return ()


def means(context: ToolContext) -> Means:
    """What a search of this call runs with."""
    return Means(context.env, context.cancel)


def shown(path: str, context: ToolContext) -> str:
    """An absolute path as the model may name it again: from the working directory where it lies below it. Characters
    that are not for reading are escaped."""
    below = os.path.realpath(context.cwd) + os.sep
    short = path.removeprefix(below) if path.startswith(below) else path
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in short
    )


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

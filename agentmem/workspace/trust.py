"""Trust: which project folders the person vouched for, a file of their own level, one record a line.

    {"root":"/home/me/shop","at":"2026-11-30T09:14:03Z"}

A folder is known by the real path of its root, alone: what lies below it may be someone else's. The linked work trees
of a repository share the main one's record, where git's files say on both sides that they belong together: a folder
that came from elsewhere can claim anything about itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmem.workspace.guarded import TRUST
from agentmem.workspace.records import Record, change, records
from agentmem.workspace.worktree import shared_agent, work_tree


@dataclass(frozen=True, slots=True)
class Vouched:
    """A folder that is trusted, and since when (``2026-11-30T09:14:03Z``, "" where the record does not say)."""

    root: str
    at: str


def trusted(home: Path, root: Path) -> bool:
    """Whether the person (whose level is `home`) vouched for the project at `root`. A record that cannot be read
    vouches for nothing."""
    listed = {one.root for one in vouched(home)}
    return bool(listed) and not listed.isdisjoint(_names(root))


def trust(home: Path, root: Path, at: str) -> str:
    """Trust the project at `root` from `at` on; gives the folder that the record names. Raises `OSError`."""
    wanted = _names(root)[-1]

    def more(held: list[Record]) -> list[Record]:
        if any(one.root == wanted for one in _read(held)):
            return held
        return [*held, {"root": wanted, "at": at}]

    change(home / TRUST, more)
    return wanted


def distrust(home: Path, root: Path) -> str | None:
    """Take a project's trust back, also that of a folder which is gone; gives the folder that was trusted, None for
    none. Raises `OSError`."""
    names = {*_names(root), os.path.abspath(root)}
    gone: list[str] = []

    def less(held: list[Record]) -> list[Record]:
        gone.extend(one.root for one in _read(held) if one.root in names)
        return [one for one in held if one.get("root") not in names]

    change(home / TRUST, less)
    return gone[0] if gone else None


def vouched(home: Path) -> tuple[Vouched, ...]:
    """The folders that are trusted, in the order the person trusted them. A file that others may write, or that is no
    file, names none; what is no record is passed over."""
    return tuple(_read(records(home / TRUST)))


def _read(held: Iterable[Record]) -> Iterator[Vouched]:
    for one in held:
        root, at = one.get("root"), one.get("at")
        if isinstance(root, str) and os.path.isabs(root):
            yield Vouched(root, at if isinstance(at, str) else "")


def _names(root: Path) -> list[str]:
    """The folders whose record counts for the project at `root`; the last one is where a new record belongs."""
    own = os.path.realpath(root)
    main = _main(own)
    return [own] if main is None or main == own else [own, main]


def _main(root: str) -> str | None:
    """The same project in the main work tree, None where `root` lies in no linked one."""
    folder = root
    while (tree := work_tree(folder)) is None:
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    if tree.common is None:
        return None
    return os.path.realpath(os.path.dirname(shared_agent(tree, root)))

"""Changes: what is different between a snapshot and now, path by path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem.domain.checkpoint import State
from agentmem.workspace.checkpoints.git import Git
from agentmem.workspace.checkpoints.seen import Look, Seen, look_at, look_at_folder

How = Literal["changed", "new", "gone"]


@dataclass(frozen=True, slots=True)
class Change:
    """One path that is not what it was. `before` is what can be put back, None where no bytes were kept (a new file has
    nothing to go back to)."""

    path: bytes
    how: How
    before: State | None


def changes(git: Git, index: Path, then: tuple[str, Seen], now: tuple[str, Seen]) -> list[Change]:
    """What differs between two snapshots (tree, and what was only seen), `now` being the present; sorted by path.

    Raises `GitFailed`.
    """
    before, after = ({**_files(git, index, tree), **seen} for tree, seen in (then, now))
    root = os.fsencode(git.root)
    found = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if path.endswith(b"/"):
            new = look_at_folder(os.path.join(root, path))
            if old is None and any(other.startswith(path) for other in before):
                continue  # it lost its files, which are told
        elif isinstance(old, Look):
            new = look_at(os.path.join(root, path)) if new is not None else None
        if old != new:
            how: How = "new" if old is None else "gone" if new is None else "changed"
            found.append(Change(path, how, old if isinstance(old, State) else None))
    return found


def _files(git: Git, index: Path, tree: str) -> dict[bytes, State | Look | None]:
    """The files of a tree: their mode is 0755 or 0644, all that git tells."""
    found: dict[bytes, State | Look | None] = {}
    for line in git.run("ls-tree", "-r", "-z", "--full-tree", tree, index=index).split(b"\0"):
        head, _, path = line.partition(b"\t")
        if path:
            mode, _, name = head.decode().split(" ")
            found[path] = State("link", name) if mode == "120000" else State("file", name, int(mode[-3:], 8))
    return found

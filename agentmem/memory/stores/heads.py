"""Heads: the commit that each work tree stands at in a private git directory, and where it stood before.

refs/heads/<work tree>          its last commit
logs/refs/heads/<work tree>     a line a move: before, after, who, when, the commit's first line
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular
from agentmem.memory.stores import folder
from agentmem.memory.stores.commit import WHO

_HEX = re.compile(r"[0-9a-f]{40}")
_NONE = "0" * 40


@dataclass(frozen=True, slots=True)
class Heads:
    """The branches of the git directory `path`."""

    path: Path

    def exists(self, branch: str) -> bool:
        """Whether anything stands where the branch's last commit is named."""
        return os.path.lexists(self._ref(branch))

    def named(self, branch: str) -> str | None:
        """The branch's last commit, None before the first; 40 zeros where the file is damaged."""
        try:
            data = regular.read(self._ref(branch), 4096).decode("ascii", "replace").strip()
        except OSError:
            return None
        return data if _HEX.fullmatch(data) else _NONE

    def earlier(self, branch: str) -> Iterator[str]:
        """Where the branch stood, the last place first."""
        try:
            moves = regular.read(self._log(branch), 1 << 26).split(b"\n")
        except OSError:
            return
        for move in reversed(moves):
            words = move.split(b" ", 2)
            made = words[1].decode("ascii", "replace") if len(words) > 2 else _NONE
            if made != _NONE and _HEX.fullmatch(made):  # none: it was forgotten
                yield made

    def every(self) -> dict[str, str]:
        """Every branch, those of removed work trees too, with its last commit."""
        found = {}
        heads = self.path / "refs" / "heads"
        for name in sorted(os.listdir(heads)) if heads.is_dir() else ():
            if not name.startswith(".") and (named := self.named(name)) is not None:
                found[name] = named
        return found

    def move(self, branch: str, before: str | None, made: str, reason: str) -> None:
        """Let the branch name another commit; where it stood is kept, for people and for a power cut. `reason` is when
        and why, as git's own log of moves has it. Raises `OSError`."""
        log = self._log(branch)
        folder.make_private(log.parent)
        line = f"{before or _NONE} {made} {WHO} {reason}\n"
        folder.append_private(log, line.encode("utf-8", "replace"))
        ref = self._ref(branch)
        staged = ref.with_name(f".{ref.name}.new")  # one name, so that a kill leaves one file at most
        folder.write_new(staged, f"{made}\n".encode(), 0o600)
        os.replace(staged, ref)

    def _ref(self, branch: str) -> Path:
        return self.path / "refs" / "heads" / branch

    def _log(self, branch: str) -> Path:
        return self.path / "logs" / "refs" / "heads" / branch

"""Annals: what a person asks of durable memory: what is held, what was written, what changed, and an earlier state."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from agentmem.domain.belief import fold
from agentmem.domain.claim import Scope
from agentmem.domain.desk import Desk, Level
from agentmem.memory.read import beliefs, believed
from agentmem.memory.read.beliefs import Stated
from agentmem.memory.read.blame import Blame, NothingThere, blame, changed_facts, closed, history_of
from agentmem.memory.stores.commit import Commit
from agentmem.memory.stores.versions import Versions
from agentmem.memory.write import compared, marking
from agentmem.memory.write.gate import refusing, restoring
from agentmem.memory.write.gate.carry import Carried
from agentmem.objects import Damaged

__all__ = ["Annals", "Blame", "NoVersion", "NothingThere"]

_ID = re.compile(r"[0-9a-f]{4,40}")


class NoVersion(Exception):
    """No commit, or more than one, is called so; the message says what may be meant."""


@dataclass(frozen=True, slots=True)
class Annals:
    """Durable memory at a desk, read for a person. `env` says where git is; `trusted`: they vouched for the folder."""

    desk: Desk
    env: Mapping[str, str]
    trusted: bool

    def held(self) -> list[Stated]:
        """What stands in both MEMORY.md files, in their order. Raises `OSError`."""
        return beliefs.beliefs(self.desk.places, trusted=self.trusted)

    def log(self, scope: Scope, most: int) -> list[Commit]:
        """The last commits of a level's history, the newest first, as far back as they can be read. Raises `OSError`,
        `Damaged` where none can."""
        own = self._history(scope)
        found: list[Commit] = []
        with own:
            try:
                for commit in islice(own.log(), most):
                    found.append(commit)
            except Damaged:
                if not found:
                    raise
        return found

    def diff(self, scope: Scope, old: str | None, new: str | None) -> Iterator[str]:
        """The lines of MEMORY.md that differ between two commits, as a unified diff; without `new` what it holds now,
        without `old` what the history last knew. Raises `NoVersion`, `OSError`, `Damaged`."""
        from difflib import unified_diff

        own, level = self._history(scope), self.desk.level(scope)
        with own:
            first = self._version(own, old) if old else own.head()
            before = own.at(first, "MEMORY.md") if first else None
            last = self._version(own, new) if new else None
            after = own.at(last, "MEMORY.md") if last else believed.bytes_of(level.memory)
        rows, wanted = (self._shown(data or b"", level).removesuffix("\n").split("\n") for data in (before, after))
        left, right = f"{level.shown} {(first or 'nothing')[:12]}", f"{level.shown} {(last or 'now')[:12]}"
        yield from unified_diff(rows, wanted, left, right, lineterm="")

    def blame(self, where: str) -> Blame:
        """Why a line is believed: ``MEMORY.md:12``, ``12``, or a fact's id. Raises `NothingThere`, `OSError`."""
        path, _, number = where.rpartition(":")
        if number.isascii() and number.isdigit():
            return self._blame(self._level(path), int(number))
        fact = where.removeprefix("^")
        for one in self.desk.levels:
            with suppress(NothingThere):
                return self._blame(one, fact)
        for one in self.desk.levels:
            if (gone := closed(fact, one, self.desk.places.home)) is not None:
                raise NothingThere(gone)
        raise NothingThere(f"neither MEMORY.md states {where}; name a line: MEMORY.md:12")

    def restore(self, scope: Scope, called: str) -> tuple[Carried | None, str]:
        """Bring MEMORY.md back as a commit has it; None where it is so already. Gives the commit too. Raises
        `NoVersion`, `MemoryBusy`, `OSError`, `Damaged`."""
        own, level = self._history(scope), self.desk.level(scope)
        with own:
            commit = self._version(own, called)
            version = own.at(commit, "MEMORY.md")
        if version is None:
            raise NoVersion(f"{commit[:12]} holds no MEMORY.md")
        return restoring.restore(version, f"restored from {commit[:12]}", level, self.desk), commit

    def missing(self, branch: str) -> tuple[str, int]:
        """Bring the beliefs of another work tree here that this one lacks; gives the diff and their number. Raises as
        `restore` does."""
        own, level = self._history("project"), self.desk.level("project")
        with own:
            head = own.branches().get(branch)
            if head is None:
                raise NoVersion(f"there is no work tree {branch!r}; known: {', '.join(own.branches()) or 'none'}")
            theirs = marking.marked(own.at(head, "MEMORY.md") or b"", "project", self.desk.places)
            told = fold(_records(own.at(head, "memory/ledger.jsonl") or b""))
        own_text = self._shown(believed.bytes_of(level.memory) or b"", level)
        changed = compared.edits(own_text, theirs.text(), "project")
        changed = refusing.without_secrets(changed, (), refusing.refused(theirs), told)
        found = [one for one in changed if one.before is None]
        here = fold(believed.records(level.ledger))
        found = [one for one in found if (known := here.get(one.fact)) is None or known.open]
        if not found:
            return "", 0
        return restoring.add_missing(found, f"from the work tree {branch}", level, self.desk, told).diff, len(found)

    def facts_of(self, commit: Commit) -> list[dict[str, str]]:
        """What a commit did, an object a fact."""
        return [{"op": op, "fact": fact} for op, fact in changed_facts(commit)]

    def to_json(self, commit: Commit) -> dict[str, Any]:
        """A commit as an object."""
        return {
            "commit": commit.id,
            "at": commit.at,
            "facts": self.facts_of(commit),
            "trailers": [list(pair) for pair in commit.trailers],
        }

    def _shown(self, data: bytes, level: Level) -> str:
        return marking.marked(data, level.scope, self.desk.places).text()

    def _blame(self, level: Level, at: int | str) -> Blame:
        return blame(level, at, self.desk, self._history(level.scope), self.trusted)

    def _level(self, path: str) -> Level:
        """Whose MEMORY.md a path names. Raises `NothingThere` for any other file."""
        home, here = self.desk.level("user"), self.desk.level("project")
        if path in ("", "MEMORY.md"):
            return here
        if path in ("~/.agentmem/MEMORY.md", "user"):
            return home
        meant = Path(os.path.abspath(path))
        for one in (here, home):
            if meant in (one.memory, one.memory.resolve()):
                return one
            if meant.parent == one.days and meant.suffix == ".md":
                seen = f"git --git-dir={history_of(one, self.desk, self.env).path} log -p -- memory/{meant.name}"
                told = "of what happened, its session and entries stand below its heading; for its commit"
                raise NothingThere(f"{path} is no MEMORY.md: {told}: {seen}")
        raise NothingThere(f"{path} is no MEMORY.md; name a line: MEMORY.md:12")

    def _history(self, scope: Scope) -> Versions:
        return history_of(self.desk.level(scope), self.desk, self.env)

    def _version(self, own: Versions, called: str) -> str:
        wanted = called.lower()
        if wanted in (branches := own.branches()):
            return branches[wanted]
        if not _ID.fullmatch(wanted):
            raise NoVersion(f"{called!r} is no commit; `agentmem memory log` lists them")
        starts = [head for head in (own.head(), *branches.values()) if head is not None]
        found: set[str] = set()
        for start in dict.fromkeys(starts):
            with suppress(Damaged):  # what lies behind a lost commit cannot be meant
                for one in own.log(start):
                    found |= {one.id} if one.id.startswith(wanted) else set()
        if len(found) != 1:
            raise NoVersion(f"{called} begins {len(found) or 'no'} commit{'s' if found else ''} of the history")
        return found.pop()


def _records(data: bytes) -> Iterator[Mapping[str, Any]]:
    from agentmem.memory.stores import lines

    for raw in data.split(b"\n"):
        yield from lines.parse(raw)[0]

"""Vault: where one session's checkpoints of one work tree lie; bytes go in here and come back from here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import objects
from agentmem.domain.checkpoint import State, Write
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.objects import Damaged, Item
from agentmem.programs import find_program
from agentmem.workspace.checkpoints import retrieval, seen
from agentmem.workspace.checkpoints.changes import Change, changes
from agentmem.workspace.checkpoints.git import Git, GitFailed
from agentmem.workspace.checkpoints.holding import hold, let_go
from agentmem.workspace.checkpoints.repository import STORE, Repository
from agentmem.workspace.checkpoints.snapshot import LARGE, Snapshots
from agentmem.workspace.checkpoints.state import look

LOOKING = 60.0
"""Seconds that a rewind waits until it knows what else has changed."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A snapshot as a log tells of it (None: there is none), and what the person should know, `once` or every turn."""

    body: Mapping[str, Any] | None
    told: str = ""
    once: bool = False


class Vault:
    """The checkpoints of one session. Made by `open_vault`."""

    def __init__(self, repository: Repository, git: Git | None, held: int | None = None) -> None:
        self._repository = repository
        self._held = held
        self._root = os.fsencode(repository.root)
        self._git = git
        self._index = git.settings / "index" / repository.work_tree if git else Path(os.devnull)
        self._snapshots = Snapshots(git, self._index) if git else None
        self._last: Mapping[str, Any] | None = None

    def look(self, path: bytes) -> State:
        """What lies at a path now."""
        return look(self.full(path))[0]

    def full(self, path: bytes) -> bytes:
        """The absolute path; one that is absolute stays."""
        return os.path.join(self._root, path)

    def keep(self, targets: Sequence[str]) -> tuple[list[Write], list[str]]:
        """Keep what lies at absolute paths; gives what a log tells of it, and what was not kept. Raises `OSError`."""
        kept: list[Write] = []
        told: list[str] = []
        for target in targets:
            full = os.fsencode(target)
            state, data = look(full)
            if state.kind == "other":
                if "directory" not in state.what:  # a tool refuses it anyway
                    told.append(f"{os.path.basename(target)} is {state.what}: /rewind cannot put its earlier text back")
                continue
            if state.blob:
                self._repository.put(data)
            kept.append(Write(self._named(full), state, made=_missing(full) if state.kind == "absent" else 0))
        self._anchor(((write.path, write.before) for write in kept), "before a write")
        return kept, told

    def keep_now(self, paths: Iterable[bytes]) -> dict[bytes, State]:
        """Keep what lies at paths before a rewind; gives their states. Raises `OSError`."""
        states: dict[bytes, State] = {}
        for path in paths:
            states[path], data = look(self.full(path))
            if states[path].blob:
                self._repository.put(data)
        self._anchor(states.items(), "before a rewind")
        return states

    def bytes_of(self, state: State) -> bytes:
        """The bytes of a file, or the target of a link, in that state. Raises `Damaged`, `OSError`."""
        return retrieval.retrieve(self._repository.objects, state.blob, self._git) if state.blob else b""

    def keep_name(self, path: bytes) -> str:
        """Keep a file's name that no log may hold; gives its blob's name. Raises `OSError`."""
        blob = self._repository.put(path)
        self._repository.anchor(
            objects.put_paths(self._repository.objects, [(b"names/" + blob.encode(), "100644", blob)]), "a name"
        )
        return blob

    def find(self, state: State) -> bytes | None:
        """What `bytes_of` gives, None where it is not to be had."""
        try:
            return self.bytes_of(state)
        except (Damaged, OSError):
            return None

    def lost(self, states: Iterable[State]) -> dict[str, str]:
        """Whose bytes are not to be had any more, and why, by the name of the blob."""
        names = (state.blob for state in states if state.blob)
        return retrieval.lost(self._repository.objects, names, self._git)

    def snap(self, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Stored:
        """Take a snapshot of the work tree within about so many seconds. Raises `OSError`."""
        if self._snapshots is None:
            text = (
                "git is not installed: what commands change is not kept, /rewind puts back what write and edit changed"
            )
            return Stored(None, text, once=True)
        taken = self._snapshots.take(seconds, stopped)
        if isinstance(taken, str):
            return Stored(None, f"no snapshot before the first command of this turn: {taken}")
        body: dict[str, Any] = {"tree": taken.tree}
        if taken.seen:
            body["seen"] = self._repository.put(seen.dump(taken.seen), durable=False)
        if not taken.whole:
            body["listed"] = len(taken.seen)
        if body != self._last:
            items = [Item("40000", b"files", taken.tree)]
            items += [Item("100644", b"seen", body["seen"])] if "seen" in body else []
            self._repository.anchor(objects.put_tree(self._repository.objects, items), "before a command")
        self._last = body
        if not taken.whole:
            text = (
                f"no time for a snapshot before the first command of this turn: {len(taken.seen):,} files are only "
                "listed, what commands do to them can be told but not put back"
            )
            return Stored(body, text)
        many = "files are" if taken.large > 1 else "file is"
        text = f"{taken.large:,} {many} over {LARGE // 1_000_000} MB or not readable, and only listed in snapshots"
        return Stored(body, text if taken.large else "", once=True)

    def changes_since(self, tree: str, seen_object: str | None) -> list[Change] | str:
        """What is not as it was in an earlier snapshot, or why that is not known."""
        if self._snapshots is None or self._git is None:
            return "git is not installed"
        now = self._snapshots.take(LOOKING)
        if isinstance(now, str):
            return now
        try:
            before = seen.load(self.bytes_of(State("file", seen_object))) if seen_object else {}
            return changes(self._git, self._index, (tree, before), (now.tree, now.seen))
        except (Damaged, GitFailed, OSError) as error:
            return f"the snapshot cannot be read: {error}"

    def close(self) -> None:
        """End what runs in the background."""
        if self._snapshots is not None:
            self._snapshots.close()
        let_go(self._held)
        self._held = None

    def _named(self, full: bytes) -> bytes:
        inner = self._root.rstrip(b"/") + b"/"
        return full.removeprefix(inner)

    def _anchor(self, states: Iterable[tuple[bytes, State]], why: str) -> None:
        """So that git counts the bytes as used, and a person can find them by their path."""
        paths = []
        for path, state in states:
            if state.blob:
                mode = "120000" if state.kind == "link" else "100755" if state.mode & 0o100 else "100644"
                place = b"outside" + path if path.startswith(b"/") else b"files/" + path
                paths.append((place, mode, state.blob))
        if paths:
            self._repository.anchor(objects.put_paths(self._repository.objects, paths), why)


def open_vault(places: Places, session: str, clock: Clock, env: Mapping[str, str]) -> Vault:
    """The shelf of a session, made where it is missing. Raises `OSError`, `Unusable`."""
    repository = Repository(places.shared / STORE, places.root, session, clock)
    repository.make()
    program = find_program("git", env)
    settings = places.home / "checkpoints"
    git = Git(program, places.root, settings, repository.objects, env) if program else None
    return Vault(repository, git, hold(repository.path))


def _missing(path: bytes) -> int:
    """How many directories above a path are not there."""
    count = 0
    while not os.path.lexists(path := os.path.dirname(path)):
        count += 1
    return count

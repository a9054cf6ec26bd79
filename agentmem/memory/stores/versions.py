"""Versions: `history.git`, a private git directory of MEMORY.md, memory/ and skills/: a commit a durable write.

    HEAD  config  objects/  refs/heads/<work tree>      one branch a work tree; the person's level has one, `home`
    trees/<work tree>                                   where it lies, or lay

    git --git-dir=.agent/history.git log -p --all       what was written, for people

Commits are written without git, so that nobody's config, hooks, identity or signing have a say, and so that it works
where git is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem import objects, regular
from agentmem.domain.places import Places
from agentmem.memory.stores import folder
from agentmem.memory.stores.commit import Commit, commit_bytes, one_line, parse_commit
from agentmem.memory.stores.edition import Edition, Kept
from agentmem.memory.stores.heads import Heads
from agentmem.objects import Damaged, Item

if TYPE_CHECKING:
    from agentmem.domain.claim import Scope
    from agentmem.memory.stores.packed import Packed

NAME = "history.git"
FILES = ("MEMORY.md",)
FOLDERS = ("memory", "skills")

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[gc]\n\tauto = 0\n"
_APART = 8  # loose objects in one of the 256 folders, from which on they are packed


class Unusable(Exception):
    """The private git directory cannot be used; the message says why."""


@dataclass(slots=True)
class Versions:
    """The history of one work tree, or of the person's level (`branch` is ``home``), in the git directory `path`.

    Whoever commits holds the memory lock. `env` says where git is, which only packed objects need; `root` is where the
    work tree lies.
    """

    path: Path
    branch: str
    env: Mapping[str, str] = field(default_factory=dict)
    root: Path | None = None
    _packed: Packed | None = None
    _depth: int = 0

    @property
    def objects(self) -> Path:
        """Where objects lie."""
        return self.path / "objects"

    @property
    def _heads(self) -> Heads:
        return Heads(self.path)

    @property
    def exists(self) -> bool:
        """Whether anything was ever committed for this work tree."""
        return self._heads.exists(self.branch)

    def commit(
        self, files: Mapping[str, Kept | bytes | None], message: str, trailers: Sequence[tuple[str, str]], now: float
    ) -> str:
        """Commit new versions of files (by their path below the level's folder; None: it is gone) over the last state;
        gives the commit's id. Raises `OSError`, `Unusable`."""
        self._make()
        with self:
            before = self.head()
            tree = Edition(self.objects, self._tree).over(self.commit_of(before).tree if before else None, files)
        body = commit_bytes(tree, before, int(now), message, trailers)
        made = objects.put(self.objects, "commit", body)
        self._heads.move(self.branch, before, made, f"{int(now)} +0000\t{one_line(message)}")
        return made

    def head(self) -> str | None:
        """The last commit, None before the first. Where a power cut took it, the last one that can be read."""
        named = self._heads.named(self.branch)
        if named is None or self.readable(named):
            return named
        return next(filter(self.readable, self._heads.earlier(self.branch)), None)

    def readable(self, commit: str) -> bool:
        """Whether a commit and its tree are there."""
        try:
            self._tree(self.commit_of(commit).tree)
        except (Damaged, OSError):
            return False
        return True

    def branches(self) -> dict[str, str]:
        """Every work tree's branch, those of removed ones too, with its last commit."""
        return self._heads.every()

    def roots(self) -> dict[str, str]:
        """Where the work tree of each branch lies, or lay."""
        found = {}
        trees = self.path / "trees"
        for name in sorted(os.listdir(trees)) if trees.is_dir() else ():
            if not name.startswith("."):
                found[name] = os.fsdecode(regular.read(trees / name, 65_536)).rstrip("\n")
        return found

    def log(self, start: str | None = None) -> Iterator[Commit]:
        """Commits from `start` (the head) back to the first; one that cannot be read is passed over where this branch's
        log names an earlier one that can. Raises `Damaged` where none can, `OSError`."""
        own = start or self.head()
        while own is not None:
            try:
                found = self.commit_of(own)
            except Damaged:
                if (before := self._before(own)) is None:
                    raise
                own = before
                continue
            yield found
            own = found.parents[0] if found.parents else None

    def last(self, path: str) -> bytes | None:
        """A file as the last commit holds it whose bytes of it can be read, None where there is none. Raises `Damaged`
        where no commit's can, `OSError`."""
        damage: Damaged | None = None
        with self:
            for commit in self.log():
                try:
                    return self.at(commit.id, path)
                except Damaged as error:
                    damage = damage or error
        if damage is not None:
            raise damage
        return None

    def lost(self) -> Iterator[tuple[str, str]]:
        """What this branch once stood at and cannot be read any more, the last first, and why. Raises `OSError`."""
        with self:
            for name in dict.fromkeys(self._heads.earlier(self.branch)):
                try:
                    self._tree(self.commit_of(name).tree)
                except Damaged as error:
                    yield name, str(error)
            if (head := self.head()) is not None:
                try:
                    for blob in self.files(head).values():
                        self.read(blob)
                except Damaged as error:
                    yield head, str(error)

    def _before(self, lost: str) -> str | None:
        """The last place of this branch before `lost` that can be read."""
        moves = iter(self._heads.earlier(self.branch))
        return next(filter(self.readable, moves), None) if lost in moves else None

    def commit_of(self, name: str) -> Commit:
        """The commit of that name. Raises `Damaged`, `OSError`."""
        return parse_commit(name, self.read(name))

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it, None where it holds none. Raises `Damaged`, `OSError`."""
        blob = self.blob(commit, path)
        return None if blob is None else self.read(blob)

    def blob(self, commit: str, path: str) -> str | None:
        """The name of a file's bytes in a commit, which equal bytes share. Raises `Damaged`, `OSError`."""
        name, item = self.commit_of(commit).tree, None
        for part in os.fsencode(path).split(b"/"):
            item = next((one for one in self._tree(name) if one.name == part), None)
            if item is None:
                return None
            name = item.object
        return None if item is None or item.mode == "40000" else item.object

    def files(self, commit: str) -> dict[str, str]:
        """Every file that a commit holds with the name of its bytes. Raises `Damaged`, `OSError`."""
        return dict(self._walk(self.commit_of(commit).tree, ""))

    def read(self, name: str) -> bytes:
        """The bytes of an object, loose or packed. Raises `Damaged`, `OSError`."""
        try:
            return objects.get(self.objects, name)
        except FileNotFoundError:
            if self._packed is not None:
                return self._packed.get(name)
        with self:
            return self.read(name)

    @property
    def scattered(self) -> bool:
        """Whether so many objects lie apart (over 2,000) that a pack would be much smaller."""
        try:
            return len(os.listdir(self.objects / "17")) > _APART
        except OSError:
            return False

    def pack(self) -> None:
        """Have git put all objects into packs; without git they stay as they are. The caller holds the memory lock.
        Raises `OSError`."""
        from agentmem.memory.stores.packed import pack

        pack(self.path, _CONFIG, self.env)

    def __enter__(self) -> Versions:
        """Read all packed objects through one git process, which ends when it is left."""
        if self._packed is None:
            from agentmem.memory.stores.packed import Packed

            self._packed = Packed(self.path, _CONFIG, self.env)
        self._depth += 1
        return self

    def __exit__(self, *failure: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._packed is not None:
            self._packed.close()
            self._packed = None

    def _walk(self, tree: str, above: str) -> Iterator[tuple[str, str]]:
        for item in self._tree(tree):
            path = above + os.fsdecode(item.name)
            if item.mode == "40000":
                yield from self._walk(item.object, path + "/")
            else:
                yield path, item.object

    def _tree(self, name: str) -> list[Item]:
        return objects.tree_items(name, self.read(name))

    def _make(self) -> None:
        for place in (self.path, self.objects, self.path / "refs", self.path / "refs" / "heads", self.path / "logs"):
            if place.is_symlink():
                raise Unusable(f"{place} is a link, and leads elsewhere")
            folder.make_private(place)
            if place.stat().st_uid != os.geteuid():
                raise Unusable(f"{place} belongs to another user")
        if not os.path.lexists(self.path / "config"):
            folder.write_private(self.path / "config", _CONFIG)
        tree = self.path / "trees" / self.branch
        if self.root is not None and not os.path.lexists(tree):
            folder.make_private(tree.parent)
            folder.write_private(tree, os.fsencode(self.root) + b"\n")
        if not os.path.lexists(self.path / "HEAD"):
            folder.write_private(self.path / "HEAD", f"ref: refs/heads/{self.branch}\n".encode())


def project(places: Places, env: Mapping[str, str] | None = None) -> Versions:
    """The history of the work tree at `places.root`; linked work trees share the directory, not the branch."""
    return Versions(places.shared / NAME, branch_of(places.root), env or {}, places.root)


def person(places: Places, env: Mapping[str, str] | None = None) -> Versions:
    """The history of the person's own level."""
    return Versions(places.home / NAME, "home", env or {})


def of_level(scope: Scope, places: Places, env: Mapping[str, str] | None = None) -> Versions:
    """The history of the level of that scope."""
    return person(places, env) if scope == "user" else project(places, env)


def branch_of(root: Path) -> str:
    """A name for a work tree that no other on this machine has: of its folder and its whole path."""
    from hashlib import sha256

    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", root.name).strip("-")[:60] or "root"
    return f"{plain}-{sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:10]}"

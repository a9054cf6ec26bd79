"""Scrub: forgotten words leave a private git directory; what held them is rewritten, or dropped whole, and pruned.

An object is doomed when it holds the words or names one that is; the refs are moved to commits that name none, and then
the doomed ones are removed. A kill in between leaves doomed objects that nothing names: the next run removes them.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentmem import objects
from agentmem.memory.stores import folder
from agentmem.memory.stores.bare import Bare
from agentmem.memory.write.formal import GIT, NAME, PAGE
from agentmem.memory.write.tombstone import Tombs
from agentmem.objects import Damaged, Item


@dataclass(slots=True)
class Scan:
    """What a git directory holds of the words: `matched` objects, all that are `doomed` with them, the `paths` that
    matched files have there, `files` beside the objects, what is `unreadable`, how many objects were `looked` at, and
    how many places were `kept`: where work trees lie, and the branches that are named after them."""

    matched: set[str] = field(default_factory=set)
    doomed: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    refs: dict[str, str] = field(default_factory=dict)
    looked: int = 0
    kept: int = 0

    @property
    def count(self) -> int:
        """How many places hold the words."""
        return len(self.matched) + len(self.files)


class Scrub:
    """One git directory and what is to leave it. `whole` drops commits whose files hold the words; else the words alone
    are replaced, in every version."""

    def __init__(self, path: Path, tombs: Tombs, *, whole: bool) -> None:
        self._bare = Bare(path)
        self._tombs = tombs
        self._whole = whole
        self._trees: dict[str, list[Item]] = {}
        self._commits: dict[str, bytes] = {}  # and tags with a text of their own
        self._tags: set[str] = set()
        self._new: dict[str, str | None] = {}

    def close(self) -> None:
        """Let the files go."""
        self._bare.close()

    def scan(self) -> Scan:
        """Look at every object, and at every file beside them. Raises `OSError`."""
        found = Scan(refs=dict(self._bare.refs()))
        held: dict[str, bytes] = {}
        for name in self._bare.names():
            found.looked += 1
            try:
                kind, data = self._bare.read(name)
                self._take(name, kind, data, held, found)
            except (Damaged, OSError) as error:
                found.unreadable.append(str(error))
        named = self._named()
        found.matched |= {name for name, data in held.items() if self._holds(named.get(name, frozenset()), data)}
        for path, data in self._bare.beside():
            here = self._tombs.text(data, GIT)
            is_place = here.count > 0 and self._is_place(path)
            found.files += [path] if here.count and not is_place else []
            found.kept += here.kept + is_place
        found.kept += sum(bool(self._tombs.phrases.spans(os.fsencode(ref))) for ref in found.refs)
        found.doomed = self._reaching(found.matched)
        found.paths = {path for name in found.matched for path in named.get(name, ())}
        found.unreadable += self._bare.unreadable
        return found

    def clean(self, found: Scan) -> None:
        """Take what `scan` found out of the directory. Raises `OSError`, `Damaged`."""
        for name in _in_order(self._commits, found.doomed):
            self._new[name] = self._commit(name, found)
        moved = {ref: self._new.get(name) for ref, name in found.refs.items() if name in found.doomed}
        self._mend_beside(found)
        self._bare.set_refs(moved)
        self._bare.remove(found.doomed)

    def _name(self, name: bytes) -> bytes:
        """The name of a file without the words; the harness's own names stay."""
        return name if NAME.fullmatch(name) else self._tombs.text(name).data

    def _is_place(self, path: Path) -> bool:
        """Whether a file beside the objects says where a work tree lies."""
        return path.parent == self._bare.path / "trees"

    def _take(self, name: str, kind: str, data: bytes, held: dict[str, bytes], found: Scan) -> None:
        if kind == "tree":
            self._trees[name] = objects.tree_items(name, data)
            if any(self._name(item.name) != item.name for item in self._trees[name]):
                found.matched.add(name)
        elif kind == "blob":
            if self._tombs.phrases.spans(data):
                held[name] = data
        else:
            self._commits[name] = data
            self._tags |= {name} if kind == "tag" else set()
            here = self._tombs.text(data, GIT)
            found.kept += here.kept
            if here.count:
                found.matched.add(name)

    def _holds(self, paths: Iterable[str], data: bytes) -> bool:
        """Whether the words stand there as something that was said."""
        if self._whole:
            return True
        if any(path.endswith((".json", ".jsonl")) for path in paths):
            return self._tombs.json(data).count > 0
        return not any(path.endswith(".md") for path in paths) or self._tombs.text(data, PAGE).count > 0

    def _named(self) -> dict[str, set[str]]:
        """The paths of each object below the trees that no other tree names."""
        named: dict[str, set[str]] = defaultdict(set)
        inner = {item.object for items in self._trees.values() for item in items}
        todo = [(tree, "") for tree in self._trees if tree not in inner]
        while todo:
            tree, above = todo.pop()
            for item in self._trees[tree]:
                path = f"{above}{os.fsdecode(item.name)}"
                if item.object in self._trees and path not in named[item.object]:
                    todo.append((item.object, path + "/"))
                named[item.object].add(path)
        return named

    def _reaching(self, matched: set[str]) -> set[str]:
        above: dict[str, set[str]] = defaultdict(set)
        for tree, items in self._trees.items():
            for item in items:
                above[item.object].add(tree)
        for commit, data in self._commits.items():
            for named in _names_in(data):
                above[named].add(commit)
        doomed, todo = set(matched), list(matched)
        while todo:
            fresh = above[todo.pop()] - doomed
            doomed |= fresh
            todo += fresh
        return doomed

    def _commit(self, name: str, found: Scan) -> str | None:
        """What stands for a doomed commit: its like without the words, or the one before it."""
        head, gap, said = self._commits[name].partition(b"\n\n")
        rows = [row.split(b" ", 1) for row in head.split(b"\n")]
        if self._whole and any(key == b"tree" and value.decode() in found.doomed for key, value in _pairs(rows)):
            parent = next((value.decode() for key, value in _pairs(rows) if key == b"parent"), None)
            return self._new.get(parent, parent) if parent else None
        out = [instead for row in rows if (instead := self._instead(row, found)) is not None]
        if name in self._tags and not any(row.startswith(b"object ") for row in out):
            return None
        message = self._tombs.text(said, GIT).data
        return self._bare.put("tag" if name in self._tags else "commit", b"\n".join(out) + gap + message)

    def _instead(self, row: list[bytes], found: Scan) -> bytes | None:
        whole = b" ".join(row)
        if len(row) < 2 or row[0] not in (b"tree", b"parent", b"object"):
            return self._tombs.text(whole, GIT).data
        named = row[1].decode("ascii", "replace")
        if named not in found.doomed:
            return whole
        new = self._new.get(named) if named in self._commits else self._object(named, "", found)
        return None if new is None else row[0] + b" " + new.encode()

    def _object(self, name: str, path: str, found: Scan) -> str:
        """What stands for a doomed file or folder."""
        if name not in found.doomed:
            return name
        if name not in self._trees:
            data = self._bare.read(name)[1]
            return self._bare.put("blob", mended(path, data, self._tombs))
        items = [
            Item(item.mode, self._name(item.name), self._object(item.object, os.fsdecode(item.name), found))
            for item in self._trees[name]
        ]
        return self._bare.put("tree", objects.tree_data(items))

    def _mend_beside(self, found: Scan) -> None:
        """Logs go on with the commits that stand now; what else holds the words goes."""
        for path, data in list(self._bare.beside()):
            logs = path.relative_to(self._bare.path).parts[0] == "logs"
            if logs:
                new = b"\n".join(self._moves(data.split(b"\n")))
                if new != data:
                    folder.write_private(path, new)
            elif path in found.files:
                path.unlink(missing_ok=True)

    def _moves(self, rows: list[bytes]) -> Iterator[bytes]:
        for row in rows:
            parts = row.split(b" ", 2)
            for place in (0, 1) if len(parts) == 3 else ():
                name = parts[place].decode("ascii", "replace")
                if name in self._new:
                    parts[place] = (self._new[name] or "0" * 40).encode()
            yield self._tombs.text(b" ".join(parts), GIT).data


def mended(path: str, data: bytes, tombs: Tombs) -> bytes:
    """A file of durable memory without the words, as its path says what it is."""
    name = os.path.basename(path)
    if name.endswith((".json", ".jsonl")):
        return tombs.json(data).data
    if name == "MEMORY.md":
        return tombs.beliefs(data).data
    return tombs.text(data, PAGE if name.endswith(".md") else None).data


def _names_in(commit: bytes) -> Iterator[str]:
    head = commit.partition(b"\n\n")[0]
    for key, value in _pairs([row.split(b" ", 1) for row in head.split(b"\n")]):
        if key in (b"tree", b"parent", b"object"):
            yield value.decode("ascii", "replace")


def _pairs(rows: list[list[bytes]]) -> Iterator[tuple[bytes, bytes]]:
    return ((row[0], row[1]) for row in rows if len(row) == 2)


def _in_order(commits: Mapping[str, bytes], wanted: set[str]) -> list[str]:
    """The wanted commits, each after those it names."""
    order: list[str] = []
    done: set[str] = set()
    for start in sorted(wanted & commits.keys()):
        todo = [start]
        while todo:
            name = todo[-1]
            below = [one for one in _names_in(commits[name]) if one in wanted and one in commits and one not in done]
            if below and name not in done:
                todo += below
                continue
            todo.pop()
            if name not in done:
                done.add(name)
                order.append(name)
    return order

"""Edition: the files of a commit, made of those of the one before and what has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from agentmem import objects
from agentmem.objects import Item

_Change: TypeAlias = "Kept | dict[bytes, _Change] | None"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as a commit holds it: its bytes and git's mode (``100644``, ``100755``, ``120000`` for a link)."""

    data: bytes
    mode: str = "100644"


@dataclass(frozen=True, slots=True)
class Edition:
    """What is written below `folder` (``…/objects``); `items` gives the lines of a tree there."""

    folder: Path
    items: Callable[[str], list[Item]]

    def over(self, tree: str | None, files: Mapping[str, Kept | bytes | None]) -> str:
        """The tree after new versions of files, by their path (None: it is gone); the empty one where none is left.
        Raises `Damaged`, `OSError`."""
        return self._over(tree, _nested(files)) or objects.put_tree(self.folder, ())

    def _over(self, tree: str | None, changes: Mapping[bytes, _Change]) -> str | None:
        """A tree after changes; None where nothing is left in it, for a folder is there for its files alone."""
        items = {item.name: item for item in self.items(tree)} if tree else {}
        for name, change in changes.items():
            if isinstance(change, dict):
                before = items.get(name)
                inner = self._over(before.object if before and before.mode == "40000" else None, change)
                item = Item("40000", name, inner) if inner else None
            else:
                blob = None if change is None else objects.put(self.folder, "blob", change.data)
                item = None if change is None or blob is None else Item(change.mode, name, blob)
            items.pop(name, None)
            if item is not None:
                items[name] = item
        return objects.put_tree(self.folder, items.values()) if items else None


def _nested(files: Mapping[str, Kept | bytes | None]) -> dict[bytes, _Change]:
    nested: dict[bytes, _Change] = {}
    for path, file in files.items():
        *above, name = os.fsencode(path).split(b"/")
        inner = nested
        for part in above:
            deeper = inner.setdefault(part, {})
            assert isinstance(deeper, dict)
            inner = deeper
        inner[name] = Kept(file) if isinstance(file, bytes) else file
    return nested

"""Objects: git's loose objects, written and read without git.

    objects/3b/18e512dba79e4c8300dd08aeb37f8e728b8dad      zlib of b"blob 12\0hello world\n", named by its SHA-1

What is read is checked against its name, so that a store which somebody else filled cannot hand out other bytes.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular

_LEVEL = 1  # deflate's fastest: a tool or a write waits for it

# What a checkpoint keeps of one file, and what packing may add to it.
_PACKED_MOST = 80_000_000


class Damaged(Exception):
    """An object that is not there, or is not what its name says."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a tree: `mode` as git writes it (``100644``, ``100755``, ``120000``, ``40000``)."""

    mode: str
    name: bytes
    object: str


def name_of(kind: str, data: bytes) -> str:
    """The name git gives an object, 40 hex digits."""
    import hashlib

    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data, usedforsecurity=False).hexdigest()


def put(folder: Path, kind: str, data: bytes, *, durable: bool = False) -> str:
    """Keep an object below `folder` (``…/objects``) and give its name; `durable` waits until the disk has it.

    One that is there already is left alone if it is sound. Raises `OSError`.
    """
    name = name_of(kind, data)
    path = _path(folder, name)
    if path.exists():
        with suppress(Damaged):
            get(folder, name)
            return name
    path.parent.mkdir(mode=0o700, exist_ok=True)
    beside = path.parent / f"tmp_obj_{os.urandom(6).hex()}"
    packed = zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data, _LEVEL)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o400)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return name


def get(folder: Path, name: str) -> bytes:
    """The bytes of a loose object. Raises `Damaged`, `FileNotFoundError` when it is not loose, `OSError`."""
    packed = regular.read(_path(folder, name), _PACKED_MOST)
    try:
        whole = zlib.decompress(packed)
    except zlib.error as error:
        raise Damaged(f"the object {name} is damaged") from error
    head, _, data = whole.partition(b"\0")
    return checked(name, head.split(b" ")[0].decode("ascii", "replace"), data)


def checked(name: str, kind: str, data: bytes) -> bytes:
    """`data`, if it is what `name` says. Raises `Damaged`."""
    if name_of(kind, data) != name:
        raise Damaged(f"the object {name} is damaged")
    return data


def put_tree(folder: Path, items: Iterable[Item]) -> str:
    """Keep a tree and give its name. Raises `OSError`."""
    return put(folder, "tree", tree_data(items))


def tree_data(items: Iterable[Item]) -> bytes:
    """A tree's bytes, its lines in git's order (a directory sorts as if its name ended in a slash)."""
    ordered = sorted(items, key=lambda item: item.name + b"/" if item.mode == "40000" else item.name)
    return b"".join(b"%s %s\0%s" % (item.mode.encode(), item.name, bytes.fromhex(item.object)) for item in ordered)


def tree_items(name: str, data: bytes) -> list[Item]:
    """The lines of a tree `name` from its bytes. Raises `Damaged`."""
    items, at = [], 0
    while at < len(data):
        blank, end = data.find(b" ", at), data.find(b"\0", at)
        if not (at < blank < end <= len(data) - 21 and data[at:blank].isdigit()):
            raise Damaged(f"the tree {name} is damaged")
        items.append(Item(data[at:blank].decode(), data[blank + 1 : end], data[end + 1 : end + 21].hex()))
        at = end + 21
    return items


def put_paths(folder: Path, files: Iterable[tuple[bytes, str, str]]) -> str:
    """Keep nested trees for (path, mode, object) and give the name of the outermost. Raises `OSError`."""
    here: dict[bytes, Item] = {}
    below: dict[bytes, list[tuple[bytes, str, str]]] = {}
    for path, mode, name in files:
        first, _, rest = path.partition(b"/")
        if rest:
            below.setdefault(first, []).append((rest, mode, name))
        else:
            here[first] = Item(mode, first, name)
    for first, inner in below.items():
        here[first] = Item("40000", first, put_paths(folder, inner))
    return put_tree(folder, here.values())


def _path(folder: Path, name: str) -> Path:
    return folder / name[:2] / name[2:]

"""Commit: one version of the memory files, as git writes it and as it is read back.

    tree 4b82…
    parent 9d1e…
    author agentmem <agentmem@localhost> 1796040131 +0000
    committer agentmem <agentmem@localhost> 1796040131 +0000

    ADD m7f3a2c9d01

    Op: ADD
    Fact: m7f3a2c9d01
    Session: 2026-11-30T09-02-11-4f2a
    Entry: c3…
    Principal: user

What was written on whose word stands in the last lines of the message, its trailers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentmem.objects import Damaged

WHO = "agentmem <agentmem@localhost>"
_HEX = re.compile(r"[0-9a-f]{40}")
_TRAILER = re.compile(r"([A-Z][A-Za-z-]*): (.*)")
_LONGEST = 400  # characters of a trailer


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. `at` is in seconds since 1970; `trailers` are in the order of the message."""

    id: str
    tree: str
    parents: tuple[str, ...]
    at: int
    message: str
    trailers: tuple[tuple[str, str], ...] = ()

    def all(self, key: str) -> tuple[str, ...]:
        """Every value of a trailer."""
        return tuple(value for name, value in self.trailers if name == key)

    def one(self, key: str) -> str | None:
        """A trailer's first value."""
        return next(iter(self.all(key)), None)


def parse_commit(name: str, data: bytes) -> Commit:
    """The commit that an object's bytes are. Raises `Damaged` where they are none."""
    head, _, said = data.decode("utf-8", "replace").partition("\n\n")
    rows = [row.partition(" ")[::2] for row in head.split("\n")]
    tree = next((value for key, value in rows if key == "tree"), "")
    at = next((value for key, value in rows if key == "committer"), "").rsplit(" ", 2)
    if not _HEX.fullmatch(tree):
        raise Damaged(f"{name} is no commit")
    last = said.rstrip("\n").rpartition("\n\n")[2].split("\n")
    found = [(match[1], match[2]) for row in last if (match := _TRAILER.fullmatch(row))]
    parents = tuple(value for key, value in rows if key == "parent")
    seconds = int(at[1]) if len(at) == 3 and at[1].isdigit() else 0
    return Commit(name, tree, parents, seconds, said, tuple(found))


def commit_bytes(tree: str, parent: str | None, at: int, message: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    """A commit's object, made at `at` seconds since 1970."""
    who = f"{WHO} {at} +0000"
    head = [f"tree {tree}", *([f"parent {parent}"] if parent else []), f"author {who}", f"committer {who}"]
    said = [f"{key}: {one_line(value)}" for key, value in trailers]
    return "\n".join([*head, "", one_line(message), *(["", *said] if said else []), ""]).encode("utf-8", "replace")


def one_line(text: str) -> str:
    """One line that cannot end the message or begin another trailer."""
    return " ".join(text.split())[:_LONGEST]

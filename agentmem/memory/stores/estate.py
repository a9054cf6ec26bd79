"""Estate: every file that agentmem keeps for a project and for the person, by what it is; links are never followed out.

What lies below `.agent/` and the person's level is listed by walking, so that a store that is new is not left out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem.domain.places import Places

Kind = Literal[
    "memory",
    "page",
    "ledger",
    "log",
    "lines",
    "json",
    "text",
    "blob",
    "derived",
    "left",
    "git",
    "index",
    "yours",
    "away",
]
"""`memory` are MEMORY.md files, `page`s what else people read in Markdown, `lines` JSON a line, `derived` what is made
anew, `left` half-written files, `index` git's lists of the person's files, `yours` what the person writes, `away` links
that lead out or cannot be followed."""

_BLOB = re.compile(r"[0-9a-f]{64}")
_LEFT = re.compile(r"^\..*\.new$|^tmp_obj_")
_DERIVED = re.compile(r"\.sqlite(?:-\w+)?$|^(?:shortlist|marks)\.json$")
_SUFFIXES: Mapping[str, Kind] = {".jsonl": "lines", ".json": "json", ".lock": "json"}
_OURS = ("AGENT.md", "AGENTS.md", "CLAUDE.md")
_PERSONAL = frozenset(("config.yaml", "config.yml", "trust", *_OURS))
# Ids and hashes, and no words.
_WORDLESS = frozenset(("hmac.key", "forgotten.jsonl", "admitted", "votes.jsonl", "memory.lock", ".gitignore"))


@dataclass(frozen=True, slots=True)
class Holding:
    """One file, or one git directory."""

    path: Path
    kind: Kind


def holdings(places: Places) -> Iterator[Holding]:
    """All of them, each once. Raises `OSError` for a folder that cannot be listed."""
    seen: set[str] = set()
    roots = (places.root, *places.others)
    trees = (one for root in roots for one in (*_level(root), *_agent(root / ".agent")))
    for one in (*trees, *_agent(places.shared), *_person(places.home)):
        if str(one.path) not in seen:
            seen.add(str(one.path))
            yield one


def shown(path: Path, places: Places) -> str:
    """A path as people read it: below the work tree relative to it, else whole."""
    return os.path.relpath(path, places.root) if path.is_relative_to(places.root) else str(path)


def name_of(path: Path, places: Places) -> str:
    """A file's name with the folders that lead to it from the level it belongs to: what agentmem or a person called
    it."""
    above = next(
        (one for one in (places.shared, places.root, places.home, *places.others) if one in path.parents), None
    )
    return path.name if above is None else os.path.relpath(path, above)


def _level(folder: Path) -> Iterator[Holding]:
    """Durable memory and what the person writes beside it."""
    yield from _one(folder / "MEMORY.md", "memory", folder)
    yield from _one(folder / ".MEMORY.md.new", "left", folder)
    memory = folder / "memory"
    if memory.is_symlink():
        yield Holding(memory, "away")
    else:
        for path in _walk(memory):
            own: Kind = "ledger" if path.name == "ledger.jsonl" else "page" if path.suffix == ".md" else _by_name(path)
            yield from _one(path, own, folder)
    for name in (*_OURS, "skills"):
        for path in _walk(folder / name):
            yield from _one(path, "yours", folder)


def _agent(folder: Path) -> Iterator[Holding]:
    for path in _walk(folder):
        inner = path.relative_to(folder)
        if path.name.endswith(".git"):
            yield Holding(path, "git")
        elif inner.parts[0] in _PERSONAL:
            yield from _one(path, "yours", folder)
        elif inner.parts[0] == "sessions" and len(inner.parts) == 2 and path.suffix == ".jsonl":
            yield from _one(path, "log", folder)
        elif inner.parts[0] not in _WORDLESS:
            page = inner.parts[0] == "handoff" and path.suffix == ".md"
            yield from _one(path, "page" if page else _by_name(path), folder)


def _person(folder: Path) -> Iterator[Holding]:
    durable = {"MEMORY.md", ".MEMORY.md.new", "memory", "skills"}
    yield from _level(folder)
    for one in _agent(folder):
        first = one.path.relative_to(folder).parts[0]
        if first == "checkpoints":  # the rest there are git's settings
            yield from [Holding(one.path, "index")] if one.path.parent.name == "index" else ()
        elif first not in durable and first not in _OURS:
            yield one


def _by_name(path: Path) -> Kind:
    if _LEFT.search(path.name):
        return "left"
    if _DERIVED.search(path.name):
        return "derived"
    if path.parent.name == "blobs" and _BLOB.fullmatch(path.name):
        return "blob"
    return _SUFFIXES.get(path.suffix, "text")


def _walk(folder: Path) -> Iterator[Path]:
    """The files below a folder (or the file itself), and git directories as one; folders behind links are left out."""
    if folder.is_file() or folder.is_symlink():
        yield folder
    if folder.is_symlink() or not folder.is_dir():
        return
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and not entry.name.endswith(".git"):
            yield from _walk(path)
        else:
            yield path


def _one(path: Path, kind: Kind, inside: Path) -> Iterator[Holding]:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISLNK(found.st_mode):
        if stat.S_ISREG(found.st_mode):
            yield Holding(path, kind)
        return
    target = Path(os.path.realpath(path))
    within = target.is_relative_to(os.path.realpath(inside)) and target.is_file()
    yield Holding(target, kind) if within else Holding(path, "away")

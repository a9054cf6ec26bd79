"""First use: what a skill of a project brings along, shown before it is used, and which ones the person has seen.

    {"path":"/w/shop/skills/deploy/SKILL.md","digest":"9f2c…","at":"2026-11-30T09:14:03Z"}

in `skills.seen` of the person's level. The digest is of all files of the skill's folder: one that changed is new.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular
from agentmem.domain.visible import hidden
from agentmem.workspace.guarded import SEEN
from agentmem.workspace.records import Record, change, records

_MOST_FILES = 500
_MOST_BYTES = 1 << 20  # of a file whose bytes are looked at
_SCRIPTS = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".bat", ".cmd", ".lua")
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", *_SCRIPTS)


@dataclass(frozen=True, slots=True)
class Baggage:
    """What lies in a skill's folder: `digest` of all of it; its `scripts`; characters that a person does not see, each
    as ``file:line: what``; `whole` is False when there were too many files to look at."""

    digest: str
    scripts: tuple[str, ...]
    hidden: tuple[str, ...]
    whole: bool = True

    @property
    def harmless(self) -> bool:
        """Whether there is nothing but text to be seen."""
        return self.whole and not self.scripts and not self.hidden


def baggage(skill: str) -> Baggage:
    """Look at the folder of the file `skill`. What cannot be read counts by its name and size."""
    folder = os.path.dirname(skill)
    digest, scripts, unseen, count = hashlib.sha256(), [], list[str](), 0
    for path, name in _files(folder):
        count += 1
        if count > _MOST_FILES:
            break
        data = _bytes(path)
        digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
        if _is_script(path, name, data):
            scripts.append(name)
        if name.lower().endswith(_TEXTS):
            unseen += [f"{name}:{line}: {what}" for line, what in hidden(data.decode("utf-8", "replace"))]
    return Baggage(digest.hexdigest(), tuple(scripts), tuple(unseen), count <= _MOST_FILES)


def seen(home: Path, skill: str) -> str | None:
    """The digest under which the person saw this skill last, None for never."""
    found = [one.get("digest") for one in records(home / SEEN) if one.get("path") == skill]
    return found[-1] if found and isinstance(found[-1], str) else None


def keep_seen(home: Path, skill: str, digest: str, at: str) -> None:
    """Keep that the person has seen it so. Raises `OSError`."""

    def renewed(held: list[Record]) -> list[Record]:
        others = [one for one in held if one.get("path") != skill]
        return [*others, {"path": skill, "digest": digest, "at": at}]

    change(home / SEEN, renewed)


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """The files below a folder, links not followed into folders, in the order of their names."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__", "node_modules"))
        for name in sorted(names):
            path = os.path.join(at, name)
            yield path, os.path.relpath(path, folder)


def _bytes(path: str) -> bytes:
    try:
        return regular.read(path, _MOST_BYTES)
    except OSError as error:
        size = os.lstat(path).st_size if os.path.lexists(path) else 0
        return f"{type(error).__name__} {size}".encode()


def _is_script(path: str, name: str, data: bytes) -> bool:
    if name.lower().endswith(_SCRIPTS) or data.startswith(b"#!"):
        return True
    try:
        return bool(stat.S_IMODE(os.stat(path).st_mode) & 0o111)
    except OSError:
        return False

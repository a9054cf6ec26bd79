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

_MOST_FILES = 500  # whose bytes are looked at
_MOST_NAMES = 10_000
_MOST_BYTES = 1 << 20  # of a file whose bytes are looked at
_SHELLS = (".sh", ".bash", ".zsh", ".fish", ".ksh", ".ps1", ".psm1", ".bat", ".cmd", ".applescript")
_WEB = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".php")
_SCRIPTS = (*_SHELLS, *_WEB, ".py", ".rb", ".pl", ".lua", ".r", ".jl", ".go", ".awk", ".tcl", ".exs", ".swift")
_RECIPES = ("makefile", "gnumakefile", "justfile", "rakefile", "dockerfile")  # what a bare `make` runs
_PROGRAMS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", *_SCRIPTS)


@dataclass(frozen=True, slots=True)
class Baggage:
    """What lies in a skill's folder: `digest` of all of it; its `scripts`; characters that a person does not see, each
    as ``file:line: what``; `whole` is False when not all of it could be looked at."""

    digest: str
    scripts: tuple[str, ...]
    hidden: tuple[str, ...]
    whole: bool = True

    @property
    def harmless(self) -> bool:
        """Whether there is nothing but text to be seen."""
        return self.whole and not self.scripts and not self.hidden


def baggage(skill: str) -> Baggage:
    """Look at the folder of the file `skill`. What cannot be read, or is beyond the bounds, counts by its name, size
    and time of change."""
    folder = os.path.dirname(skill)
    digest, scripts, unseen, whole = hashlib.sha256(), [], list[str](), True
    for count, (path, name) in enumerate(_files(folder)):
        if count >= _MOST_NAMES:
            whole = False
            break
        data = _bytes(path) if count < _MOST_FILES else None
        whole = whole and data is not None
        data = _mark(path) if data is None else data
        script = _is_script(path, name, data)
        digest.update(f"{name}\0{script}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
        if script:
            scripts.append(name)
        if name.lower().endswith(_TEXTS):
            unseen += [f"{name}:{line}: {what}" for line, what in hidden(data.decode("utf-8", "replace"))]
    return Baggage(digest.hexdigest(), tuple(scripts), tuple(unseen), whole)


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
    """The files below a folder in the order of their names; links are followed, to each folder once."""
    met: set[tuple[int, int]] = set()
    _is_new(folder, met)
    for at, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in sorted(folders) if name != ".git" and _is_new(os.path.join(at, name), met)]
        compiled = os.path.basename(at) == "__pycache__"  # these come and go with each run
        for name in sorted(names):
            if not (compiled and name.endswith(".pyc")):
                path = os.path.join(at, name)
                yield path, os.path.relpath(path, folder)


def _is_new(folder: str, met: set[tuple[int, int]]) -> bool:
    try:
        mark = os.stat(folder)
    except OSError:
        return False
    known = (mark.st_dev, mark.st_ino) in met
    met.add((mark.st_dev, mark.st_ino))
    return not known


def _bytes(path: str) -> bytes | None:
    """What a file holds, None where that cannot be read, or is too much."""
    try:
        return regular.read(path, _MOST_BYTES)
    except OSError:
        return None


def _mark(path: str) -> bytes:
    try:
        found = os.stat(path)
    except OSError as error:
        return type(error).__name__.encode()
    return f"{found.st_mode} {found.st_size} {found.st_mtime_ns}".encode()


def _is_script(path: str, name: str, data: bytes) -> bool:
    if name.lower().endswith(_SCRIPTS) or os.path.basename(name).lower() in _RECIPES or data.startswith(_PROGRAMS):
        return True
    try:
        return bool(stat.S_IMODE(os.stat(path).st_mode) & 0o111)
    except OSError:
        return False

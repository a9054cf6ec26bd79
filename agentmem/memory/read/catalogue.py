"""Catalogue: which sessions there are, read off the heads and tails of their logs alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.message import Text, parts_from_json
from agentmem.memory.stores import lines
from agentmem.memory.stores.log import NAME_MOST, SUFFIX, TAIL, head_and_tail

_HEAD = 16 * 1024
_PREVIEW = NAME_MOST
_NAMING = b'"session_info"'
_CUT_TEXT = r'"text":"((?:[^"\\]|\\.)*)'


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session at a glance: `at` and `cwd` from its header, `preview` of the first user text and `last` of the last
    message (one line, at most 200 characters), `mtime` in seconds since 1970, `size` in bytes. `name` is what a person
    called it, "" for nothing; `parent` is the session whose sub-session it is, `origin` the one it was forked from."""

    id: str
    at: str
    cwd: str
    preview: str
    last: str
    mtime: float
    size: int
    name: str = ""
    parent: str | None = None
    origin: str | None = None

    @property
    def title(self) -> str:
        """The name, else what it began with."""
        return self.name or self.preview


def heads(sessions: Path, *, every: bool = False) -> list[SessionHead]:
    """Every session of a folder, the one last written first; sub-sessions only where `every` one is wanted. A file that
    cannot be read is no session to go on with, and is left out."""
    found = [head for path in _logs(sessions) if (head := _head(path)) is not None]
    wanted = [head for head in found if every or head.parent is None]
    return sorted(wanted, key=lambda head: (head.mtime, head.id), reverse=True)


def below(sessions: Path, session: str) -> list[str]:
    """The sub-sessions of a session, and theirs."""
    parents = {path.stem: _header(path).get("parent_session") for path in _logs(sessions)}
    found = [session]
    for own in found:
        found += [child for child, parent in parents.items() if parent == own and child not in found]
    return found[1:]


def forks(sessions: Path) -> list[str]:
    """The sessions that were forked from another."""
    return [path.stem for path in _logs(sessions) if isinstance(_header(path).get("forked_from"), dict)]


def last(sessions: Path, cwd: str, root: str) -> str | None:
    """The session last written that was started in `cwd` or elsewhere under `root`; sub-sessions do not count. Without
    one, the last whose directory is gone: the project was moved, and its sessions with it."""
    moved: str | None = None
    for path in sorted(_logs(sessions), key=_written, reverse=True):
        header = _header(path)
        started = header.get("cwd")
        if not isinstance(started, str) or header.get("parent_session") is not None:
            continue
        if started in (cwd, root) or started.startswith(root.rstrip("/") + "/"):
            return path.stem
        if moved is None and started and not os.path.isdir(started):
            moved = path.stem
    return moved


def head(sessions: Path, session: str) -> SessionHead | None:
    """One session at a glance, None where it cannot be read."""
    return _head(sessions / f"{session}{SUFFIX}")


def called(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions that a person named so, in any case; sorted."""
    wanted = name.strip().casefold()
    return tuple(sorted(one.id for one in heads(sessions, every=True) if wanted and one.name.casefold() == wanted))


def find(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions called `name`, or whose id begins with it; sorted. Only names are looked at, never first lines."""
    ids = sorted(path.stem for path in _logs(sessions))
    return (name,) if name in ids else tuple(own for own in ids if name and own.startswith(name))


def near(sessions: Path, name: str) -> tuple[str, ...]:
    """Up to five ids that share a piece with `name`, else the latest five."""
    ids = sorted((path.stem for path in _logs(sessions)), reverse=True)
    alike = [own for own in ids if name and (name in own or own[:10] == name[:10])]
    return tuple((alike or ids)[:5])


def _logs(sessions: Path) -> Iterator[Path]:
    if not sessions.is_dir():
        return
    with os.scandir(sessions) as found:
        yield from (Path(one.path) for one in found if one.name.endswith(SUFFIX) and one.is_file(follow_symlinks=False))


def _written(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name


def _head(path: Path) -> SessionHead | None:
    try:
        first, end, stat = head_and_tail(path, _HEAD, TAIL)
    except OSError:
        return None
    rows = first.split(b"\n")
    header = _header_in(rows)
    preview = next((text for one in _records(rows) if (text := _said(one))), "") or _cut(first)
    ends = end.split(b"\n")[1:] if end else rows
    latest = next((text for one in _records(reversed(ends)) if (text := _any(one))), "")
    at, cwd = (value if isinstance(value := header.get(key), str) else "" for key in ("at", "cwd"))
    # Where both pieces are all of it, a line may lie across their border.
    whole = bool(end) and len(first) + len(end) >= stat.st_size
    name = _name(first + end) if whole else _name(end[end.find(b"\n") + 1 :], first)
    forked = header.get("forked_from")
    origin = _text(forked.get("session")) if isinstance(forked, dict) else None
    parent = _text(header.get("parent_session"))
    return SessionHead(path.stem, at, cwd, preview, latest, stat.st_mtime, stat.st_size, name, parent, origin)


def _header(path: Path) -> dict[str, Any]:
    """A log's header, empty where it has none or cannot be read."""
    try:
        return _header_in(head_and_tail(path, _HEAD, 0)[0].split(b"\n"))
    except OSError:
        return {}


def _header_in(rows: Iterable[bytes]) -> dict[str, Any]:
    return next((one for one in _records(rows) if one.get("type") == "session"), {})


def _name(*pieces: bytes) -> str:
    """The name that these pieces of a log give last, the later piece first; "" without one. A writer tells it anew
    before its tail has grown past it (`NAME_EVERY`), so that the ends of a log are enough."""
    for piece in pieces:
        if _NAMING not in piece:
            continue
        naming = (row for row in reversed(piece.split(b"\n")) if _NAMING in row)
        found = (one.get("name") for one in _records(naming) if one.get("type") == "session_info")
        if (name := next((name for name in found if isinstance(name, str)), None)) is not None:
            return _line(name)
    return ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _records(rows: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of these lines, read one by one as they are asked for."""
    return (value for raw in rows for value in lines.parse(raw)[0])


def _said(record: dict[str, Any]) -> str:
    """What the person said in a user message; harness notices aside."""
    if record.get("type") != "message" or record.get("role") != "user" or record.get("notice") is True:
        return ""
    parts = parts_from_json(record.get("content"))
    return _line(" ".join(part.text for part in parts if isinstance(part, Text) and part.origin != "harness"))


def _any(record: dict[str, Any]) -> str:
    if record.get("type") != "message" or record.get("role") == "user":
        return _said(record)
    return _line(" ".join(part.text for part in parts_from_json(record.get("content")) if isinstance(part, Text)))


def _cut(head: bytes) -> str:
    """The beginning of a first message so long that its line does not end within the head."""
    line = head.rpartition(b"\n")[2].decode(errors="replace")
    found = re.search(_CUT_TEXT, line) if '"role":"user"' in line else None
    try:
        return _line(json.loads(f'"{found[1]}"')) if found else ""
    except ValueError:
        return ""


def _line(text: str) -> str:
    return " ".join(text[: 4 * _PREVIEW].split())[:_PREVIEW]

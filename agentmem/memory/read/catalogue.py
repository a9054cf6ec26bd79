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
from agentmem.memory.stores.log import head_and_tail

SUFFIX = ".jsonl"
_HEAD = 16 * 1024
_TAIL = 8 * 1024
_PREVIEW = 200
_CUT_TEXT = r'"text":"((?:[^"\\]|\\.)*)'


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session at a glance: `at` and `cwd` from its header, `preview` of the first user text and `last` of the last
    message (one line, at most 200 characters), `mtime` in seconds since 1970, `size` in bytes."""

    id: str
    at: str
    cwd: str
    preview: str
    last: str
    mtime: float
    size: int


def heads(sessions: Path) -> list[SessionHead]:
    """Every session of a folder but sub-sessions, the one last written first. A file that cannot be read is no session
    to go on with, and is left out."""
    found = [head for path in _logs(sessions) if (head := _head(path)) is not None]
    return sorted(found, key=lambda head: (head.mtime, head.id), reverse=True)


def last(sessions: Path, cwd: str, root: str) -> str | None:
    """The session last written that was started in `cwd` or elsewhere under `root`; sub-sessions do not count."""
    for path in sorted(_logs(sessions), key=_written, reverse=True):
        try:
            first = head_and_tail(path, _HEAD, 0)[0]
        except OSError:
            continue
        header = next((one for one in _records(first.split(b"\n")) if one.get("type") == "session"), {})
        started = header.get("cwd")
        here = isinstance(started, str) and (started in (cwd, root) or started.startswith(root.rstrip("/") + "/"))
        if here and header.get("parent_session") is None:
            return path.stem
    return None


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
        first, end, stat = head_and_tail(path, _HEAD, _TAIL)
    except OSError:
        return None
    rows = first.split(b"\n")
    header = next((one for one in _records(rows) if one.get("type") == "session"), {})
    if header.get("parent_session") is not None:
        return None
    preview = next((text for one in _records(rows) if (text := _said(one))), "") or _cut(first)
    ends = end.split(b"\n")[1:] if end else rows
    latest = next((text for one in _records(reversed(ends)) if (text := _any(one))), "")
    at, cwd = (value if isinstance(value := header.get(key), str) else "" for key in ("at", "cwd"))
    return SessionHead(path.stem, at, cwd, preview, latest, stat.st_mtime, stat.st_size)


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

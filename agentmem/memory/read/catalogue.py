"""Catalogue: which sessions there are, read off the heads and tails of their logs alone."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import lines
from agentmem.memory.stores.log import NAME_MOST, SUFFIX, TAIL, head_and_tail

_HEAD = 4 * 1024
_LONG_HEAD = 32 * 1024  # where the first 4 kB hold no header or nothing that was said
_PREVIEW = NAME_MOST
_NAMING = b'"session_info"'
_CUT_TEXT = r'"text":"((?:[^"\\]|\\.)*)'


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session at a glance: `at` and `cwd` from its header, `preview` of the first user text and `last` of the last
    message (one line, at most 200 characters), `mtime` in seconds since 1970, `size` in bytes. `name` is what a person
    called it, "" for nothing; `parent` is the session whose sub-session it is, `origin` the one it was forked from,
    `follows` the one it goes on from after a reset."""

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
    follows: str | None = None

    @property
    def title(self) -> str:
        """The name, else what it began with."""
        return self.name or self.preview


def heads(sessions: Path, *, every: bool = False) -> list[SessionHead]:
    """Every session of a folder, the one last written first; sub-sessions only where `every` one is wanted. A file that
    cannot be read is no session to go on with, and is left out."""
    return survey(sessions, every=every)[0]


def survey(sessions: Path, *, every: bool = False) -> tuple[list[SessionHead], list[OSError]]:
    """What `heads` gives, and what `unreadable` gives, each file opened once."""
    found: list[SessionHead] = []
    paths, failures = _scan(sessions)
    for path in paths:
        try:
            head = _head(path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError as failure:
            failures.append(failure)
            continue
        if every or head.parent is None:
            found.append(head)
    found.sort(key=lambda head: (head.mtime, head.id), reverse=True)
    return found, sorted(failures, key=_named)


def unreadable(sessions: Path, newer_than: str | None = None) -> list[OSError]:
    """Why logs of the folder cannot be read, one failure a log, by name; each names its file. `newer_than` a session:
    only logs written after it. Raises OSError where the folder itself cannot be listed."""
    paths, no_logs = _scan(sessions)
    failures = [failure for path in paths if (failure := _failure(path)) is not None]
    found = sorted((*failures, *no_logs), key=_named)
    if newer_than is None:
        return found
    since = _written(str(sessions / f"{newer_than}{SUFFIX}"))
    return [failure for failure in found if _written(_named(failure)) > since]


def below(sessions: Path, session: str) -> list[str]:
    """The sub-sessions of a session, and theirs."""
    parents = {_id(path): _giver(_header(path)) for path in _logs(sessions)}
    found = [session]
    for own in found:
        found += [child for child, parent in parents.items() if parent == own and child not in found]
    return found[1:]


def forks(sessions: Path) -> list[str]:
    """The sessions that were forked from another."""
    return [_id(path) for path in _logs(sessions) if isinstance(_header(path).get("forked_from"), dict)]


def last(sessions: Path, cwd: str, root: str) -> str | None:
    """The session last written that was started in `cwd` or elsewhere under `root`; sub-sessions do not count. Without
    one, the last whose directory is gone: the project was moved, and its sessions with it. Raises OSError where there
    is none and a log could not be read: it may be the one."""
    moved: str | None = None
    for path in sorted(_logs(sessions), key=_written, reverse=True):
        header = _header(path)
        started = header.get("cwd")
        if _giver(header) is not None:
            continue
        if not isinstance(started, str):
            # A damaged header: it may be this project's as well as any other's.
            moved = moved or (_id(path) if _readable(path) else None)
        elif started in (cwd, root) or started.startswith(root.rstrip("/") + "/"):
            return _id(path)
        elif moved is None and started and not os.path.isdir(started):
            moved = _id(path)
    if moved is None and (failures := unreadable(sessions)):
        raise failures[-1]
    return moved


def head(sessions: Path, session: str) -> SessionHead | None:
    """One session at a glance, None where it cannot be read."""
    try:
        return _head(str(sessions / f"{session}{SUFFIX}"))
    except OSError:
        return None


def called(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions that a person named so, in any case; sorted."""
    wanted = name.strip().casefold()
    return tuple(sorted(one.id for one in heads(sessions, every=True) if wanted and one.name.casefold() == wanted))


def find(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions called `name`, or whose id begins with it; sorted. Only names are looked at, never first lines."""
    ids = sorted(_id(path) for path in _logs(sessions))
    return (name,) if name in ids else tuple(own for own in ids if name and own.startswith(name))


def near(sessions: Path, name: str) -> tuple[str, ...]:
    """Up to five ids that share a piece with `name`, else the latest five."""
    ids = sorted((_id(path) for path in _logs(sessions)), reverse=True)
    alike = [own for own in ids if name and (name in own or own[:10] == name[:10])]
    return tuple((alike or ids)[:5])


def logs(sessions: Path) -> list[Path]:
    """Every log of a folder, sub-sessions too, by name."""
    return sorted(Path(path) for path in _logs(sessions))


def no_logs(sessions: Path) -> list[OSError]:
    """What stands where a log, or the folder of logs, belongs and is none; each names its file, sorted by it."""
    return sorted(_scan(sessions)[1], key=_named)


def _logs(sessions: Path) -> list[str]:
    return _scan(sessions)[0]


def _scan(sessions: Path) -> tuple[list[str], list[OSError]]:
    """The paths of the logs, and what stands where one of them, or the folder itself, belongs and is none."""
    if not sessions.is_dir():
        there = os.path.lexists(sessions)
        return [], [NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(sessions))] if there else []
    paths: list[str] = []
    failures: list[OSError] = []
    with os.scandir(sessions) as found:
        for one in found:
            if not one.name.endswith(SUFFIX):
                continue
            if one.is_file(follow_symlinks=False):
                paths.append(one.path)
                continue
            try:
                regular.check(one.stat(follow_symlinks=False).st_mode, one.path)
            except OSError as failure:
                failures.append(failure)
    return paths, failures


def _named(failure: OSError) -> str:
    return str(failure.filename)


def _id(path: str) -> str:
    return os.path.basename(path)[: -len(SUFFIX)]


def _readable(path: str) -> bool:
    try:
        return bool(head_and_tail(path, 1, 0)[0])
    except OSError:
        return False


def _written(path: str) -> tuple[int, str]:
    try:
        return os.lstat(path).st_mtime_ns, path
    except OSError:
        return 0, path


def _failure(path: str) -> OSError | None:
    try:
        head_and_tail(path, 1, 0)
    except FileNotFoundError:  # removed meanwhile
        return None
    except OSError as failure:
        return failure
    return None


def _head(path: str) -> SessionHead:
    """Raises `OSError`."""
    first, end, stat = head_and_tail(path, _HEAD, TAIL)
    header, preview = _first(first)
    if not (header and preview) and len(first) == _HEAD:
        header, preview = _first(head_and_tail(path, _LONG_HEAD, 0)[0])
    # Where both pieces are all of it, a line may lie across their border.
    whole = bool(end) and len(first) + len(end) >= stat.st_size
    last = first + end if whole else end[end.find(b"\n") + 1 :]
    latest = _latest(last or first)
    name = _name(last) if whole else _name(last, first)
    forked = header.get("forked_from")
    return SessionHead(
        _id(path),
        _text(header.get("at")) or "",
        _text(header.get("cwd")) or "",
        preview,
        latest,
        stat.st_mtime,
        stat.st_size,
        name,
        _giver(header),
        _text(forked.get("session")) if isinstance(forked, dict) else None,
        _text(header.get("parent_session")) if header.get("reset") is True else None,
    )


def _giver(header: Mapping[str, Any]) -> str | None:
    """The session whose sub-session this one is; after a reset a session is its own."""
    return None if header.get("reset") is True else _text(header.get("parent_session"))


def _first(head: bytes) -> tuple[dict[str, Any], str]:
    """The header, and what the person said first; lines after both are not read."""
    header: dict[str, Any] = {}
    preview = ""
    start = 0
    while start >= 0 and not (header and preview):
        end = head.find(b"\n", start)
        for one in lines.parse(head[start:] if end < 0 else head[start:end])[0]:
            if one.get("type") == "session":
                header = header or one
            elif not preview:
                preview = _said(one)
        start = end + 1 or -1
    return header, preview or _cut(head)


def _latest(tail: bytes) -> str:
    """What was said last; lines before that are not read."""
    end = len(tail) - tail.endswith(b"\n")
    while end > 0:
        start = tail.rfind(b"\n", 0, end) + 1
        for one in lines.parse(tail[start:end])[0]:
            if text := _any(one):
                return text
        end = start - 1
    return ""


def _header(path: str) -> dict[str, Any]:
    """A log's header, empty where it has none or cannot be read."""
    try:
        for size in (_HEAD, _LONG_HEAD):
            first = head_and_tail(path, size, 0)[0]
            found = next((one for one in _records(first.split(b"\n")) if one.get("type") == "session"), None)
            if found is not None or len(first) < size:
                return found or {}
    except OSError:
        pass
    return {}


def _name(*pieces: bytes) -> str:
    """The name that these pieces of a log give last, the later piece first; "" without one. A writer tells it anew
    before its tail has grown past it (`NAME_EVERY`), so that the ends of a log are enough."""
    for piece in pieces:
        if piece.rfind(_NAMING) < 0:
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
    return _line(_texts(record.get("content"), "harness"))


def _any(record: dict[str, Any]) -> str:
    """What anyone said."""
    if record.get("type") != "message" or record.get("role") == "user":
        return _said(record)
    return _line(_texts(record.get("content")))


def _texts(content: object, but: str = "") -> str:
    """The texts of a message's content, joined, without those of origin `but`."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    if len(parts) == 1 and isinstance(part := parts[0], dict) and part.get("origin") != but:
        text = part.get("text") if part.get("type") == "text" else None
        return text if isinstance(text, str) else ""
    texts = [
        part if isinstance(part, str) else part.get("text")
        for part in parts
        if isinstance(part, str)
        or (isinstance(part, dict) and part.get("type") == "text" and part.get("origin") != but)
    ]
    return " ".join(text for text in texts if isinstance(text, str))


def _cut(head: bytes) -> str:
    """The beginning of a first message so long that its line does not end within the head."""
    line = head.rpartition(b"\n")[2].decode(errors="replace")
    found = re.search(_CUT_TEXT, line) if '"role":"user"' in line else None
    try:
        return _line(json.loads(f'"{found[1]}"')) if found else ""
    except ValueError:
        return ""


def _line(text: str) -> str:
    line = text[:_PREVIEW]
    if line.isprintable() and "  " not in line:
        return line.strip()
    line = " ".join(text[: _PREVIEW + 20].split())
    if len(line) < _PREVIEW < len(text):  # many blanks in a row
        line = " ".join(text[: 4 * _PREVIEW].split())
    return line[:_PREVIEW]

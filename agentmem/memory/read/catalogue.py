"""Catalogue: which sessions a folder of logs holds, and which of them is meant."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from agentmem import regular
from agentmem.memory.read.sessionhead import SessionHead, giver, glance, header_of, session_id, successor
from agentmem.memory.stores.log import SUFFIX, head_and_tail


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
            head = glance(path)
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
    parents = {session_id(path): giver(header_of(path)) for path in _logs(sessions)}
    found = [session]
    for own in found:
        found += [child for child, parent in parents.items() if parent == own and child not in found]
    return found[1:]


def forks(sessions: Path) -> list[str]:
    """The sessions that were forked from another."""
    return [session_id(path) for path in _logs(sessions) if isinstance(header_of(path).get("forked_from"), dict)]


def last(sessions: Path, cwd: str, root: str) -> str | None:
    """The session last written that was started in `cwd` or elsewhere under `root`, or the one that goes on from it
    after a reset (both may be written in one tick of the clock); sub-sessions do not count. Without
    one, the last whose directory is gone: the project was moved, and its sessions with it. Raises OSError where there
    is none and a log could not be read: it may be the one."""
    moved: str | None = None
    for path in sorted(_logs(sessions), key=_written, reverse=True):
        header = header_of(path)
        started = header.get("cwd")
        if giver(header) is not None:
            continue
        if not isinstance(started, str):
            # A damaged header: it may be this project's as well as any other's.
            moved = moved or (session_id(path) if _readable(path) else None)
        elif started in (cwd, root) or started.startswith(root.rstrip("/") + "/"):
            return _after_resets(sessions, path)
        elif moved is None and started and not os.path.isdir(started):
            moved = session_id(path)
    if moved is None and (failures := unreadable(sessions)):
        raise failures[-1]
    return moved


def _after_resets(sessions: Path, path: str) -> str:
    """The end of the chain of sessions that go on from one."""
    chain = [path]
    while (following := successor(chain[-1])) is not None:
        path = str(sessions / f"{os.path.basename(following)}{SUFFIX}")
        if path in chain or not os.path.isfile(path):
            break
        chain.append(path)
    return session_id(chain[-1])


def head(sessions: Path, session: str) -> SessionHead | None:
    """One session at a glance, None where it cannot be read."""
    try:
        return glance(str(sessions / f"{session}{SUFFIX}"))
    except OSError:
        return None


def called(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions that a person named so, in any case; sorted."""
    wanted = name.strip().casefold()
    return tuple(sorted(one.id for one in heads(sessions, every=True) if wanted and one.name.casefold() == wanted))


def find(sessions: Path, name: str) -> tuple[str, ...]:
    """The sessions called `name`, or whose id begins with it; sorted. Only names are looked at, never first lines."""
    ids = sorted(session_id(path) for path in _logs(sessions))
    return (name,) if name in ids else tuple(own for own in ids if name and own.startswith(name))


def near(sessions: Path, name: str) -> tuple[str, ...]:
    """Up to five ids that share a piece with `name`, else the latest five."""
    ids = sorted((session_id(path) for path in _logs(sessions)), reverse=True)
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

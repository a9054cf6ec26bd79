"""Removal: a session goes from the disk, on the person's word alone, with what only it needs."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read import catalogue
from agentmem.memory.stores import inbox
from agentmem.memory.stores.log import SUFFIX, LogWriteError, LogWriter, cause

_OFFLOADED = re.compile(rb"offload/([^/\"\\\s]{1,100})/")


@dataclass(frozen=True, slots=True)
class Removed:
    """What went: `paths` of files and folders, and what was `kept` although it belonged to them, with the reason."""

    paths: tuple[Path, ...]
    kept: tuple[str, ...] = ()


def remove(places: Places, session: str, clock: Clock) -> Removed:
    """Remove a session's log, its sub-sessions and their outputs. A fork may still show outputs of the session it was
    taken from: those stay, and go with the last fork that does.

    Raises `SessionBusy` before anything is gone (also for a sub-session), `LogWriteError`.
    """
    going = [session, *catalogue.below(places.sessions, session)]
    logs = [places.sessions / f"{one}{SUFFIX}" for one in going]
    forks = set(catalogue.forks(places.sessions))
    with ExitStack() as held:
        for path in logs:
            held.callback(LogWriter.open(path, clock).close)
        shown = {name for path in logs if path.stem in forks for name in _offloaded(path)}
        gone: list[Path] = []
        try:
            for path in reversed(logs):
                path.unlink()
                gone.append(path)
            kept = _sweep(places, {*going, *shown}, gone)
            gone += [path for one in going for path in inbox.remove(places.inbox, one)]
        except OSError as error:
            raise LogWriteError(Path(error.filename or logs[0]), cause(error)) from error
    return Removed(tuple(gone), tuple(kept))


def _sweep(places: Places, sessions: set[str], gone: list[Path]) -> list[str]:
    """Remove the outputs of these sessions where no log is left that is theirs or shows them; gives what stays."""
    # Names come from logs, where anything may stand: only what a listing of the folder itself gives is ever removed.
    folders = [
        Path(one.path)
        for parent in (places.offload, places.shared / "archive")
        if parent.is_dir()
        for one in os.scandir(parent)
        if one.name in sessions and one.is_dir(follow_symlinks=False)
    ]
    folders = [one for one in folders if not (places.sessions / f"{one.name}{SUFFIX}").exists()]
    users: dict[str, str] = {}
    for fork in catalogue.forks(places.sessions) if folders else ():
        users |= dict.fromkeys(_offloaded(places.sessions / f"{fork}{SUFFIX}"), fork)
    for folder in sorted(folders):
        if folder.name not in users:
            shutil.rmtree(folder)
            gone.append(folder)
    return [
        f"{one}: session {users[one.name]}, a fork, still shows what is in it"
        for one in sorted(folders)
        if one.name in users
    ]


def _offloaded(path: Path) -> set[str]:
    """The sessions whose outputs a log names."""
    found: set[str] = set()
    with suppress(OSError), os.fdopen(regular.opened(path), "rb") as file:
        for line in file:
            if b"offload/" in line:
                found |= {os.fsdecode(name) for name in _OFFLOADED.findall(line)}
    return found

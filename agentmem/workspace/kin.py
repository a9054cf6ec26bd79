"""Kin: the processes a command started, also those that left its process group, so that all of them can be ended.

A process is kin when it is in the command's group or session or in one that kin made, bears the command's mark in its
environment, writes to the command's pipe, descends from kin, or was kin before. What clears its environment, closes its
output, leaves the session *and* loses its parent, all before it is first looked for, cannot be told from a stranger and
is not found.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_PROC = "/proc"
_PS = ("ps", "-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,state=,command=")


@dataclass(frozen=True, slots=True)
class Process:
    """One process as the system lists it. `started` tells two processes of one id apart (0 where it is not known);
    `marked` is set when it bears the mark or writes to one of the pipes."""

    pid: int
    parent: int
    group: int
    session: int
    started: int
    marked: bool


class Kin:
    """The kin of the command whose first process is `leader`. `mark` is a text of its environment; `pipes` are the
    inode numbers of the pipes it writes to."""

    def __init__(self, leader: int, mark: str, pipes: frozenset[int] = frozenset()) -> None:
        self._leader = leader
        self._mark = mark.encode()
        self._pipes = frozenset(f"pipe:[{inode}]" for inode in pipes)
        self._known: dict[int, int] = {}
        self._crowds = {leader}
        self._own = {0, os.getpgid(0), os.getsid(0)}

    def alive(self) -> tuple[int, ...]:
        """Process ids of all kin that live now, zombies and the harness left out."""
        listed = {one.pid: one for one in _processes(self._mark, self._pipes) if one.pid not in (1, os.getpid())}
        found = {one.pid for one in listed.values() if self._is_kin(one)}
        _add_descendants(found, listed.values())
        for pid in found:
            one = listed[pid]
            self._known[pid] = one.started
            # A child born between this look and a signal is known by these, though its parent is gone.
            self._crowds |= {one.group, one.session} - self._own
        return tuple(sorted(found))

    def signal(self, number: int) -> None:
        """Send a signal to all kin, to the group as a whole first."""
        pids = self.alive()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, number)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def reap(self) -> None:
        """Take leave of dead kin that became children of the harness (it is process 1, or a reaper of orphans)."""
        for pid in self._known:
            if pid != self._leader:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _is_kin(self, one: Process) -> bool:
        if one.marked or one.group in self._crowds or one.session in self._crowds:
            return True
        return self._known.get(one.pid) == one.started


def bearing(mark: str) -> tuple[int, ...]:
    """The processes that live and bear a mark in their environment."""
    return tuple(one.pid for one in _processes(mark.encode(), frozenset()) if one.marked and one.pid != os.getpid())


def _add_descendants(found: set[int], listed: Iterable[Process]) -> None:
    children: dict[int, list[int]] = {}
    for one in listed:
        children.setdefault(one.parent, []).append(one.pid)
    waiting = list(found)
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)


def _processes(mark: bytes, pipes: frozenset[str]) -> Iterator[Process]:
    """Every process that is no zombie, from /proc where there is one, else from `ps`."""
    if sys.platform.startswith("linux") and os.path.isdir(_PROC):
        for name in os.listdir(_PROC):
            if name.isdigit() and (one := _from_proc(name, mark, pipes)) is not None:
                yield one
        return
    yield from from_ps(_ask_ps(), mark)


def _from_proc(pid: str, mark: bytes, pipes: frozenset[str]) -> Process | None:
    """The process, None when it is a zombie or gone meanwhile. Fields as in proc(5): 1 state, 2 parent, 3 group,
    4 session, 20 start time, counted from the end of the name."""
    stat = _content(f"{_PROC}/{pid}/stat")
    fields = stat[stat.rfind(b")") + 1 :].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    parent, group, session = (int(field) for field in fields[1:4])
    return Process(int(pid), parent, group, session, int(fields[19]), _bears(pid, mark) or _writes_to(pid, pipes))


def _bears(pid: str, mark: bytes) -> bool:
    return mark in _content(f"{_PROC}/{pid}/environ")


def _writes_to(pid: str, pipes: frozenset[str]) -> bool:
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.readlink(f"{_PROC}/{pid}/fd/{number}") in pipes:
                return True
    return False


def _content(path: str) -> bytes:
    """The bytes of a file under /proc, empty when the process is gone or another person's."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _ask_ps() -> str:
    import subprocess

    return subprocess.run(_PS, capture_output=True, text=True, errors="replace", check=False).stdout


def from_ps(listing: str, mark: bytes) -> Iterator[Process]:
    """Read what `ps` printed: a line each of pid, parent, group, state, and the command with its environment."""
    for line in listing.splitlines():
        fields = line.split(None, 4)
        if len(fields) < 4 or not all(field.isdigit() for field in fields[:3]) or fields[3].startswith("Z"):
            continue
        pid, parent, group = (int(field) for field in fields[:3])
        yield Process(pid, parent, group, 0, 0, mark.decode() in line)

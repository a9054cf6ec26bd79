"""Ancestry: whether a process was started, at any distance, by an agent.

Its own variables can be unset, its parents stay what they are. Linux tells of each process its first environment and
its command line, macOS the same through `ps`. A process that cleared its environment and also lost its parents looks
like any other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MARKS = ("AGENTMEM_AGENT", "AGENTMEM_CALL", "AGENTMEM_TASK")
"""Variables that the commands of an agent bear."""

_FAR = 64  # parents looked at
_PYTHON = re.compile(rb"(?:^|/)python[0-9.]*$")
_PROGRAM = re.compile(rb"(?:^|/)agentmem(?:/__main__\.py)?$")


@dataclass(frozen=True, slots=True)
class Forebear:
    """A process that others descend from. `marked` when its first environment bears a mark, `agent` when it is an
    agentmem itself."""

    pid: int
    parent: int
    marked: bool
    agent: bool


def under_an_agent(env: Mapping[str, str], look: Callable[[int], Forebear | None] | None = None) -> str | None:
    """Why this process counts as an agent's doing, None when a person started it. `env` is its own environment."""
    for name in MARKS:
        if env.get(name):
            return f"{name} is set"
    look = look or (of_proc if os.path.isdir("/proc/self") else of_ps)
    pid = os.getppid()
    for _ in range(_FAR):
        if pid <= 1 or (one := look(pid)) is None:
            return None
        if one.marked:
            return f"its parent process {pid} runs for an agent"
        if one.agent:
            return f"its parent process {pid} is an agent"
        pid = one.parent
    return None


def of_proc(pid: int) -> Forebear | None:
    """What Linux tells of a process, None where it is gone."""
    base = f"/proc/{pid}"
    after = _bytes(f"{base}/stat").rpartition(b")")[2].split()
    if len(after) < 2:
        return None
    marked = _bears_a_mark(_bytes(f"{base}/environ").split(b"\0"))
    return Forebear(pid, int(after[1]), marked, is_agentmem(_bytes(f"{base}/cmdline").split(b"\0")))


def of_ps(pid: int) -> Forebear | None:
    """What `ps` tells of a process, None where it is gone."""
    from subprocess import DEVNULL, PIPE, run

    def asked(*words: str) -> bytes:
        command = ("/bin/ps", *words, "-p", str(pid))
        return run(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, check=False).stdout.strip()

    parent = asked("-o", "ppid=")
    if not parent.isdigit():
        return None
    words = asked("-ww", "-o", "command=").split()
    shown = asked("-E", "-ww", "-o", "command=") or asked("e", "-ww", "-o", "command=")
    return Forebear(pid, int(parent), _bears_a_mark(shown.split()), is_agentmem(words))


def is_agentmem(words: list[bytes]) -> bool:
    """Whether a command line runs agentmem: its script, or the module in Python. A command that runs another one (sudo,
    timeout) is none."""
    if not words or not words[0]:
        return False
    if not _PYTHON.search(words[0]):
        return _PROGRAM.search(words[0]) is not None
    rest = iter(words[1:])
    for word in rest:
        if word == b"-m":
            return next(rest, b"") == b"agentmem"
        if word in (b"-X", b"-W"):
            next(rest, b"")
        elif not word.startswith(b"-"):
            return _PROGRAM.search(word) is not None
    return False


def _bears_a_mark(pairs: list[bytes]) -> bool:
    return any(
        name.decode("ascii", "replace") in MARKS for name, _, value in (p.partition(b"=") for p in pairs) if value
    )


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""

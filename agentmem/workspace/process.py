"""Process: run one command, hand its output on as it comes, and end all that it started when it has to stop."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentmem.domain.cancel import Cancel
from agentmem.workspace.kin import Kin

if TYPE_CHECKING:
    from subprocess import Popen

MARK = "AGENTMEM_CALL"
"""The environment variable by which a command's processes are found again; nested runs append to it."""

GRACE = 0.2
"""Seconds in which output is still taken after the command ended while something keeps its pipe open."""

TERM_GRACE = 0.5
"""Seconds between asking processes to end and killing them."""

KILL_LIMIT = 2.0
"""Seconds in which killed processes are waited for."""

_SLICE = 0.05
_CHUNK = 65536

Sink = Callable[[bytes], bool]
"""Takes a piece of output, or `b""` when nothing came for a while; True when it has enough and the command may go."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to run. `argv[0]` is an absolute path; `limit` is in seconds. Standard input is empty."""

    argv: tuple[str | bytes, ...]
    cwd: Path
    env: Mapping[str, str]
    limit: float


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `code` is its exit code, minus the signal that ended it, or None when it was stopped; `left`
    are processes it left running on purpose, as far as they can be told without a search."""

    how: Literal["exit", "timeout", "cancelled", "enough"]
    code: int | None
    seconds: float
    left: tuple[int, ...] = ()


def run(command: Command, cancel: Cancel, out: Sink, err: Sink | None = None) -> Ended:
    """Run a command in a session of its own until its first process ends, the limit, the cancel token or a sink that
    has enough. Without `err` both outputs come through `out` in the order they were written.

    A command that ended by itself may leave processes behind: they live on, and what they print later is thrown away.
    A command that is stopped takes all its processes with it. Raises OSError when it cannot be started.
    """
    run_one = _Run(command, out, err)
    try:
        how = run_one.watch(cancel)
        if how == "exit":
            return run_one.leave()
        if how == "enough":
            run_one.mute()
        run_one.stop(patient=how != "enough")
        return Ended(how, None, run_one.seconds())
    except BaseException:
        run_one.mute()
        run_one.stop(patient=False)
        raise
    finally:
        run_one.close()


class _Run:
    """A command while it runs: its first process, its pipes, and how to wait for both."""

    def __init__(self, command: Command, out: Sink, err: Sink | None) -> None:
        self._began = time.monotonic()
        self._deadline = self._began + command.limit
        above = command.env.get(MARK, "")
        self._mark = f"{os.getpid()}.{time.monotonic_ns()}"
        env = {**command.env, MARK: f"{above}:{self._mark}" if above else self._mark}
        self._process = _start(command, env, err is not None)
        self._sinks = _sinks(self._process, out, err)
        self._inodes = frozenset(os.fstat(fd).st_ino for fd in self._sinks)
        self._poll = select.poll()
        for fd in self._sinks:
            self._poll.register(fd, select.POLLIN)
        self._pidfd = _pidfd(self._process.pid)
        if self._pidfd is not None:
            self._poll.register(self._pidfd, select.POLLIN)
        self._nap = 0.001

    def seconds(self) -> float:
        return time.monotonic() - self._began

    def watch(self, cancel: Cancel) -> Literal["exit", "timeout", "cancelled", "enough"]:
        """Hand output on until there is a reason to stop."""
        while True:
            if cancel.cancelled:
                return "cancelled"
            left = self._deadline - time.monotonic()
            if left <= 0:
                return "timeout"
            if self._pump(min(self._slice(), left)):
                return "enough"
            if self._process.poll() is not None:
                return "exit"

    def leave(self) -> Ended:
        """The first process ended: take what is in the pipe, for a moment also what others still write."""
        self._forget_end()
        until = time.monotonic() + GRACE
        while self._sinks and (left := until - time.monotonic()) > 0:
            self._pump(left)
        pids: tuple[int, ...] = ()
        if self._sinks or _group_lives(self._process.pid):
            pids = Kin(self._process.pid, self._mark, self._inodes).alive()
        for fd in self._sinks:
            _throw_away(fd)
        return Ended("exit", self._process.returncode, self.seconds(), pids)

    def stop(self, patient: bool) -> None:
        """End every process of the command: ask first when `patient`, then kill, and take what they printed."""
        self._forget_end()
        kin = Kin(self._process.pid, self._mark, self._inodes)
        if patient:
            kin.signal(signal.SIGTERM)
            self._await_end(kin, TERM_GRACE)
        until = time.monotonic() + KILL_LIMIT
        while kin.alive() and time.monotonic() < until:
            kin.signal(signal.SIGKILL)
            self._await_end(kin, 0.1)
        for _ in range(64):
            if not self._sinks or not self._poll.poll(0):
                break
            self._pump(0)
        with contextlib.suppress(_timeout_expired()):
            self._process.wait(KILL_LIMIT)
        kin.reap()

    def mute(self) -> None:
        """Hand nothing on any more: a sink has enough, or failed."""
        self._sinks = {fd: lambda piece: False for fd in self._sinks}

    def close(self) -> None:
        """Give the pipes back."""
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._forget_end()

    def _forget_end(self) -> None:
        """No longer wake up for the end of the first process: from now on it would wake for good."""
        if self._pidfd is not None:
            self._poll.unregister(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None

    def _await_end(self, kin: Kin, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._pump(0.01)
            self._process.poll()
            if not kin.alive():
                return

    def _slice(self) -> float:
        """How long to wait for output at once. Without a descriptor that tells of the end, the end is looked for."""
        if self._sinks or self._pidfd is not None:
            return _SLICE
        self._nap = min(self._nap * 2, _SLICE)
        return self._nap

    def _pump(self, seconds: float) -> bool:
        """Wait up to `seconds` for output and hand on one piece a pipe; True when a sink has enough."""
        ready = [fd for fd, _ in self._poll.poll(max(0.0, seconds) * 1000) if fd != self._pidfd]
        enough = False
        for fd in ready:
            piece = os.read(fd, _CHUNK)
            if piece:
                enough |= self._sinks[fd](piece)
            else:
                self._poll.unregister(fd)
                del self._sinks[fd]
        if not ready:
            for sink in set(self._sinks.values()):
                enough |= sink(b"")
        return enough


def _start(command: Command, env: Mapping[str, str], split: bool) -> Popen[bytes]:
    from subprocess import DEVNULL, PIPE, STDOUT, Popen

    return Popen(
        command.argv,
        executable=command.argv[0],
        cwd=command.cwd,
        env=env,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE if split else STDOUT,
        start_new_session=True,
        bufsize=0,
    )


def _sinks(process: Popen[bytes], out: Sink, err: Sink | None) -> dict[int, Sink]:
    sinks: dict[int, Sink] = {}
    for stream, sink in ((process.stdout, out), (process.stderr, err)):
        if stream is not None and sink is not None:
            sinks[stream.fileno()] = sink
    return sinks


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _throw_away(fd: int) -> None:
    """Let a process read the pipe for good: a server left running would fail at its next line of log if nobody did.
    The reader belongs to nobody, so it outlives the harness too and ends with the last writer."""
    from subprocess import DEVNULL, Popen

    script = "exec 3<&0; cat <&3 3<&- &"
    with contextlib.suppress(OSError):
        Popen(
            ("/bin/sh", "-c", script),
            cwd="/",
            env={"PATH": os.defpath},
            stdin=fd,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,
        ).wait()


def _timeout_expired() -> type[Exception]:
    from subprocess import TimeoutExpired

    return TimeoutExpired

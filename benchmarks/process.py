"""Processes: start a program as a person would, in a workspace of its own, and measure it whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FLOORS = Path(__file__).parent / "floors"
LIMIT = 300.0


class Failed(Exception):
    """A program that was to be measured did not do its work."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A fresh git repository to stand in, and the environment to start programs with."""

    cwd: Path
    env: Mapping[str, str]


def agentmem() -> str:
    """The installed command beside the running Python."""
    command = Path(sys.executable).with_name("agentmem")
    if not command.is_file():
        raise Failed(f"no {command}; `make bench` installs it")
    return str(command)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """A git repository without any file, and homes without any setting. Nothing of the caller's environment is handed
    on but the search path: no proxy, no key, and no PYTHONDONTWRITEBYTECODE."""
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        cwd, home = Path(folder) / "work", Path(folder) / "home"
        cwd.mkdir()
        home.mkdir()
        env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "AGENTMEM_HOME": str(home / ".agentmem"),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "OPENAI_API_KEY": "sk-bench",
        }
        subprocess.run(["git", "init", "-q", str(cwd)], check=True, env=env, stdin=subprocess.DEVNULL)
        yield Workspace(cwd, env)


def run(argv: Sequence[str], place: Workspace) -> tuple[float, float]:
    """Run to the end without input. Gives (moment of the start, moment of the end) in seconds of perf_counter.

    Raises `Failed` with what the program said when it does not end with 0 in time.
    """
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=place.cwd, env=dict(place.env), stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failed(f"{argv[0]} did not end within {LIMIT:g} s") from None
        end = time.perf_counter()
        if code:
            said.seek(0)
            raise Failed(f"{' '.join(argv)} ended with {code}:\n{said.read().decode(errors='replace')[-2000:]}")
        return start, end


def milliseconds(argv: Sequence[str]) -> float:
    """Wall time of a whole process in a fresh workspace."""
    with workspace() as place:
        start, end = run(argv, place)
    return (end - start) * 1000


def with_peak(argv: Sequence[str], place: Workspace) -> float:
    """Run to the end; gives the peak resident memory in MiB of that process.

    A process inherits the peak of the one that starts it, so it is started by a Python without any package, which is
    smaller than anything measured here.
    """
    peak = place.cwd.parent / "peak"
    run(
        [sys.executable, "-I", "-S", str(FLOORS / "peak.py"), str(peak), shutil.which(argv[0]) or argv[0], *argv[1:]],
        place,
    )
    return int(peak.read_text()) * (1 if sys.platform == "darwin" else 1024) / 2**20

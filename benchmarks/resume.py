"""Resuming a log of 1 GB with 200 KB of active context, against a log of 1 MB with the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from agentmem.memory.stores import lines
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import FLOORS, Failed

RUNS = 7
SHORT = 10**6
LONG = int(float(os.environ.get("AGENTMEM_BENCH_LOG_MB", "1000")) * 10**6)
ACTIVE = 200_000
_CHILD = Path(__file__).with_name("resumed.py")
_WORDS = "some words of a talk about a defect " * 104
_AT = "2026-11-30T09:02:11Z"


def measure(runs: int) -> list[Line]:
    """Milliseconds from the call to the next prompt, and peak memory of the process in MiB. A smaller log for a quick
    run: AGENTMEM_BENCH_LOG_MB=50."""
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        free = shutil.disk_usage(folder).free
        if free < 1.2 * (LONG + SHORT):
            raise Failed(f"{folder} has {free / 1e6:,.0f} MB free, and the log takes {LONG / 1e6:,.0f} MB")
        root = Path(folder)
        for name, size in (("short", SHORT), ("long", LONG)):
            write(root / ".agent" / "sessions" / f"{name}.jsonl", size)
        peaks: dict[str, list[float]] = {"short": [], "long": []}

        def resumed(name: str) -> float:
            took, peak = _resume(root, name)
            peaks[name].append(peak)
            return took

        long, short = in_turns(runs, lambda: resumed("long"), lambda: resumed("short"))
    what, floor = f"of a log of {LONG / 1e6:,.0f} MB, 200 KB active", "a log of 1 MB, as much active"
    return [
        Line(f"resume {what}", "ms", 1.5, long, floor, short),
        Line(f"peak memory {what}", "MiB", 1.2, tuple(peaks["long"]), floor, tuple(peaks["short"])),
    ]


def _resume(root: Path, name: str) -> tuple[float, float]:
    peak = root / "peak"
    argv = [sys.executable, "-I", "-S", str(FLOORS / "peak.py"), str(peak), sys.executable, str(_CHILD)]
    env = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([*argv, str(root), name], capture_output=True, text=True, env=env, timeout=300)
    if done.returncode:
        raise Failed(f"resuming the {name} log failed:\n{done.stderr[-2000:]}")
    took, messages = done.stdout.split()
    if not 100 <= int(messages) <= 110:
        raise Failed(f"the {name} log gave {messages} messages instead of the active ones")
    return float(took), int(peak.read_text()) * (1 if sys.platform == "darwin" else 1024) / 2**20


def write(path: Path, size: int) -> None:
    """A log of about `size` bytes: turns of 4 kB, a snapshot every 400 of them, the last one 200 KB before the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        log = _Log(file)
        log.put({"type": "session", "id": path.stem, "version": 1, "at": _AT, "cwd": "/", "parent_session": None})
        while log.at < size - ACTIVE:
            log.turn()
            if log.entries % 800 == 0:
                log.snapshot()
        log.snapshot()
        for _ in range(ACTIVE // 4000):
            log.turn()


class _Log:
    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0
        self.entries = 0
        self.asked = ("", 0)
        self.leaf: str | None = None

    def put(self, record: dict[str, Any]) -> None:
        self.at += self.file.write(lines.dump(record))

    def add(self, **body: Any) -> None:
        own = f"e{self.entries:011}"
        self.put({"type": body.pop("type"), "id": own, "parent_id": self.leaf, "at": _AT, **body})
        self.leaf = own
        self.entries += 1

    def turn(self) -> None:
        self.asked = (f"e{self.entries:011}", self.at)
        self.add(type="message", role="user", content=[{"type": "text", "text": "go on", "origin": "person"}])
        text = {"type": "text", "text": f"{self.entries} " + _WORDS, "origin": "agent"}
        self.add(type="message", role="assistant", content=[text])

    def snapshot(self) -> None:
        kept, at = self.asked
        self.add(type="compaction", form="summary", summary="what went before", first_kept=kept, first_kept_offset=at,
                 segments=[])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main("resume", measure, RUNS))

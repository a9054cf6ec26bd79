"""Listing 2,000 sessions, against one loop that opens 2,000 files."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.memory import list_sessions
from agentmem.memory.stores import lines
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import Failed

RUNS = 15
SESSIONS = 2_000
TURNS = 20


def measure(runs: int) -> list[Line]:
    """Milliseconds of the list that `agentmem sessions` prints, in one process with its floor."""
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        root = Path(folder)
        places = Places(root, root, root / "home", root / ".agent")
        places.sessions.mkdir(parents=True)
        for number in range(SESSIONS):
            _write(places.sessions / f"2026-11-30T09-02-11-{number:06x}.jsonl", number)
        paths = [str(path) for path in places.sessions.iterdir()]

        def listing() -> float:
            begun = time.perf_counter()
            found = list_sessions(places)
            took = time.perf_counter() - begun
            if len(found) != SESSIONS or not all(one.preview and one.last for one in found):
                raise Failed("the list is not whole")
            return took * 1000

        def opening() -> float:
            begun = time.perf_counter()
            for path in paths:
                with open(path, "rb"):
                    pass
            return (time.perf_counter() - begun) * 1000

        listed, opened = in_turns(runs, listing, opening)
    floor = f"one loop that opens {SESSIONS:,} files"
    return [Line(f"list of {SESSIONS:,} sessions", "ms", 5, listed, floor, opened)]


def _write(path: Path, number: int) -> None:
    """A session of about 40 kB: some turns, each with a call and its output."""
    at = "2026-11-30T09:02:11Z"
    head = {"type": "session", "id": path.stem, "version": 1, "at": at, "cwd": "/w", "parent_session": None}
    rows: list[dict[str, object]] = [head]
    for turn in range(TURNS):
        for role, origin in (("user", "person"), ("assistant", "agent")):
            text = f"{role} {number} {turn}: " + "some words of a talk about a defect " * 25
            part = {"type": "text", "text": text, "origin": origin}
            rows.append({"type": "message", "id": f"{turn}-{role}", "parent_id": None, "at": at, "role": role,
                         "content": [part]})  # fmt: skip
    path.write_bytes(b"".join(lines.dump(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main("session_list", measure, RUNS))

"""One remembered fact end to end, and 10,000 of them loaded and selected from, against what the same takes bare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.read.selection import Wanted, remembered
from agentmem.memory.stores import semantic
from agentmem.memory.write import gate
from benchmarks.command import main
from benchmarks.line import Line, in_turns

RUNS = 15
FACTS = 10_000
WINDOW = 200_000
_WORDS = ["parser", "router", "cache", "queue", "worker", "schema", "token", "index", "planner", "loader"]


def measure(runs: int) -> list[Line]:
    """Milliseconds. The budgets: 3 times git's plumbing for a commit, 1.5 times parsing the ledger, 3 times reading
    and splitting the file."""
    with tempfile.TemporaryDirectory() as folder:
        remember, commit = in_turns(runs, *_writing(Path(folder) / "write"))
        places = _filled(Path(folder) / "full")
        loaded, parsed = in_turns(
            runs, lambda: _timed(lambda: semantic.beliefs(places.memory_file)), lambda: _parsed(places)
        )
        remembered(places, Wanted(WINDOW))  # what is chosen is kept for the next start
        selected, split = in_turns(
            runs, lambda: _timed(lambda: remembered(places, Wanted(WINDOW))), lambda: _timed(lambda: _split(places))
        )
    return [
        Line("one remembered fact, gate to commit", "ms", 3.0, remember, "git's plumbing for a commit", commit),
        Line("10,000 facts loaded", "ms", 1.5, loaded, "json.loads of their ledger", parsed),
        Line("a selection of them, kept from before", "ms", 3.0, selected, "reading and splitting", split),
    ]


def _writing(folder: Path) -> tuple[Callable[[], float], Callable[[], float]]:
    places, bare = _places(folder / "ours"), folder / "bare"
    bare.mkdir(parents=True)
    desk, numbers = Desk(places, Clock()), count(1)
    gate.propose(Claim("The first write makes the folders"), gate.Source(typed=True), desk)
    env = {
        **os.environ,
        "GIT_DIR": str(bare / ".git"),
        "GIT_WORK_TREE": str(bare),
        "GIT_INDEX_FILE": str(bare / "index"),
    }
    env |= {f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "init", "-q", str(bare)], check=True, env={**os.environ})

    def ours() -> float:
        at = next(numbers)
        claim = Claim(f"The {_WORDS[at % 10]} of module {at} lives in src/{_WORDS[at % 7]}_{at}.py")
        begun = time.perf_counter()
        verdict = gate.propose(claim, gate.Source(typed=True), desk)
        taken = time.perf_counter() - begun
        assert verdict.outcome == "added", verdict
        return taken * 1000

    def floor() -> float:
        (bare / "MEMORY.md").write_text(f"- fact {next(numbers)}\n", encoding="utf-8")
        return _timed(lambda: _plumbing(env))

    return ours, floor


def _plumbing(env: dict[str, str]) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], check=True, env=env, cwd=env["GIT_WORK_TREE"], capture_output=True, text=True
        )
        return done.stdout.strip()

    blob = git("hash-object", "-w", "MEMORY.md")
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},MEMORY.md")
    made = git("commit-tree", git("write-tree"), "-m", "fact")
    git("update-ref", "refs/heads/main", made)


def _filled(folder: Path) -> Places:
    places = _places(folder)
    places.shared.mkdir()
    places.ledger.parent.mkdir()
    rows, lines = ["# Memory", ""], []
    for at in range(FACTS):
        if at % 50 == 0:
            rows.append(f"## Part {at // 50}")
        fact = f"m{at:012x}"
        text = f"The {_WORDS[at % 10]} of module {at} lives in src/{_WORDS[at % 7]}_{at}.py and is tested every night"
        rows.append(f"- {text}. ^{fact}")
        origin = {"session": "2026-11-30T09-02-11-4f2a91", "entry": "c3f2a91d01b8", "quote": text}
        line: dict[str, object] = {
            "id": f"l{at:012x}",
            "at": "2026-11-30T09:14:03Z",
            "op": "ADD",
            "fact": fact,
            "category": "fact",
        }
        line |= {"text": text, "principal": "user", "origin": origin, "confidence": 1.0, "supersedes": None}
        lines.append(json.dumps(line | {"valid_from": "2026-11-30", "valid_to": None, "reason": "explicit"}))
    places.memory_file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    places.ledger.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return places


def _places(folder: Path) -> Places:
    root = folder / "work"
    root.mkdir(parents=True)
    return Places(root, root, folder / "home", root / ".agent")


def _parsed(places: Places) -> float:
    data = places.ledger.read_text(encoding="utf-8")
    return _timed(lambda: [json.loads(line) for line in data.splitlines()])


def _split(places: Places) -> list[str]:
    return places.memory_file.read_text(encoding="utf-8").split("\n")


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    sys.exit(main("gate", measure, RUNS))

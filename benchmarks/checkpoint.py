"""What a checkpoint of 10,000 files costs, against `git add -A && git write-tree` into a warm private index."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.workspace.checkpoints.vault import Vault, open_vault
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import Failed

RUNS = 9
FILES = 10_000
PATIENCE = 120.0  # seconds for the first snapshot


@dataclass(frozen=True, slots=True)
class Ground:
    """A work tree of `FILES` files, and one vault and one private index that know it."""

    places: Places
    vault: Vault
    env: dict[str, str]
    count: Iterator[int]

    def edit(self) -> None:
        """One file changes, as before most checkpoints."""
        (self.places.root / "d0" / "s0" / "f0.py").write_text(f"edit {next(self.count)}\n")


@contextmanager
def ground() -> Iterator[Ground]:
    """Make it; both ways have taken their first snapshot."""
    with tempfile.TemporaryDirectory() as name:
        root, home = Path(name, "w"), Path(name, "home")
        home.mkdir()
        fill(root)
        places = Places(root, root, home, root / ".agent")
        places.shared.mkdir()
        env = {"PATH": os.environ["PATH"]}
        vault = open_vault(places, "bench", Clock(), env)
        private = Path(name, "private.git")
        subprocess.run(("git", "init", "-q", "--bare", str(private)), env=env, check=True)
        settings = {"GIT_DIR": str(private), "GIT_WORK_TREE": str(root), "GIT_INDEX_FILE": str(private / "own")}
        env |= settings | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(("git", "config", "core.bare", "false"), env=env, check=True)
        (private / "info" / "exclude").write_text(".agent/\n")
        made = Ground(places, vault, env, iter(range(1_000_000)))
        bare(made)
        if vault.snap(PATIENCE).body is None:
            raise Failed("the first snapshot could not be taken")
        try:
            yield made
        finally:
            vault.close()


def fill(root: Path) -> None:
    """`FILES` files of source, 100 directories of 7."""
    source = random.Random(1)
    for number in range(FILES):
        folder = root / f"d{number % 100}" / f"s{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = (f"line {source.random()}\n" for _ in range(source.randint(5, 80)))
        (folder / f"f{number}.py").write_text("".join(lines))
    (root / "d0" / "s0").mkdir(parents=True, exist_ok=True)


def bare(on: Ground) -> float:
    """The floor, in milliseconds."""
    on.edit()
    began = time.perf_counter()
    for words in (("add", "-A"), ("write-tree",)):
        subprocess.run(("git", *words), cwd=on.places.root, env=on.env, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


def ours(on: Ground) -> float:
    """A checkpoint, in milliseconds: snapshot, commit and ref."""
    on.edit()
    began = time.perf_counter()
    stored = on.vault.snap(PATIENCE)
    took = (time.perf_counter() - began) * 1000
    if stored.body is None or stored.told:
        raise Failed(f"no whole snapshot: {stored.told}")
    return took


def kept(on: Ground) -> float:
    """Keeping one file before a write, in milliseconds."""
    on.edit()
    began = time.perf_counter()
    on.vault.keep([str(on.places.root / "d0" / "s0" / "f0.py")])
    return (time.perf_counter() - began) * 1000


def samples(runs: int, one: Callable[[], float]) -> tuple[float, ...]:
    """So many runs after one that warms up."""
    return tuple([one() for _ in range(runs + 1)][1:])


def measure(runs: int) -> list[Line]:
    """Milliseconds; the same tree for both, one file edited before each."""
    with ground() as on:
        checkpoints, floors = in_turns(runs, lambda: ours(on), lambda: bare(on))
        keep = samples(runs, lambda: kept(on))
    detail = f"keeping one file before a write: {median(keep):.1f} ms"
    return [
        Line("a checkpoint of 10,000 files", "ms", 1.5, checkpoints, "git add -A && git write-tree", floors, detail)
    ]


if __name__ == "__main__":
    sys.exit(main("checkpoint", measure, RUNS))

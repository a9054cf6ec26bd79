"""The command as a person or a script runs it: in a process of its own, with nothing of the environment around it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.places import Places

ROOT = Path(__file__).resolve().parents[1]


def run(places: Places, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `agentmem WORDS` in `cwd`, else at the project's root, with `places.home` as its home and no terminal."""
    own = {
        **{key: value for key, value in os.environ.items() if key.startswith("COV")},
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(places.home),
        "AGENTMEM_HOME": str(places.home),
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        [sys.executable, "-m", "agentmem", *words],
        cwd=cwd or places.root,
        env={**own, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@dataclass
class Shell:
    """A person's shell in a project, where the model answers by `script`."""

    places: Places
    script: Sequence[Mapping[str, Any]]

    @property
    def root(self) -> Path:
        return self.places.root

    @property
    def model(self) -> str:
        file = self.places.home.parent / "script.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in self.script))
        return f"scripted:{file}"

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run(self.places, *words, **env)

    def play(self, task: str) -> str:
        """Have a task done to the end of the script; gives its session."""
        ran = self.run("-p", task, "--model", self.model, "--permission", "full")
        assert (ran.stdout, ran.returncode) == (f"{self.script[-1]['text']}\n", 0), ran.stderr
        return max(self.places.sessions.glob("*.jsonl")).stem

"""The command as a person or a script runs it: in a process of its own, with nothing of the environment around it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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

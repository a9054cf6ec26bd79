"""What the tests of the checkpoints' room share: a vault on real directories, and git's word on what is in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.workspace.checkpoints.vault import Vault, open_vault

ENV: Mapping[str, str] = {"PATH": os.environ["PATH"]}
CLOCK = Clock(now=lambda: 1_764_493_331.0)


def vault(places: Places, env: Mapping[str, str] = ENV, session: str = "s") -> Vault:
    places.shared.mkdir(exist_ok=True)
    return open_vault(places, session, CLOCK, env)


def ask(places: Places, *words: str) -> bytes:
    """What git says of the private directory."""
    command = ("git", "--git-dir", str(places.shared / "checkpoints.git"), *words)
    return subprocess.run(command, check=True, capture_output=True).stdout


def listing(places: Places, tree: str) -> dict[bytes, str]:
    """Path -> mode of a tree."""
    rows = [row for row in ask(places, "ls-tree", "-r", "-z", tree).split(b"\0") if row]
    return {row.split(b"\t", 1)[1]: row[:6].decode() for row in rows}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

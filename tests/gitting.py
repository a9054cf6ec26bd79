"""Git as tests run it: the real one, with an identity, and without the settings of whoever runs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

WHO = {
    "GIT_AUTHOR_NAME": "Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
}
PLAIN = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str, env: Mapping[str, str] = WHO) -> str:
    """What git prints in a folder, without the last line's end; `env` stands beside what keeps other settings out."""
    ran = subprocess.run(("git", *words), cwd=folder, env={**PLAIN, **env}, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode("utf-8", "replace")
    return ran.stdout.decode("utf-8", "replace").rstrip("\n")


def repository(folder: Path) -> Path:
    """The folder as a repository with one commit, by a person that every git knows here."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Person")
    git(folder, "config", "user.email", "person@example.org")
    (folder / "README").write_text("hi\n")
    git(folder, "add", "README")
    git(folder, "commit", "-qm", "first")
    return folder

"""Merge driver: what a repository is told so that memory files of two branches merge without marks and torn episodes.

    .git/info/attributes     MEMORY.md merge=union, memory/ledger.jsonl merge=union, memory/*.md merge=agentmem
    .git/config              [merge "agentmem"] driver = PYTHON -P -m agentmem memory merge-day %O %A %B || …

Both are the repository's own, on this machine alone: a clone has neither, and `agentmem memory check` mends what it
merged badly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from agentmem import regular
from agentmem.programs import find_program
from agentmem.workspace.worktree import git_directories

_NAME = "agentmem: the episodes of a day, block by block"
_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md"


def set_up(root: Path, env: Mapping[str, str]) -> str | None:
    """Tell the repository around a project; gives what could not be done, None where all is as it should be or there is
    no repository. Raises `OSError`."""
    found = git_directories(root)
    if found is None:
        return None
    top, _, common = found
    program = find_program("git", env)
    if program is None:
        return "git is not installed: it was not told how memory files merge"
    _attributes(Path(common, "info", "attributes"), os.path.relpath(root, top))
    return _config(program, Path(common, "config"), env)


def driver(python: str) -> str:
    """What git runs: this agentmem by its whole path, for git is also run from where no PATH leads to it; the one on
    the PATH where this one was removed; and last git's own merge of text, whose marks `memory check --mend` takes out.
    """
    import shlex

    words = "memory merge-day %O %A %B"
    own = shlex.quote(python).replace("%", "%%")
    return f"{own} -P -m agentmem {words} || agentmem {words} || git merge-file %A %O %B"


def _attributes(path: Path, below: str) -> None:
    lead = "" if below == "." else f"{below}/"
    union = ("MEMORY.md", "memory/ledger.jsonl")
    wanted = (*(f"{lead}{name} merge=union" for name in union), f"{lead}memory/{_DAY} merge=agentmem")
    try:
        held = regular.read(path, 1 << 20)
    except FileNotFoundError:
        held = b""
    missing = [row for row in wanted if row.encode() not in held.split(b"\n")]
    if not missing:
        return
    path.parent.mkdir(exist_ok=True)
    gap = b"" if not held or held.endswith(b"\n") else b"\n"
    with path.open("ab") as file:
        file.write(gap + "".join(f"{row}\n" for row in missing).encode())


def _config(program: str, config: Path, env: Mapping[str, str]) -> str | None:
    from subprocess import DEVNULL, run

    clean = {key: value for key, value in env.items() if not key.startswith("GIT_")}
    for key, value in (("merge.agentmem.name", _NAME), ("merge.agentmem.driver", driver(sys.executable))):
        asked = (program, "config", "--file", str(config))
        held = run((*asked, "--get", key), env=clean, stdin=DEVNULL, capture_output=True, text=True, check=False)
        if held.stdout.rstrip("\n") == value:
            continue
        done = run((*asked, key, value), env=clean, stdin=DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"{config} was not told how memory files merge: {done.stderr.strip()}"
    return None

"""Long-running work survives a kill at any point: the same features pass, none without evidence, the history is clean.

A task of 12 features is worked on by the real command, with a model served over loopback that answers by what it is
asked. It is killed at random writes, between and inside sessions, and begun again. 5 runs in `make test`, 100 in
`make proof`.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crashing import CHILD
from gitting import git
from serving import Play, Seen, Server
from wires import Said, chat_events

FEATURES = 12
KILLS = 3
HANDOFF = "# Progress\n## Goal\nmake all files\n## Done\nsome\n## Next\nmake the next file\n# Brief\ngo on\n"
READ = "## Goal\nmake all files\n## Next\nmake the next file\n"


def answer(seen: Seen) -> Play:
    """What a plain model would say to the last message."""
    messages = seen.json["messages"]
    last = messages[-1]
    text = (
        last["content"]
        if isinstance(last["content"], str)
        else "".join(part.get("text", "") for part in last["content"])
    )
    if last["role"] == "tool":
        said = Said("made it")
    elif "This session ends here" in text:
        said = Said(HANDOFF)
    elif "Above is all that an earlier session left you" in text:
        said = Said(READ, stop="end")
    else:
        number = re.findall(r"F(\d+): file", text.partition("Work on one feature")[2])[0]
        command = f"mkdir -p src && echo {number} > src/{number}.txt"
        said = Said(calls=[("c1", "bash", json.dumps({"command": command}))], stop="tool_use")
    return Play(pieces=[b"".join(chat_events(said))])


def scene(folder: Path) -> tuple[Path, dict[str, str]]:
    root = folder / "w"
    root.mkdir()
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder / "home"),
        "AGENTMEM_HOME": str(folder / "home" / ".agentmem"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENAI_API_KEY": "sk-test",
        "LC_ALL": "C.UTF-8",
    }
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Person")
    git(root, "config", "user.email", "person@example.org")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    items = [
        {"id": f"F{n}", "description": f"file {n}", "check": f"grep -qx {n} src/{n}.txt", "passes": False}
        for n in range(1, FEATURES + 1)
    ]
    (root / ".agent" / "handoff").mkdir(parents=True)
    (root / ".agent" / "handoff" / "features.json").write_text(json.dumps(items))
    return root, env


def work(root: Path, env: dict[str, str], url: str, at: int = 0, how: float = 0.0) -> subprocess.CompletedProcess[str]:
    """One run of the command, to be killed at its `at`-th write (0: never)."""
    argv = ["work", "make all files", "--model", "openai/m", "--api-base", url, "--permission", "full", "--json"]
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(at), str(how), *argv],
        cwd=root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def check(root: Path) -> None:
    items: list[dict[str, Any]] = json.loads((root / ".agent" / "handoff" / "features.json").read_text())
    assert [item["passes"] for item in items] == [True] * FEATURES
    for item in items:
        evidence = item["evidence"]
        assert (evidence["command"], evidence["exit"]) == (item["check"], 0)
    subjects = git(root, "log", "--reverse", "--format=%s", "main..agentmem/make-all-files").split("\n")
    assert subjects == [f"file {n}" for n in range(1, FEATURES + 1)]
    assert git(root, "log", "--merges", "--format=%h") == ""
    assert git(root, "status", "--porcelain", "--", ".", ":(exclude).agent") == ""
    assert git(root, "fsck", "--no-dangling") == ""


def survive(folder: Path, seed: int) -> int:
    """A long task, killed a few times on its way; gives how often."""
    rng = random.Random(seed)
    root, env = scene(folder)
    kills = 0
    with Server(always=answer) as server:
        for _ in range(KILLS):
            ran = work(root, env, f"{server.url}/v1", rng.randrange(1, 260), rng.choice((0.0, 0.5, 1.0)))
            if ran.returncode == 0:
                break
            assert ran.returncode == -9, ran.stderr
            kills += 1
        last = work(root, env, f"{server.url}/v1")
        assert last.returncode == 0, last.stdout + last.stderr
    check(root)
    return kills


@pytest.mark.parametrize("seed", range(5))
def test_work_that_was_killed_ends_the_same(seed: int, tmp_path: Path) -> None:
    assert survive(tmp_path, seed) > 0


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(100, 200))
def test_work_that_was_killed_ends_the_same_however_often(seed: int, tmp_path: Path) -> None:
    survive(tmp_path, seed)

"""A scripted session of the real command, and a way to kill it with SIGKILL at any one of its writes.

The child runs `agentmem -p` with a scripted model and real tools. `os.write`, `os.fsync`, `os.replace` and `os.link`
are counted in it, and at the chosen one it kills itself: before the call, after it, or with only a part of the bytes
written, which is what a kill at that moment leaves behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHILD = """
import os, signal, sys
at, how = int(sys.argv[1]), float(sys.argv[2])
count = 0
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def counted(real, partial):
    def call(*given, **named):
        global count
        if given and given[0] in (1, 2) and partial:
            return real(*given, **named)
        count += 1
        if count == at:
            if how == 0:
                die()
            if partial and how < 1:
                data = bytes(given[1])
                real(given[0], data[: max(1, int(len(data) * how))])
                die()
            done = real(*given, **named)
            die()
        return real(*given, **named)
    return call
os.write = counted(os.write, True)
for name in ("fsync", "replace", "link"):
    setattr(os, name, counted(getattr(os, name), False))
sys.argv[1:] = sys.argv[3:]
from agentmem.__main__ import main
code = main()
sys.stderr.write(f"calls {count}\\n")
sys.exit(code)
"""

SCRIPT: list[dict[str, Any]] = [
    {"text": "I look é.", "tool_calls": [{"name": "bash", "arguments": {"command": "echo one; seq 1 300"}}]},
    {"tool_calls": [
        {"name": "write", "arguments": {"path": "made.txt", "content": "line é\n" * 40}},
        {"name": "bash", "arguments": {"command": "printf 'x%.0s' $(seq 1 70000)"}},
    ]},
    {"text": "Two at once.", "tool_calls": [
        {"name": "read", "arguments": {"path": "made.txt"}}, {"name": "ls", "arguments": {"path": "."}},
    ]},
    {"text": "done é" * 50},
]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A work tree with its script."""

    root: Path
    env: dict[str, str]

    @property
    def logs(self) -> list[Path]:
        return sorted((self.root / ".agent" / "sessions").glob("*.jsonl"))


def place(folder: Path) -> Place:
    root = folder / "w"
    root.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "script.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in SCRIPT))
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder / "home"),
        "AGENTMEM_HOME": str(folder / "home" / ".agentmem"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LC_ALL": "C.UTF-8",
        # A process that may write little, or is killed, would leave broken .pyc files for all others.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return Place(root, env)


def start(at: Place, call: int = 0, how: float = 0.0, *more: str) -> subprocess.Popen[str]:
    """The session, to be killed at its `call`-th write (0: never): 0 before it, 1 after it, between: in the middle."""
    argv = ["-p", "do it", "--model", f"scripted:{at.root.parent / 'script.jsonl'}", "--permission", "full"]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(call), str(how), *argv, "--output", "stream-json", *more],
        cwd=at.root, env=at.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(child: subprocess.Popen[str], after: float | None = None) -> tuple[list[dict[str, Any]], str, int]:
    """Wait for the end, or kill after so many seconds; gives the events that were told, stderr and the exit code."""
    with child:
        if after is not None:
            time.sleep(after)
            child.kill()
        out, err = child.communicate(timeout=60)
    events = [json.loads(line) for line in out.split("\n")[:-1]]
    return events, err, child.returncode

"""What the tests of checkpoints share: an agent that keeps, a user's repository, and what the user sees of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.scripts import Script, make_agent, play

from agentmem.agent.agent import Agent
from agentmem.agent.keeper import Keeper
from agentmem.agent.rewind import Rewound, What
from agentmem.domain.event import Event, Notice
from agentmem.domain.places import Places

GENEROUS = 30.0  # seconds: a slow machine must not change what a test sees


def keeping(places: Places, script: Script, *, resume: str | None = None, wait: float = GENEROUS) -> Agent:
    """An agent in mode full whose model plays `script` and whose keeper waits for its snapshots."""
    agent = make_agent(places, script, resume=resume)
    agent.keeper = Keeper(agent.session, agent.clock, {"PATH": os.environ["PATH"], "HOME": str(places.home)}, wait)
    return agent


def calls(*made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A script in which one reply makes each call, and a last one ends the turn."""
    return [*({"tool_calls": [one]} for one in made), {"text": "done"}]


def turns(agent: Agent, *said: str) -> list[list[Event]]:
    return [play(agent, text) for text in said]


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def back(agent: Agent, called: str | None = None, what: What = "files", *, everything: bool = False) -> Rewound:
    """Rewind as a person would: plan, then do it."""
    rewind = agent.rewind
    past = rewind.past(called)
    return rewind.perform(past, rewind.plan(past.id), what, everything)


def checkpoints(agent: Agent) -> list[dict[str, Any]]:
    return [dict(entry.body) for entry in agent.session.tree().entries if entry.type == "checkpoint"]


def git(folder: Path, *words: str, config: Path | None = None) -> bytes:
    """What git prints for the user; `config` is their global config."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder.parent),
        "GIT_CONFIG_GLOBAL": str(config or os.devnull),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(("git", *words), cwd=folder, env=env, check=True, capture_output=True).stdout


def repository(folder: Path) -> None:
    """A repository with one commit that holds a.py, b.py and notes.md."""
    git(folder, "init", "-q", "-b", "main", ".")
    for name in ("a.py", "b.py", "notes.md"):
        (folder / name).write_text(f"{name} as committed\n")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=U", "-c", "user.email=u@x.test", "commit", "-qm", "first")


VIEWS = (
    ("status", "--porcelain", "--ignored"),
    ("diff", "--cached"),
    ("diff",),
    ("for-each-ref",),
    ("stash", "list"),
    ("log", "--all", "--format=%H %s"),
    ("config", "--list", "--local"),
    ("ls-files", "--stage"),
)


def view(folder: Path, config: Path | None = None) -> list[bytes]:
    """All that the user sees of their repository, and each byte of its refs, config, hooks and objects' names."""
    seen = [git(folder, *words, config=config) for words in VIEWS]
    top = folder / ".git"
    kept = [path for path in sorted(top.rglob("*")) if path.is_file() and path.name not in ("index", "COMMIT_EDITMSG")]
    return [*seen, *(os.fsencode(path) + b"\0" + path.read_bytes() for path in kept)]


def disk(folder: Path) -> dict[bytes, tuple[str, int, bytes]]:
    """Each file and link below a folder but `.git` and `.agent`: kind, mode, bytes or target."""
    found: dict[bytes, tuple[str, int, bytes]] = {}
    root = os.fsencode(folder)
    for where, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (b".git", b".agent")]
        for name in [*files, *(one for one in folders if os.path.islink(os.path.join(where, one)))]:
            path = os.path.join(where, name)
            key = os.path.relpath(path, root)
            if os.path.islink(path):
                found[key] = ("link", 0, os.readlink(path))
            else:
                with open(path, "rb") as file:
                    found[key] = ("file", os.stat(path).st_mode & 0o7777, file.read())
    return found

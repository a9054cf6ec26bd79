"""Init: the files of a workspace, each with a word on what it is for; what is there already stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentmem.app.consent import an_agents_doing
from agentmem.app.home import places_of
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.memory import found, lookout
from agentmem.workspace.mergedriver import set_up
from agentmem.workspace.trust import trust, trusted

AGENT = """\
# The agent that works here

Who the agent is in this project, and how it works. Every prompt holds this file.

- Small changes; run the tests before saying that something is done.
"""


def init(env: Mapping[str, str]) -> str:
    """Make what is missing, trust the folder on the person's word, and say what was made, what was there, and what to
    commit. Raises OSError."""
    places = places_of(env)
    made: list[str] = []
    kept: list[str] = []
    for name, text in (("AGENT.md", AGENT),):
        (made if _write(places.root / name, text) else kept).append(name)
    for name in ("skills",):
        (made if _folder(places.root / name) else kept).append(f"{name}/")
    memory = found(places)
    made += memory
    kept += [name for name in ("MEMORY.md", "memory/", ".agent/") if name not in memory]
    merging = set_up(places.root, env)
    told = _told(places.root, sorted(made), sorted(kept), _trust(places, env))
    return told if merging is None else f"{told}\nnote: {merging}"


def _trust(places: Places, env: Mapping[str, str]) -> str:
    if an_agents_doing(env):
        known = trusted(places.home, places.root)
        return "yes" if known else "not by an agent: run `agentmem trust` yourself, in a terminal of your own"
    clock = Clock()
    trust(places.home, places.root, clock.stamp())
    lookout.vouch(Desk(places, clock))
    return "yes, its memory and skills count · undo: agentmem trust --remove"


def _write(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def _folder(path: Path) -> bool:
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def _told(root: Path, made: list[str], kept: list[str], trusts: str) -> str:
    lines = [f"workspace {root}"]
    if made:
        lines.append(f"made:    {', '.join(made)}")
    if kept:
        lines.append(f"kept:    {', '.join(kept)}")
    lines.append(f"trusted: {trusts}")
    lines += [
        "",
        "AGENT.md    who the agent is here: in every prompt",
        "MEMORY.md   what is true, a bullet each: edit it as you like",
        "memory/     what happened, and why each belief is held",
        "skills/     how to act, one folder a skill",
        ".agent/     sessions and what the harness needs; keeps itself out of git",
        "",
        "Project memory is meant to be committed: git add AGENT.md MEMORY.md memory skills .agent",
    ]
    return "\n".join(lines)

"""Footing: the repository, the branch and the job that long-running work stands on, or why it cannot begin here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from agentmem.domain.places import Places
from agentmem.memory.memory import read_job, write_job
from agentmem.workspace.repo import Repo, repo_of

_SLUG = 40


class CannotWork(Exception):
    """Work cannot begin here; the message says why and what to do."""


def repository(places: Places, env: Mapping[str, str]) -> Repo:
    """The repository that work commits to. Raises `CannotWork`."""
    repo = repo_of(places.root, env)
    if repo is None:
        raise CannotWork(f"{places.root} is no git repository, and work commits what passes: git init")
    if repo.top.resolve() != places.root.resolve():
        raise CannotWork(f"work runs at the top of the repository: cd {repo.top}")
    if operation := repo.operation():
        raise CannotWork(f"a {operation} is under way: end it first")
    return repo


def take_up(places: Places, repo: Repo, goal: str) -> dict[str, Any]:
    """What it goes on with, on its branch. Raises `CannotWork` where the tree holds changes of others."""
    kept = read_job(places)
    goal = goal or str(kept.get("goal") or "")
    branch = str(kept.get("branch") or "") if goal == kept.get("goal") else ""
    branch = branch or f"agentmem/{_slug(goal)}"
    dirty = repo.dirty()
    left = kept.get("left")
    ours = bool(kept.get("feature")) or (isinstance(left, list) and set(dirty) <= set(map(str, left)))
    own = ours and repo.branch() == kept.get("branch") == branch
    if dirty and not own:
        named = ", ".join(dirty[:5]) + (f" and {len(dirty) - 5} more" if len(dirty) > 5 else "")
        raise CannotWork(f"the work tree has changes that are not committed ({named}): commit or stash them first")
    if lacks := repo.anonymous():
        raise CannotWork(f"git does not know who you are, and work commits in your name: {lacks}")
    if repo.branch() != branch:
        repo.switch(branch)
    if repo.head() is None:
        repo.begin()
    job = {**kept, "goal": goal, "branch": branch, "feature": kept.get("feature") if own else None}
    write_job(places, job)
    return job


def _slug(goal: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", goal.lower()).strip("-")[:_SLUG].strip("-")
    if words or not goal.strip():
        return words or "features"
    return f"features-{crc32(goal.encode('utf-8', 'replace')):08x}"  # a goal in another script has a branch of its own

"""Tellers: who told what stands in a day file: the harness, a command of the agent, or somebody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from agentmem.domain.claim import Scope
from agentmem.domain.places import Places
from agentmem.memory.stores import admissions, episodic
from agentmem.memory.stores.admissions import Admissions

Told = Literal["harness", "tool", "other"]
"""`harness`: it tells of a session as it was. `tool`: a command wrote it, and nothing may believe it. `other`: a person
wrote or changed it, or it came from elsewhere."""


def sections_of(path: Path) -> frozenset[str]:
    """The sections of a day file, without what an editor or a merge may change. Raises `OSError`."""
    return frozenset(map(episodic.plain, episodic.sections(episodic.read(path))))


def tellers(places: Places, scope: Scope) -> Callable[[str], Told]:
    """What tells of a section of a day file of a level (the whole text, from its `##` on) who told it. Raises
    `OSError`, as what it gives does."""
    private = places.home if scope == "user" else places.shared
    here = Admissions(private / admissions.NAME, places.home)

    def told(section: str) -> Told:
        if episodic.told(section, "harness") in here:
            return "harness"
        return "tool" if episodic.told(section, "tool") in here else "other"

    return told

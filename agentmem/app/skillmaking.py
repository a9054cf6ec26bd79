"""Skillmaking: the person starts a skill of their own, and says that they have seen one of the project's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentmem.app.consent import require_person
from agentmem.app.home import places_of
from agentmem.app.skillbook import SkillMissing, opened, whole
from agentmem.domain.clock import Clock
from agentmem.memory.memory import safe_name
from agentmem.workspace import planted
from agentmem.workspace.firstuse import baggage, keep_seen

SKELETON = """\
---
name: {name}
description: {description}
---

# {title}

1. The first step, with its command, and how to see that it worked.
2. …

Stop and ask when …
"""
DESCRIPTION = "What it does. Use when … (in the words a person would ask with)"


class SkillExists(Exception):
    """There is a file already where the skill would be made."""


class BadName(Exception):
    """A name that no skill can have; the message says which it could."""


def make(name: str, description: str | None, user: bool, env: Mapping[str, str]) -> Path:
    """Make a skill's folder and file, of the project or of the person; gives the file. Raises `NotThePerson`,
    `BadName`, `SkillExists`, `OSError`."""
    require_person(env, "make a skill")
    own = safe_name(name)
    if not own or own != name:
        hint = f", e.g. {own}" if own else ""
        raise BadName(f"{name!r} is no name for a skill: small letters, digits and hyphens, at most 64{hint}")
    places = places_of(env)
    path = (places.home if user else places.root) / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = " ".join((description or DESCRIPTION).split()).replace("\\", "\\\\").replace('"', '\\"')
    text = SKELETON.format(name=name, description=f'"{said}"', title=name.replace("-", " ").capitalize())
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SkillExists(f"{path} is there already") from None
    return path


def allow(called: str, env: Mapping[str, str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Keep that the person has seen a skill as it is now; gives its file, its scripts and what is hidden in it. Raises
    `NotThePerson`, `SkillMissing`, `OSError`."""
    require_person(env, "allow a skill")
    book = opened(env)
    row = whole(book, called)
    held = row.skill is not None and row.reason == planted.why(row.skill.id)
    if row.skill is None or (row.reason is not None and not held):
        raise SkillMissing(f"{called} cannot be used: {row.reason}")
    found = baggage(row.path)
    planted.let_go(book.places.home, row.path)
    keep_seen(book.places.home, row.path, found.digest, Clock().stamp())
    return row.path, found.scripts, found.hidden

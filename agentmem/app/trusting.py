"""Trusting: the person vouches for a project's folder, or takes that back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.app.consent import require_person
from agentmem.app.home import home_of
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.visible import visible
from agentmem.memory.memory import lookout
from agentmem.workspace.paths import NoDirectory, find_places
from agentmem.workspace.trust import Vouched, distrust, trust, vouched

WHAT = "say which folders are trusted"


def trust_folder(folder: Path, env: Mapping[str, str], clock: Clock | None = None) -> str:
    """Trust the project that `folder` lies in; gives its folder. Raises `NotThePerson`, `NoDirectory`, `OSError`."""
    require_person(env, WHAT)
    home, clock = home_of(env), clock or Clock()
    places = find_places(folder, home)
    named = trust(home, places.root, clock.stamp())
    lookout.vouch(Desk(places, clock))
    return named


def distrust_folder(folder: Path, env: Mapping[str, str]) -> str | None:
    """Take the trust back; gives the folder that was trusted, None for none. Raises `NotThePerson`, `OSError`."""
    require_person(env, WHAT)
    home = home_of(env)
    try:
        root = find_places(folder, home).root
    except NoDirectory:
        root = Path(os.path.abspath(folder))
    return distrust(home, root)


def trusted_folders(env: Mapping[str, str]) -> tuple[Vouched, ...]:
    """The folders that are trusted. Raises `NotThePerson`."""
    require_person(env, WHAT)
    return vouched(home_of(env))


def to_json(folders: tuple[Vouched, ...]) -> list[dict[str, Any]]:
    """The list of `agentmem trust --list --json`."""
    return [{"root": one.root, "at": one.at or None} for one in folders]


def told(folders: tuple[Vouched, ...]) -> str:
    """The same as lines for a person."""
    if not folders:
        return "no folder is trusted yet; in one that you trust: agentmem trust"
    return "\n".join(f"{one.at or '-':<20}  {visible(one.root)}" for one in folders)

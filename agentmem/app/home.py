"""Home: where the person's level and the work tree around the working directory lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.workspace.paths import NoDirectory, find_places
from agentmem.workspace.straying import require_within


def home_of(env: Mapping[str, str]) -> Path:
    """The person's level: $AGENTMEM_HOME, else ``~/.agentmem``."""
    return Path(os.path.abspath(os.path.expanduser(env.get("AGENTMEM_HOME") or "~/.agentmem")))


def places_of(env: Mapping[str, str]) -> Places:
    """The places of a run that starts in the working directory. Raises `NoDirectory`, `LeadsOut`."""
    try:
        cwd = Path.cwd()
    except FileNotFoundError as error:
        raise NoDirectory("the working directory no longer exists: go to one that does") from error
    places = find_places(cwd, home_of(env))
    require_within(places)
    return places

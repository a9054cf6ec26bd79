"""Settings: what is in force and which file each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.app.home import places_of
from agentmem.config import CONFIG_FILE, load_config


def values(env: Mapping[str, str]) -> dict[str, Any]:
    """Each key with its value in force and the file it comes from, None for a default."""
    places = places_of(env)
    config = load_config(places.home, places.own)
    return {
        "settings": {key: {"value": value, "from": config.sources.get(key)} for key, value in config.values().items()},
        "files": [str(places.home / CONFIG_FILE), str(places.own / CONFIG_FILE)],
        "notices": list(config.notices),
    }


def show(env: Mapping[str, str]) -> str:
    """The same as lines for a person."""
    found = values(env)
    lines = []
    for key, one in found["settings"].items():
        value = "-" if one["value"] in (None, []) else one["value"]
        lines.append(f"{key:<16} {value!s:<28} {one['from'] or 'default'}")
    yours, project = found["files"]
    lines += ["", f"yours:   {yours}", f"project: {project} (may narrow, never widen)"]
    lines += [f"ignored: {notice}" for notice in found["notices"]]
    return "\n".join(lines)

"""Programs: where the programs of this machine are, and what git is told so that nobody's settings have a say."""

from __future__ import annotations

import os
from collections.abc import Mapping


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """The absolute path of a program on the PATH of `env`. Relative entries of PATH are passed over: what lies in the
    working directory must not pose as a tool."""
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def find_shell(env: Mapping[str, str]) -> str:
    """The shell that commands are written for: bash where there is one."""
    return find_program("bash", env) or find_program("sh", env) or "/bin/sh"


def alone(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which git reads no settings but those of the directory it works on, asks nobody and fetches
    nothing."""
    kept = {key: value for key, value in env.items() if not key.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }

"""Quiet: the environment in which a command of the agent runs, where nothing may wait for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_NO_EDITOR = "echo 'no editor here: give the text on the command line, as in git commit -m' >&2; false"

SETTINGS: Mapping[str, str] = {
    "AGENTMEM_AGENT": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": _NO_EDITOR,
    "GIT_SEQUENCE_EDITOR": _NO_EDITOR,
    "EDITOR": "false",
    "VISUAL": "false",
}
"""Set over the person's own environment, which a command gets as it is (keys too: it can read the person's files just
as well). No pager, no editor, no question for a password."""


def quiet(env: Mapping[str, str], cwd: Path) -> dict[str, str]:
    """The environment of a command in `cwd`."""
    return {**env, **SETTINGS, "PWD": str(cwd)}

"""Profilewatch: the files that steer each later session, looked at around a command: what it changed in them is told.

No tool writes AGENT.md, and no project's command has a say in the person's own level; a command can write both. They
stay as they are, for a checkout changes AGENT.md too, but never unseen.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.memory.memory import without_secrets

_MOST_BYTES = 1 << 20
_SHOWN = 20  # changed lines of a file that are told

Profile = Mapping[Path, tuple[regular.Sign | None, str]]
"""Of each file what tells that it was not touched since (None: it is not there), and what it says."""


def look(places: Places, before: Profile | None = None) -> Profile:
    """What the files say now, read where they changed since `before`; what cannot be read says nothing."""
    files = (places.root / "AGENT.md", *(places.home / name for name in ("AGENT.md", "AGENTS.md", "CLAUDE.md")))
    now: dict[Path, tuple[regular.Sign | None, str]] = {}
    for path in files:
        found = regular.sign(path)
        known = before.get(path) if before is not None else None
        now[path] = known if known is not None and known[0] == found else (found, _text(path) if found else "")
    return now


def changed(before: Profile, now: Profile, places: Places) -> list[str]:
    """What the person is told, a text for each file that is other than it was."""
    return [_told(path, before[path][1], text, places) for path, (_, text) in now.items() if before[path][1] != text]


def _told(path: Path, old: str, new: str, places: Places) -> str:
    name = path.name if path.parent == places.root else str(path)
    rows = list(unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))[2:]
    rows = [row for row in rows if not row.startswith("@@")]
    more = [f"… {len(rows) - _SHOWN} more lines"] if len(rows) > _SHOWN else []
    head = f"a command changed {name}, which each later session follows; look at it, and take back what is not yours:"
    return without_secrets("\n".join([head, *rows[:_SHOWN], *more]), places.home)


def _text(path: Path) -> str:
    try:
        return regular.read(path, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""

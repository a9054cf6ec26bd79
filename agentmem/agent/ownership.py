"""Ownership: which checkpoints of a session's log tell of this work tree's files, and which of another's.

A session may be held in several work trees of one project, one after the other. A directory that is not there any more
was moved here if it held the project's own `.agent/`; a linked work tree that is gone was removed, or stands elsewhere,
and a file of its is no file of ours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from agentmem.domain.checkpoint import TYPE
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places


def mark(places: Places) -> dict[str, Any]:
    """What a checkpoint says of where it was made."""
    return {"root": str(places.root)} | ({} if _is_main(places) else {"linked": True})


def ours(entries: Sequence[Entry], places: Places) -> tuple[Entry, ...]:
    """The log without the checkpoints of other work trees."""
    return tuple(entry for entry in entries if entry.type != TYPE or _is_ours(entry, places))


def strangers(entries: Sequence[Entry], places: Places) -> dict[str, tuple[Entry, ...]]:
    """By each other work tree: the log without the checkpoints of all but that one."""
    roots = dict.fromkeys(
        str(entry.body.get("root")) for entry in entries if entry.type == TYPE and not _is_ours(entry, places)
    )
    return {root: tuple(one for one in entries if one.type != TYPE or one.body.get("root") == root) for root in roots}


def _is_main(places: Places) -> bool:
    return places.shared == places.own


def _is_ours(entry: Entry, places: Places) -> bool:
    told = entry.body.get("root")
    if not isinstance(told, str) or told == str(places.root):
        return True
    try:
        return os.path.samefile(told, places.root)
    except (OSError, ValueError):
        return _is_main(places) and entry.body.get("linked") is not True and not os.path.lexists(told)

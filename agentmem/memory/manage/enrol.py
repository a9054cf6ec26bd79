"""Enrol: the roll of sessions made anew from the logs' heads and tails, when it was lost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from agentmem.domain.places import Places
from agentmem.memory.read import catalogue
from agentmem.memory.stores import roll


def rebuild(places: Places) -> None:
    """Write the roll anew where there is none; a disk that does not take it is no failure."""
    roll.begin(places.shared, sorted(_told(places), key=lambda one: str(one["at"])))


def _told(places: Places) -> Iterator[Mapping[str, Any]]:
    """What the logs still tell: opened, forked and named. When a session was closed they do not."""
    for head in catalogue.heads(places.sessions, every=True):
        changed = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(head.mtime))
        at = head.at or changed
        if head.origin is not None:
            yield roll.line(at, "forked", head.id, of=head.origin)
        else:
            yield roll.line(at, "opened", head.id, cwd=head.cwd)
        if head.name:
            yield roll.line(changed, "named", head.id, name=head.name)

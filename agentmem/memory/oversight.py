"""Oversight: the part of memory's door for a person who looks after it: what waits, and what is to be forgotten."""

from __future__ import annotations

from collections.abc import Callable

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.manage import forget as forgetting
from agentmem.memory.manage import sightings, wanted
from agentmem.memory.manage.forget import Receipt
from agentmem.memory.manage.review import Waiting, approve, reject, waiting
from agentmem.memory.manage.sightings import Sighting, Sightings
from agentmem.memory.manage.wanted import Wanted
from agentmem.memory.session import Session
from agentmem.memory.stores import forgotten
from agentmem.memory.stores.estate import shown
from agentmem.memory.stores.lock import MemoryBusy

__all__ = [
    "MemoryBusy",
    "Receipt",
    "Sighting",
    "Sightings",
    "Waiting",
    "Wanted",
    "approve",
    "forget",
    "forgotten_on",
    "reject",
    "shown",
    "sought",
    "waiting",
]

Tell = Callable[[str], None]


def sought(places: Places, query: str, tell: Tell = lambda text: None) -> tuple[Wanted, Sightings]:
    """What `query` (an id, or the words) means, and where it stands in all that is kept; nothing is changed. `tell` is
    told what is being looked at. Raises `NoPhrase`, `OSError`."""
    wish = wanted.wanted(query, places)
    return wish, sightings.look(places, wish.phrases, tell)


def forget(
    wish: Wanted, places: Places, clock: Clock, own: Session | None = None, tell: Tell = lambda text: None
) -> Receipt:
    """Have words forgotten, everywhere, and look again; see `manage.forget`. Only a person may ask for it."""
    return forgetting.forget(wish, places, clock, own, tell)


def forgotten_on(places: Places, wish: Wanted) -> str | None:
    """When the same was forgotten before (``2026-11-30T09:14:03Z``), None for never."""
    return forgotten.read(places.shared).when.get(wish.mark)

"""Oversight: the part of memory's door through which a person looks after it: what waits for their word, what is to be
forgotten, and what sessions came to."""

from __future__ import annotations

from collections.abc import Callable

from agentmem.domain.claim import Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.manage import forget as forgetting
from agentmem.memory.manage import noting, sightings, wanted
from agentmem.memory.manage.forget import Receipt, StillOpen
from agentmem.memory.manage.review import NotWaiting, Waiting, approve, reject, waiting
from agentmem.memory.manage.sightings import Sighting, Sightings
from agentmem.memory.manage.wanted import Wanted
from agentmem.memory.session import Session
from agentmem.memory.stores import forgotten
from agentmem.memory.stores.estate import shown
from agentmem.memory.stores.lock import MemoryBusy

__all__ = [
    "MemoryBusy",
    "NotWaiting",
    "Receipt",
    "Sighting",
    "Sightings",
    "StillOpen",
    "Waiting",
    "Wanted",
    "approve",
    "forget",
    "forgotten_on",
    "reject",
    "settle_others",
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


def settle_others(places: Places, clock: Clock, own: str | None) -> list[Verdict]:
    """What sessions that were killed came to is told in the files of their days, as it is of one that is closed. A disk
    that does not take it is no failure: the next run tries again."""
    try:
        return noting.settle_others(places, clock, own)
    except OSError:
        return []

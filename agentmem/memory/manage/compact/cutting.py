"""Window: the oldest steps leave the prompt, up to where it may begin anew."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image
from agentmem.memory.manage.compact.layout import Layout, Room, Unit
from agentmem.memory.manage.compact.segments import ONE_SHARE
from agentmem.memory.manage.compact.summary import allowed
from agentmem.memory.read import invoked, sight

LEAST = 300
"""Tokens that must leave for a cut to be worth it, beside those of the summary that comes instead."""
FRONTIER, FRONTIER_MOST = 0.05, 1_000
"""Of the window, and tokens: what is said beside summaries of where the work stands."""
_ASKED_BEFORE = 0.02  # of the window: the message before the last stays with its answer if it is no longer


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the prompt is to begin: `first` is the number of the first kept entry; `pinned` are entries before it that
    stay; `freed` in bytes; `told` are the most tokens that the summary may take."""

    first: int
    pinned: tuple[Entry, ...]
    freed: int
    told: int


def cut(found: Layout, room: Room, want: int, most: int | None = None) -> Cut | None:
    """The first place for a cut that frees `want` bytes, the summary that comes instead reckoned in, else the last
    place there is; None where nothing worth it can leave. `most` bounds the number of units that leave."""
    end = found.protected(room) if most is None else min(most, len(found.units) - 1)
    stay, bodies = _stay(found, room), {one.id for one in invoked.kept(found.entries) if one.id not in found.force}
    want += room.size(frontier_most(room.window) if found.snapshot is None else frontier_most(room.window) // 4)
    best: tuple[int, int, int] | None = None
    freed = raw = 0
    for number in range(1, end + 1):
        unit = found.units[number - 1]
        freed += _freed(found, unit, bodies, stays=number - 1 in stay)
        raw += unit.raw
        told = _told(room, freed, raw)
        if unit.start < found.pinned or room.tokens(freed) - told < LEAST:
            continue
        best = number, freed, told
        if freed - room.size(told) >= want:
            break
    if best is None:
        return None
    number, freed, told = best
    first = found.units[number].start
    said = {found.entries[found.units[at].start].id for at in stay if at < number}
    return Cut(first, _pinned(found.entries[:first], said | bodies), freed, told)


def frontier_most(window: int) -> int:
    """Tokens that the frontier may take."""
    return min(FRONTIER_MOST, int(FRONTIER * window))


def _freed(found: Layout, unit: Unit, bodies: Container[str], *, stays: bool) -> int:
    """Bytes that a unit frees when it leaves: all but the bodies of skills, and the message itself where that stays."""
    rows = zip(found.entries[unit.start : unit.end], found.sizes[unit.start : unit.end], strict=True)
    first = found.sizes[unit.start] if stays else 0
    return sum(size for entry, size in rows if entry.id not in bodies) - first


def _pinned(entries: Sequence[Entry], stay: Container[str]) -> tuple[Entry, ...]:
    """Of the entries that leave those that stay, and what was said of images that a server refused, where one of them
    holds an image."""
    said = [one for one in entries if one.id in stay]
    images = any(isinstance(part, Image) for one in said if (message := one.message()) for part in message.parts)
    return tuple(one for one in entries if one.id in stay or (images and one.type == sight.TYPE))


def _stay(found: Layout, room: Room) -> list[int]:
    """The units that stay wherever the cut falls: the person's last message, and the one before it where the last has
    no answer yet."""
    said = [at for at, unit in enumerate(found.units) if unit.said and found.entries[unit.start].id not in found.force]
    stay = said[-1:]
    if stay and stay[0] == len(found.units) - 1 and len(said) > 1:
        before = found.units[said[-2]]
        if room.tokens(before.size) <= _ASKED_BEFORE * room.window:
            stay = said[-2:]
    return stay


def _told(room: Room, freed: int, raw: int) -> int:
    """Tokens that a summary of so many `raw` bytes may take: never more than half of what it frees."""
    return min(allowed(room.tokens(raw)), room.tokens(freed) // 2, round(ONE_SHARE * room.window))

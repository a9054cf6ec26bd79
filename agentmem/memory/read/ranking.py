"""Ranking: which lines of a MEMORY.md come first when there is not room for all: pinned, corrected, lately used, new.

A line is pinned when it says `[pinned]` or stands under a heading that does ("## Pinned"). A correction is a belief
that took another's place. A section with a cap is always shown whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from agentmem.domain.belief import Belief
from agentmem.memory.stores import bullets

_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*$")
_PINNED = re.compile(r"\[pinned\]|#pinned\b|^pinned:?$|📌", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A line with the indented lines under it, the headings it stands under (as line numbers), whether it is pinned,
    and whether its section is capped."""

    at: int
    rows: tuple[str, ...]
    under: tuple[int, ...]
    pinned: bool = False
    capped: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger and the votes say of the beliefs of one level: why each is held, and when it was last confirmed
    (``2026-11-30T09:14:03Z``); the lines (from 0) that are `waiting` for a person's word, those of facts that were
    `closed`, those that are the project's word (`foreign`), and those that hold a `secret`."""

    beliefs: Mapping[str, Belief]
    used: Mapping[str, str]
    waiting: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    foreign: frozenset[int] = frozenset()
    secret: frozenset[int] = frozenset()


def units(text: str, caps: Mapping[str, int]) -> list[Unit]:
    """The units of a text, in its order; headings come with the units under them."""
    capping = {name.casefold() for name in caps}
    found: list[Unit] = []
    under: list[tuple[int, int, bool, bool]] = []
    for at, row in enumerate(text.split("\n")):
        if not row.strip():
            continue
        if row[0] in "# " and (heading := _HEADING.match(row)):
            level, name = len(heading[1]), heading[2]
            under = [one for one in under if one[0] < level]
            under.append((level, at, _PINNED.search(name) is not None, name.casefold() in capping))
        elif found and row[0] in " \t" and found[-1].at + len(found[-1].rows) == at:
            last = found[-1]
            found[-1] = replace(last, rows=(*last.rows, row))
        else:
            pinned = any(one[2] for one in under) or _PINNED.search(row) is not None
            found.append(Unit(at, (row,), tuple(one[1] for one in under), pinned, any(one[3] for one in under)))
    return found


def ranked(of: list[Unit], known: Known) -> list[Unit]:
    """The units, the first to be shown first."""
    order = {fact: at for at, fact in enumerate(known.beliefs)}

    def rank(unit: Unit) -> tuple[bool, bool, str, int, int]:
        own = fact_of(unit)
        belief = known.beliefs.get(own)
        corrects = belief is not None and (belief.supersedes is not None)
        last = max(known.used.get(own, ""), belief.at if belief is not None else "")
        return (unit.pinned, corrects, last, order.get(own, -1), unit.at)

    return sorted(of, key=rank, reverse=True)


def fact_of(unit: Unit) -> str:
    """The id at the end of a unit's first line, or the one its text gives."""
    row = unit.rows[0]
    cut = row.rfind(" ^")
    if cut > 0 and row[cut + 2 :].strip().isalnum():
        return row[cut + 2 :].strip()
    return next((one.id or bullets.derived(one.text) for one in bullets.parse(row)), "")

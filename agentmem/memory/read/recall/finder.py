"""Finder: what a project and its person remember, searched: facts, episodes, sessions and knowledge, best first.

The index is brought up to date as far as the time allows; what it still lacks is scanned at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read.recall import catchup, corpus, gathering
from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.gathering import Candidate, Stores
from agentmem.memory.read.recall.hit import KINDS, Hit, Page, Scope
from agentmem.memory.read.recall.hunt import Tail, tail
from agentmem.memory.read.recall.indexed import Indexed
from agentmem.memory.read.recall.terms import all_terms

PAGE = 10
SCANNED = 1 << 18  # bytes of what is not indexed yet
FRESH = 2.0  # seconds in which the files are not looked at again
ALIKE = 0.9


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search. `day` (``2026-11-30``) asks what was believed then; `without` are ids that are not to come out; `first`
    is where the page begins, `most` how many hits it holds."""

    query: str
    scope: Scope = "all"
    day: str | None = None
    first: int = 0
    most: int = PAGE
    without: Collection[str] = ()


class Finder:
    """One project's memory, to be searched again and again, from any thread."""

    def __init__(self, places: Places, clock: Clock, knowledge: Sequence[str] = (), *, trusted: bool = True) -> None:
        """`knowledge` are folders below the root that are searched too; of a folder that is not `trusted` the memory is
        the project's word."""
        self._places = places
        self._clock = clock
        self._knowledge = tuple(knowledge)
        self._trusted = trusted
        self._indexed = Indexed(places.shared)
        self._looked = float("-inf")
        self._late = Tail()
        self._notes: tuple[str, ...] = ()
        self._guard = threading.RLock()

    def close(self) -> None:
        """Give the index back. It is opened again when it is needed."""
        with self._guard:
            self._indexed.close()
            self._looked = float("-inf")

    def catch_up(
        self, seconds: float | None = None, told: Callable[[int, int], None] = lambda done, whole: None
    ) -> bool:
        """Bring the index up to date; False where `seconds` did not suffice or another process is at it, then the end
        of what it lacks is scanned. `told` gets bytes done and bytes to do. Raises `OSError`."""
        with self._guard:
            self._indexed.look_again()
            return self._indexed.through(lambda: self._catch_up(seconds, told))

    def find(self, wanted: Wanted, seconds: float | None = None) -> Page:
        """The memories that answer, the best first. The files are looked at again before, for at most `seconds`. Raises
        `OSError`."""
        with self._guard:
            if monotonic() - self._looked > FRESH or not self._indexed.stands:
                self.catch_up(seconds)
            return self._indexed.through(lambda: self._page(wanted), lambda: self._catch_up(seconds))

    def _catch_up(self, seconds: float | None, told: Callable[[int, int], None] = lambda done, whole: None) -> bool:
        files = corpus.files(self._places, self._knowledge)
        whole = catchup.catch_up(self._indexed.index(), files, seconds=seconds, told=told)
        self._late, self._notes = Tail(), self._troubles()
        if not whole:
            self._scan(catchup.behind(self._indexed.index(), files))
        self._looked = monotonic()
        return whole

    def _troubles(self) -> tuple[str, ...]:
        lost = corpus.not_searched(self._places, self._knowledge)
        found = [f"recall.knowledge: {name} is no folder below the root, and is not searched" for name in lost]
        if trouble := self._indexed.trouble:
            found.append(f"{self._indexed.path} cannot be kept ({trouble}): each search reads all files again")
        return tuple(found)

    def _scan(self, lacking: catchup.Behind) -> None:
        """Hold the end of what the index lacks, the newest files first."""
        room, found = SCANNED, {}
        sources = self._indexed.index().sources()
        for file in sorted(lacking.files, key=lambda one: one.mtime, reverse=True):
            if file.kind != "session" or room <= 0:
                continue
            source = sources.get(file.path)
            done = source.done if source is not None and source.inode == file.inode else 0
            start = max(done, file.size - room)
            with suppress(OSError):
                found[file.path] = gathering.late_records(Path(file.path), start, file.size)
            room -= file.size - start
        self._late = tail(found)
        if left := max(0, lacking.bytes - (SCANNED - room)):
            size = f"{left / 1e6:.1f} MB" if left >= 100_000 else f"{left / 1e3:.1f} KB"
            self._notes += (f"{size} are not indexed yet; search again in a moment",)

    def _page(self, wanted: Wanted) -> Page:
        query, kinds = asked(wanted.query), KINDS[wanted.scope]
        stores = Stores(self._places, self._indexed.index(), self._late, self._clock.now(), self._trusted)
        found: list[Candidate] = []
        if "fact" in kinds:
            found += gathering.facts(stores, query, wanted.day)
        if wanted.day is None:
            if "episode" in kinds or "knowledge" in kinds:
                found += gathering.kept(stores, query, kinds)
            if "session" in kinds:
                found += gathering.said(stores, query)
        found = [one for one in found if one.id not in wanted.without]
        if len(kinds) > 1:
            found.sort(key=lambda one: one.rank, reverse=True)
        hits, looked_at = _shown(found, wanted.first + wanted.most)
        return Page(tuple(hits[wanted.first :]), wanted.first, len(found) - looked_at, self._notes)


def _shown(found: Sequence[Candidate], most: int) -> tuple[list[Hit], int]:
    """The first hits that say something else than those before them, and how many candidates that took."""
    hits: list[Hit] = []
    seen: list[frozenset[str]] = []
    looked_at = 0
    for one in found:
        if len(hits) == most:
            break
        looked_at += 1
        hit = one.hit()
        if hit is None:
            continue
        said = frozenset(all_terms(hit.text))
        if not any(_alike(said, before) for before in seen):
            hits.append(hit)
            seen.append(said)
    return hits, looked_at


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return one == other or len(one & other) >= ALIKE * len(one | other) > 0

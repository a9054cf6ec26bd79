"""Sightings: where words stand in all that agentmem keeps, file by file; nothing is changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentmem import regular
from agentmem.domain.phrase import Phrases
from agentmem.domain.places import Places
from agentmem.memory.manage.scrub import Scrub
from agentmem.memory.read import believed
from agentmem.memory.stores.estate import Holding, holdings, name_of, shown
from agentmem.memory.write.formal import PAGE
from agentmem.memory.write.tombstone import Mended, Tombs

MOST = 1 << 30  # bytes of a file that is read whole

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One file that holds the words: `count` places of them, in a log the `entries` they stand in."""

    holding: Holding
    count: int
    entries: tuple[str, ...] = ()


@dataclass(slots=True)
class Sightings:
    """All of them. `yours` are files the person writes that hold the words, `away` links that are not followed, `kept`
    places where the words tell what kind a record is or where it belongs, `twins` files with another name on disk.
    Of the checkpoints: `objects` that go, `refs` that named them, `tracked` paths of the person's files in them.
    `looked` counts files that were looked at, `git` objects of git."""

    found: list[Sighting] = field(default_factory=list)
    yours: list[Path] = field(default_factory=list)
    away: list[Path] = field(default_factory=list)
    twins: list[Path] = field(default_factory=list)
    kept: int = 0
    unreadable: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    tracked: list[str] = field(default_factory=list)
    looked: int = 0
    git: int = 0

    @property
    def count(self) -> int:
        """Places that hold the words."""
        return sum(one.count for one in self.found)

    def of(self, *kinds: str) -> list[Sighting]:
        """Those of some kinds."""
        return [one for one in self.found if one.holding.kind in kinds]


def look(places: Places, phrases: Phrases, tell: Tell = lambda text: None) -> Sightings:
    """Look for the words in every file. What cannot be read is told in `unreadable`."""
    seen = Sightings()
    try:
        every = list(holdings(places))
    except OSError as error:
        return Sightings(unreadable=[f"{error.filename}: {error.strerror}"])
    for one in every:
        seen.looked += 1
        tell(shown(one.path, places))
        if phrases.spans(os.fsencode(name_of(one.path, places))):
            _name_it(one, seen)
        try:
            _look(one, tombs_of(one, phrases), seen)
        except OSError as error:
            seen.unreadable.append(f"{shown(one.path, places)}: {error.strerror or error}")
    return seen


def _name_it(one: Holding, seen: Sightings) -> None:
    """The words stand in a file's name: one that a person gave is theirs, what else is named so tells a place."""
    if one.kind in ("page", "yours"):
        seen.yours.append(one.path)
    else:
        seen.kept += 1


def _look(one: Holding, tombs: Tombs, seen: Sightings) -> None:
    match one.kind:
        case "away":
            seen.away.append(one.path)
        case "yours":
            if one.path not in seen.yours and tombs.phrases.spans(regular.read(one.path, MOST)):
                seen.yours.append(one.path)
        case "git":
            _look_at_git(one, tombs, seen)
        case "log" | "lines" | "ledger":
            _look_at_lines(one, tombs, seen)
        case _:
            if one.kind in ("memory", "page"):
                believed.text_bytes(one.path)  # what is written otherwise is not looked through
            mended = mend(one, regular.read(one.path, MOST), tombs)
            _add(one, mended.count, seen)
            seen.kept += mended.kept


def _look_at_git(one: Holding, tombs: Tombs, seen: Sightings) -> None:
    scrub = Scrub(one.path, tombs, whole=drops_whole(one.path))
    try:
        found = scrub.scan()
    finally:
        scrub.close()
    if found.count or found.doomed:
        seen.found.append(Sighting(one, max(1, found.count)))
    seen.unreadable += found.unreadable
    seen.git += found.looked
    seen.kept += found.kept
    if drops_whole(one.path):
        seen.objects += sorted(found.doomed)
        seen.refs += sorted(ref for ref, name in found.refs.items() if name in found.doomed)
        seen.tracked += [path.removeprefix("files/") for path in sorted(found.paths) if path.startswith("files/")]


def _look_at_lines(one: Holding, tombs: Tombs, seen: Sightings) -> None:
    count, entries = 0, []
    for line in raw_lines(one.path):
        mended = tombs.json(line)
        seen.kept += mended.kept
        if mended.count:
            count += mended.count
            entries += _id(line)
    _add(one, count, seen, tuple(entries))


def _add(one: Holding, count: int, seen: Sightings, entries: tuple[str, ...] = ()) -> None:
    if count:
        seen.found.append(Sighting(one, count, entries))
        if os.lstat(one.path).st_nlink > 1:
            seen.twins.append(one.path)


def tombs_of(one: Holding, phrases: Phrases) -> Tombs:
    """The tombstones of a file: short ones where people read, where offsets count of the size of what they replace."""
    return Tombs(phrases, exact=one.kind not in ("memory", "page", "ledger", "git"))


def mend(one: Holding, data: bytes, tombs: Tombs) -> Mended:
    """A file's bytes without the words, as its kind has it; those of a blob are only looked at."""
    match one.kind:
        case "json":
            return tombs.json(data)
        case "memory":
            return tombs.beliefs(data)
        case "page":
            return tombs.text(data, PAGE)
        case "blob" | "left" | "derived" | "index":
            return Mended(data, len(tombs.phrases.spans(data)))
    return tombs.text(data)


def drops_whole(git: Path) -> bool:
    """Whether commits of a git directory go whole: those of checkpoints, which hold the person's files as they were."""
    return git.name != "history.git"


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as they stand there. Raises `OSError`."""
    with os.fdopen(regular.opened(path), "rb") as file:
        yield from file


def _id(line: bytes) -> list[str]:
    try:
        own = json.loads(line).get("id")
    except (ValueError, AttributeError, RecursionError):
        return []
    return [own] if isinstance(own, str) else []

"""Gathering: what each store gives for a query, as candidates that become hits when they are shown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.memory.read import marked
from agentmem.memory.read.recall import beliefset, logbook, merits
from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.beliefset import Known
from agentmem.memory.read.recall.hit import Fit, Hit, Kind
from agentmem.memory.read.recall.hunt import Tail, among, hunt
from agentmem.memory.read.recall.passages import AGENT, FILE, LONG, PERSON, TOOL, Record
from agentmem.memory.read.recall.scoring import Scored
from agentmem.memory.read.recall.terms import terms
from agentmem.memory.stores import forgotten
from agentmem.memory.stores.index import Index, Source

_WHO = {PERSON: "person", AGENT: "agent", TOOL: "tool", FILE: "file"}
_IMPORTANT = re.compile(r"importance (\d+(?:\.\d+)?)")
_USUAL = 5.0  # importance
ENOUGH = 0.2
"""Relevance from which on the other signals count in full among memories of all kinds."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may be shown: `hit` reads it, and gives None where it is not there any more. `score` orders those
    of a kind, `rank` all of them: what hardly answers stands low, however good a memory it is."""

    id: str
    score: float
    rank: float
    hit: Callable[[], Hit | None]


@dataclass(frozen=True, slots=True)
class Stores:
    """What is searched: an index that is up to date but for the `late` records; `now` in seconds since 1970."""

    places: Places
    index: Index
    late: Tail
    now: float
    trusted: bool


def facts(stores: Stores, query: Asked, day: str | None) -> list[Candidate]:
    """What is believed, or was on a day. Raises `OSError`."""
    known = beliefset.known(stores.places, day, trusted=stores.trusted)
    by_fact = {one.stated.belief.fact: one for one in known}
    scored = among(query, [one.record(place) for place, one in enumerate(known)])
    used = stores.index.uses(one.turn.ref for one in scored)
    found = []
    for one in scored:
        fact = by_fact[one.turn.ref]
        foreign = fact.stated.word == "project"
        signals = merits.of_belief(fact.stated.belief, foreign, one.alone, used.get(one.turn.ref, (0, "")), stores.now)
        if day is not None:
            signals["validity"] = 1.0  # it held then
        found.append(_of_fact(stores, fact, one, signals))
    return _ranked(found)


def _of_fact(stores: Stores, fact: Known, one: Scored, signals: dict[str, float]) -> Candidate:
    stated, score = fact.stated, merits.score(signals)
    level = stores.places.root if stated.scope == "project" else stores.places.home
    source = _named(stores.places, str(level / "MEMORY.md")) + (f":{stated.line}" if stated.line else "")
    belief = stated.belief

    def hit() -> Hit:
        said = marked.shown(belief.text, stores.places.home)  # the ledger may have come with a clone
        return Hit(
            "fact", belief.fact, said, belief.valid_from or belief.at, belief.principal, source, score,
            _fit(one), signals, None, fact.note,
        )  # fmt: skip

    return Candidate(belief.fact, score, _rank(score, one.alone), hit)


def kept(stores: Stores, query: Asked, kinds: Sequence[Kind]) -> list[Candidate]:
    """Episodes and knowledge. Raises `sqlite3.Error`."""
    scored = hunt(stores.index, query, "kept")
    sources = {source.id: source for source in stores.index.sources().values()}
    used = stores.index.uses(one.turn.ref for one in scored)
    # Work trees that share an index have memories of their own.
    allowed = (str(stores.places.root) + os.sep, str(stores.places.home) + os.sep)
    told = _teller(stores.places)
    found = []
    for one in scored:
        source = sources.get(one.turn.source)
        if source is not None and source.kind in kinds and source.path.startswith(allowed):
            found.append(_of_file(stores, one, source, used.get(one.turn.ref, (0, "")), told))
    return _ranked([one for one in found if one is not None])


def _of_file(
    stores: Stores, one: Scored, source: Source, used: tuple[int, str], told: Callable[[str, str], str]
) -> Candidate | None:
    """A section of a file; None for one of a day file that a command of the agent wrote, which nothing may believe."""
    section = _bytes(Path(source.path), one.turn.place, one.turn.size).decode("utf-8", "replace")
    text = section.strip()
    kind: Kind = "knowledge" if source.kind == "knowledge" else "episode"
    if kind == "episode" and told(source.path, section) == "tool":
        return None
    if kind == "knowledge":
        signals, score = {"relevance": one.alone}, merits.of_session(one.alone)
    else:
        important = _IMPORTANT.search(text)
        weight = float(important[1]) if important else _USUAL
        signals = merits.of_episode(weight, one.turn.at, one.alone, used, stores.now)
        score = merits.score(signals)
    named = _named(stores.places, source.path)

    def hit() -> Hit | None:
        said = marked.shown(text, stores.places.home)
        return Hit(kind, one.turn.ref, said, one.turn.at, "file", named, score, _fit(one), signals) if text else None

    return Candidate(one.turn.ref, score, _rank(score, one.alone), hit)


def _teller(places: Places) -> Callable[[str, str], str]:
    """What tells who told a section of a day file: of the file's path and the section's text."""
    from agentmem.memory.read.tellers import tellers

    asked = cache(lambda scope: tellers(places, scope))

    def told(path: str, section: str) -> str:
        return asked("project" if path.startswith(str(places.root) + os.sep) else "user")(section)

    return told


def said(stores: Stores, query: Asked) -> list[Candidate]:
    """What was said and done in sessions, the best first; what a fork copied comes out once. Raises `sqlite3.Error`."""
    paths = {source.id: source.path for source in stores.index.sources().values()} | dict(stores.late.paths)
    gone = {ref for refs in forgotten.read(stores.places.shared).entries.values() for ref in refs}
    found: dict[str, Candidate] = {}
    least = 0.0
    for one in reversed(hunt(stores.index, query, "said", stores.late)):
        least = max(
            least, _rank(merits.of_session(one.relevance), one.relevance)
        )  # their order stays, whatever stands among them
        if one.turn.ref not in gone and one.turn.source in paths:
            found.pop(one.turn.ref, None)
            found[one.turn.ref] = _of_log(stores, query, one, Path(paths[one.turn.source]), least)
    return list(found.values())[::-1]


def _of_log(stores: Stores, query: Asked, one: Scored, path: Path, rank: float) -> Candidate:
    score = merits.of_session(one.relevance)

    def hit() -> Hit | None:
        turn = one.turn
        record = logbook.record_in(_bytes(path, turn.place, turn.size), turn.ref)
        text = next(logbook.texts(record), "") if record is not None else ""
        if record is None or not text:
            return None
        signals = {"relevance": one.relevance, "alone": one.alone}
        who, source = record.speaker or _WHO[record.who], _named(stores.places, str(path))
        fit = _fit_of(record.speaker, one, query)
        return Hit("session", turn.ref, text, record.at, who, source, score, fit, signals, path.stem)

    return Candidate(one.turn.ref, score, rank, hit)


def late_records(path: Path, start: int, end: int) -> list[Record]:
    """The records in bytes `start` to `end` of a log; of a line that began before `start` none. Raises `OSError`."""
    data = _bytes(path, start, end - start)
    if start and _bytes(path, start - 1, 1) != b"\n":
        cut = data.find(b"\n") + 1
        data, start = data[cut:], start + cut
    batch = logbook.read(logbook.whole_lines(data), start)
    hidden = logbook.struck(batch.edits)
    return [record for record in batch.records if record.ref not in hidden]


def _rank(score: float, relevance: float) -> float:
    return score * min(1.0, relevance / ENOUGH)


def _fit(one: Scored) -> Fit:
    return Fit(one.relevance, one.covered(), timed=one.timed)


def _fit_of(speaker: str, one: Scored, query: Asked) -> Fit:
    """That of what somebody said. The name of who says it tells nothing of what is said."""
    stems = frozenset(terms(speaker))
    named = stems <= query.weights.keys() if stems else None
    wordy = one.turn.who == TOOL or (one.turn.who == AGENT and bool(one.turn.flags & LONG))
    return Fit(one.relevance, one.covered(stems if named else ()), named, one.timed, wordy)


def _ranked(found: list[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda one: one.score, reverse=True)


def _bytes(path: Path, place: int, size: int) -> bytes:
    """What stands there in a file, b"" where it cannot be read."""
    with suppress(OSError):
        handle = regular.opened(path)
        try:
            return os.pread(handle, size, place)
        finally:
            os.close(handle)
    return b""


def _named(places: Places, path: str) -> str:
    """A path relative to the root, where it lies in it."""
    return path.removeprefix(str(places.root) + os.sep)

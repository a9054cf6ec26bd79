"""Checkup: what is wrong with durable memory, what mends it, and what a person may want to merge or let go."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from agentmem import regular
from agentmem.domain.belief import Belief, fold
from agentmem.domain.desk import Desk, Level
from agentmem.memory.manage import bequest
from agentmem.memory.read import believed, daymerge
from agentmem.memory.read.blame import history_of
from agentmem.memory.read.selection import BYTES, LINES
from agentmem.memory.stores import folder, lines, votes
from agentmem.memory.stores.bullets import Bullet, identified, parse
from agentmem.memory.write import caps, likeness, marking, redact, wording
from agentmem.memory.write.gate import refusing, restoring

Kind = Literal[
    "conflict",
    "twin",
    "closed",
    "rival",
    "orphan",
    "damaged",
    "stray",
    "alike",
    "archive",
    "worktree",
    "secret",
    "full",
]

_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")
_MOST = 16 << 20
_LEDGER = "memory/ledger.jsonl"
_NAMED = 20  # proposals of one kind that are told


@dataclass(frozen=True, slots=True)
class Found:
    """One thing: where it is, what it is, what mends it or may be done. `mendable`: `memory check --mend` does it."""

    kind: Kind
    where: str
    what: str
    mend: str
    mendable: bool = False

    def to_json(self) -> dict[str, Any]:
        """The same as an object."""
        return asdict(self)


def check(desk: Desk) -> list[Found]:
    """Look at both levels. Nothing is changed. Raises `OSError`."""
    return [one for level in desk.levels for one in _level(level, desk)]


def mend(desk: Desk) -> list[Found]:
    """Mend what a merge without our driver left behind, and twins; gives what was mended. Raises `OSError`,
    `MemoryBusy`."""
    mended = []
    for level in desk.levels:
        found = [one for one in _level(level, desk) if one.mendable]
        if any(one.kind == "conflict" and one.where == _LEDGER for one in found):
            restoring.mend_ledger(daymerge.unmarked, level, desk)
        if any(one.where.startswith(level.shown) for one in found):
            text = daymerge.unmarked(believed.bytes_of(level.memory) or b"")
            told = fold(believed.records(level.ledger))
            restoring.restore(_without(text, told), "mended after a merge", level, desk)
        for path in _days(level):
            data = regular.read(path, _MOST)
            if daymerge.mended(data) != data and daymerge.marked(data):
                folder.write_private(path, daymerge.mended(data), path.stat().st_mode & 0o777)
        mended += found
    return mended


def _level(level: Level, desk: Desk) -> Iterator[Found]:
    path = level.shown
    data = believed.bytes_of(level.memory) or b""
    if daymerge.marked(data):
        yield Found("conflict", path, "a merge left its marks", "memory check --mend keeps both sides", mendable=True)
    if b"\0" in data:
        yield Found("damaged", path, "it is no text (UTF-16?), so nothing is written into it", "save it as UTF-8")
    held = marking.marked(data, level.scope, desk.places)
    yield from _secret(held, path)
    text = held.text()
    stated = [(key, line) for key, line in identified(parse(text)) if not marking.holds(line, held.rows)]
    yield from _twins(path, stated)
    records = believed.records(level.ledger)
    told = fold(records)
    yield from _merged(path, dict(stated), told)
    yield from _full(path, [one for _, one in stated], desk.caps)
    yield from _damage(level)
    yield from _told_in_secret(records)
    yield from _orphans(level, desk, told, dict(stated))
    yield from _days_of(level, desk)
    yield from _history(level, desk)
    if len(data) > 2 * BYTES or text.count("\n") > 2 * LINES:
        yield from _proposals(level, desk, dict(stated))
    if level.scope == "project":
        for branch, count in bequest.left_behind(desk):
            what = f"{bequest.beliefs(count)} of a work tree that is gone"
            yield Found("worktree", branch, what, f"agentmem memory restore {branch} --missing brings them here")


def _twins(path: str, stated: list[tuple[str, Bullet]]) -> Iterator[Found]:
    first: dict[str, Bullet] = {}
    for _, bullet in stated:
        key = " ".join(bullet.text.split()).casefold()
        known = first.setdefault(key, bullet)
        if known is not bullet:
            what = f"says what line {known.at} says: {bullet.text}"
            yield Found("twin", f"{path}:{bullet.at}", what, "memory check --mend keeps the first", mendable=True)


def _full(path: str, stated: Sequence[Bullet], most: Mapping[str, int]) -> Iterator[Found]:
    """Sections that a person's own edit brought over their cap: such an edit stays, and no write has room there."""
    for section in dict.fromkeys(one.section for one in stated):
        own = [one for one in stated if one.section == section]
        cap, used = caps.cap(section, most), caps.used(one.text for one in own)
        if cap is not None and used > cap:
            what = f"{section} takes {used:,} characters, and is capped at {cap:,}: nothing more is stored there"
            mend = f"merge or remove lines there, or raise memory.blocks.{section} in config.yaml"
            yield Found("full", f"{path}:{own[0].at}", what, mend)


def _merged(path: str, stated: dict[str, Bullet], told: Mapping[str, Belief]) -> Iterator[Found]:
    """Lines of facts that are closed, which a merge brought back, and lines that took the place of one fact."""
    heirs: dict[str, Bullet] = {}
    for fact, bullet in stated.items():
        if _is_closed(told.get(fact), bullet):
            what = f"a merge brought it back, and it is closed: {bullet.text}"
            yield Found("closed", f"{path}:{bullet.at}", what, "memory check --mend takes it out", mendable=True)
        elif (belief := told.get(fact)) is not None and belief.supersedes:
            other = heirs.setdefault(belief.supersedes, bullet)
            if other is not bullet:
                what = f"took the place of the same fact as line {other.at}: {bullet.text}"
                yield Found("rival", f"{path}:{bullet.at}", what, "remove the line that does not hold")


def _is_closed(belief: Belief | None, bullet: Bullet) -> bool:
    return belief is not None and not belief.open and (belief.forgotten or belief.text == bullet.text)


def _damage(level: Level) -> Iterator[Found]:
    if not level.ledger.exists():
        return
    if daymerge.marked(level.ledger.read_bytes()):
        what = "a merge left its marks"
        yield Found("conflict", _LEDGER, what, "memory check --mend keeps both sides", mendable=True)
        return
    for fault in lines.read(level.ledger)[1]:
        where = f"{level.ledger.name}:{fault.number}"
        yield Found("damaged", where, fault.what, "it is passed over; remove the line when you know what it was")


def _history(level: Level, desk: Desk) -> Iterator[Found]:
    """Commits of the private history that cannot be read. What it holds is never needed for what is believed now."""
    own = history_of(level, desk, {})
    where, mend = str(own.path), "what is written from now on is kept; a backup of that folder has what is lost"
    if own.exists and own.head() is None:
        yield Found("damaged", where, f"where the branch {own.branch} stands cannot be read", mend)
    else:
        for name, why in islice(own.lost(), _NAMED):
            yield Found("damaged", where, f"the version {name[:12]} cannot be read: {why}", mend)


def _orphans(level: Level, desk: Desk, told: Mapping[str, Belief], stated: dict[str, Bullet]) -> Iterator[Found]:
    """What the ledger holds and no line says: it would be lost without a word."""
    there = {one.text for one in stated.values()}
    for fact, belief in told.items():
        if belief.open and fact not in stated and belief.text not in there:
            said = redact.without_secrets(belief.text, desk.places.home)
            what = f"the ledger holds it, {level.shown} does not say it: {said}"
            mend = f"write the line again; or have its words erased everywhere: agentmem forget {fact}"
            yield Found("orphan", fact, what, mend)


def _days(level: Level) -> list[Path]:
    names = sorted(os.listdir(level.days)) if level.days.is_dir() else []
    return [level.days / name for name in names if _DAY.fullmatch(name)]


def secrets(desk: Desk) -> list[Found]:
    """The lines of both MEMORY.md that hold a secret. Raises `OSError`."""
    levels = ((level, believed.bytes_of(level.memory) or b"") for level in desk.levels)
    held = ((level, marking.marked(data, level.scope, desk.places)) for level, data in levels)
    return [one for level, found in held for one in _secret(found, level.shown)]


def _secret(held: marking.Marked, path: str) -> Iterator[Found]:
    for one in refusing.verdicts(held, path):
        where, _, said = one.reason.partition(" ")
        what, _, mend = said.partition("; ")
        yield Found("secret", where, what, mend)


def _told_in_secret(records: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """The facts of which a ledger that came from elsewhere says a secret."""
    for record in records:
        origin = record.get("origin")
        said = (record.get("text"), origin.get("quote") if isinstance(origin, Mapping) else None)
        kinds = dict.fromkeys(kind for one in said if isinstance(one, str) for _, kind in redact.lines_of(one))
        if kinds:
            what = f"holds a secret ({', '.join(kinds)}): no model is shown it"
            mend = f"agentmem forget {record.get('fact')}; where it was committed change it"
            yield Found("secret", f"{_LEDGER}: {record.get('id')}", what, mend)


def _days_of(level: Level, desk: Desk) -> Iterator[Found]:
    for path in _days(level):
        data = regular.read(path, _MOST)
        for line, kind in redact.lines_of(data.decode("utf-8", "replace")):
            what = f"holds a secret ({kind}): no model is shown it"
            yield Found(
                "secret", f"memory/{path.name}:{line}", what, "take it out, and where it was committed change it"
            )
        if daymerge.marked(data):
            yield Found("conflict", f"memory/{path.name}", "a merge left its marks", "memory check --mend", True)
    for name in sorted(os.listdir(level.days)) if level.days.is_dir() else []:
        if not _DAY.fullmatch(name) and name != "ledger.jsonl" and not name.startswith("."):
            yield Found(
                "stray", f"memory/{name}", "no part of the memory reads it", "move it elsewhere, or remember it"
            )


def _proposals(level: Level, desk: Desk, stated: dict[str, Bullet]) -> Iterator[Found]:
    """What may be merged, and what was long not used. Nothing is dropped by itself."""
    path = level.shown
    for bullet, alike in islice(_alike(stated), _NAMED):
        what = f"is much like line {alike.at}: {bullet.text}"
        yield Found(
            "alike", f"{path}:{bullet.at}", what, "make them one line, or remove one: the ledger keeps it readable"
        )
    beliefs, used = fold(believed.records(level.ledger)), votes.read(desk.votes(level.scope))
    unused = [fact for fact in stated if fact not in used]
    unused.sort(key=lambda fact: beliefs[fact].at if fact in beliefs else "")
    for fact in unused[:_NAMED]:
        what = f"was never confirmed since it was written: {stated[fact].text}"
        mend = "remove the line if it no longer matters: the ledger keeps it readable"
        yield Found("archive", f"{path}:{stated[fact].at}", what, mend)


def _alike(stated: dict[str, Bullet]) -> Iterator[tuple[Bullet, Bullet]]:
    """The beliefs that are much like an earlier one, each with that one; of the earlier ones only the last that share
    a word are looked at."""
    by_word: dict[str, deque[tuple[str, Bullet, set[str]]]] = {}
    for fact, bullet in stated.items():
        said, sought = set(wording.words(bullet.text)), likeness.Sought(bullet.text)
        near = {own: (one, there) for word in said for own, one, there in by_word.get(word, ())}
        alike = next((one for one, _ in near.values() if sought.same(one.text)), None)
        alike = alike or next((one for one, there in near.values() if _share(said, there) >= 0.8), None)
        if alike is not None:
            yield bullet, alike
        for word in said:
            by_word.setdefault(word, deque(maxlen=_NAMED)).append((fact, bullet, said))


def _share(said: set[str], there: set[str]) -> float:
    return 2 * len(said & there) / (len(said) + len(there)) if said and there else 0.0


def _without(data: bytes, told: Mapping[str, Belief]) -> bytes:
    """Without twins and the lines of facts that are closed."""
    rows = data.split(b"\n")
    seen: set[str] = set()
    gone: set[int] = set()
    for fact, bullet in identified(parse(believed.text_of(data))):
        key = " ".join(bullet.text.split()).casefold()
        if key in seen or _is_closed(told.get(fact), bullet):
            gone.update(range(bullet.at - 1, bullet.end))
        seen.add(key)
    return b"\n".join(row for at, row in enumerate(rows) if at not in gone)

"""Selection: the part of both MEMORY.md files that a prompt has room for, chosen by rank, printed in file order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path

from agentmem import __version__
from agentmem.domain.belief import Belief, fold
from agentmem.domain.desk import Level
from agentmem.domain.places import Places
from agentmem.memory.read import fence, marked
from agentmem.memory.read.beliefs import Word, stated_by, words
from agentmem.memory.read.ranking import Known, Unit, ranked, units
from agentmem.memory.stores import admissions, bullets, ledger, seal, semantic, shortlist, votes
from agentmem.memory.stores.shortlist import Shortlist, Span

LINES = 200
BYTES = 25 * 1024
SHARE = 0.05
BYTES_A_TOKEN = 4
# What the line that names the rest may take.
_NOTE = 160
# A ledger over this size, or a memory that must be ranked, is worth keeping the choice for.
_LONG = 64 * 1024
FOREIGN = " [the project's word, not the person's]"
PROJECTS_WORD = "the project's, not the person's: this folder is not trusted"

_NOTHING = Known({}, {})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a selection is made for: a model's window (tokens), the caps of sections that are always shown whole, and
    whether the person vouched for the project's folder."""

    window: int
    caps: Mapping[str, int] = field(default_factory=dict)
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One level's MEMORY.md: its name as people see it, its text, what is known of its beliefs, and whose word it is
    (empty: the person's)."""

    name: str
    text: str
    known: Known = _NOTHING
    word: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """`blocks` is one fenced block a file, ready for the prompt, `names` the files' names; `left_out` says what is not
    shown, a line a file."""

    blocks: tuple[str, ...]
    left_out: tuple[str, ...]
    names: tuple[str, ...] = ()


def remembered(places: Places, wanted: Wanted) -> Selection:
    """What of both levels' MEMORY.md goes into a prompt. A file that cannot be read is left out, and named."""
    levels = (
        (Level("user", places.home), str(places.home / "MEMORY.md")),
        (Level("project", places.root, semantic.real(places.root)), "MEMORY.md"),
    )
    held: list[tuple[Level, MemoryFile]] = []
    notes: list[str] = []
    for level, name in levels:
        real = semantic.real(level.memory)
        if level.inside is not None and not real.is_relative_to(level.inside):
            notes.append(f"{name} leads out of the project, to {real}: not loaded")
            continue
        try:
            text = semantic.read(real)
        except OSError as error:
            notes.append(f"{name} could not be read: {error.strerror}")
            continue
        if text.strip():
            word = "" if level.scope == "user" or wanted.trusted else PROJECTS_WORD
            held.append((level, MemoryFile(name, text, word=word)))
    chosen = _kept(places, held, wanted)
    shown = _shown([file for _, file in held], chosen)
    return Selection(shown, (*notes, *chosen.notes), tuple(file.name for _, file in held))


def select(files: tuple[MemoryFile, ...], wanted: Wanted) -> Selection:
    """What of these files goes into a prompt: see `ranking` for what comes first; the files take turns; at most 200
    lines, 25 KB or 5 % of the window together, capped sections apart. A heading comes with its lines, and what waits
    for a person's word is not shown at all."""
    chosen = _select(files, wanted)
    return Selection(_shown(files, chosen), chosen.notes, tuple(file.name for file in files))


def _kept(places: Places, held: list[tuple[Level, MemoryFile]], wanted: Wanted) -> Shortlist:
    """The choice, from the shortlist where it was made before."""
    beside = [path for level, _ in held for path in (level.ledger, _votes(level, places))]
    sizes = [_size(path) for path in (*beside, places.shared / admissions.NAME)]
    long = not _fits([file.text for _, file in held], wanted.window) or any(size > _LONG for size, _ in sizes)
    if not long or not held:
        return _select(_known(places, held, wanted.trusted), wanted)
    path, secret = places.shared / shortlist.NAME, seal.key(places.home)
    parts = [file.text.encode() for _, file in held]
    key = shortlist.key_of(
        [*parts, repr((__version__, sizes, wanted.window, sorted(wanted.caps.items()), wanted.trusted)).encode()]
    )
    chosen = shortlist.read(path, key, secret)
    if chosen is None or len(chosen.rows) != len(held):
        chosen = _select(_known(places, held, wanted.trusted), wanted)
        if path.parent.is_dir():
            shortlist.write(path, key, chosen, secret)
    return chosen


def _size(path: Path) -> tuple[int, int]:
    """A file's size and time, zeros where there is none: what is appended to changes both."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _votes(level: Level, places: Places) -> Path:
    return (places.home if level.scope == "user" else places.shared) / "votes.jsonl"


def _known(places: Places, held: list[tuple[Level, MemoryFile]], trusted: bool) -> tuple[MemoryFile, ...]:
    files = []
    for level, file in held:
        try:
            told = fold(ledger.records(level.ledger))
            used = {fact: one.confirmed_at for fact, one in votes.read(_votes(level, places)).items()}
        except OSError:
            told, used = {}, {}
        word = words(places, level, trusted=True) if trusted or level.scope == "user" else None
        known = _apart(file.text, Known(told, used), word)
        files.append(replace(file, known=replace(known, secret=_secret(file.text, level, places))))
    return tuple(files)


def _secret(text: str, level: Level, places: Places) -> frozenset[int]:
    """The lines (from 0) that hold a secret, each with those that are one belief with it."""
    found = marked.of(text.encode("utf-8", "surrogatepass"), level, places)
    held = {row for bullet in found.withheld().values() for row in range(bullet.at, bullet.end + 1)}
    return frozenset(row - 1 for row in found.rows | held)


def _apart(text: str, known: Known, word: Callable[[Belief], Word] | None) -> Known:
    """With the lines that are not the person's word. Without `word` all that is no person's is the project's."""
    waiting: set[int] = set()
    closed: set[int] = set()
    foreign: set[int] = set()
    for fact, bullet in bullets.identified(bullets.parse(text)):
        belief = stated_by(fact, bullet, known.beliefs)
        rows = range(bullet.at - 1, bullet.end)
        if not belief.believed:
            (waiting if belief.open else closed).update(rows)
        elif word is not None and word(belief) == "project":
            foreign.update(rows[:1])
    return replace(known, waiting=frozenset(waiting), closed=frozenset(closed), foreign=frozenset(foreign))


def _select(files: tuple[MemoryFile, ...], wanted: Wanted) -> Shortlist:
    hidden = [file.known.waiting | file.known.closed | file.known.secret for file in files]
    if not any(hidden) and _fits([file.text for file in files], wanted.window):
        return Shortlist(tuple(_spans(file, range(file.text.count("\n") + 1)) for file in files), ())
    of = [
        [unit for unit in units(file.text, wanted.caps) if unit.at not in unseen]
        for file, unseen in zip(files, hidden, strict=True)
    ]
    chosen = _choose([ranked(some, file.known) for file, some in zip(files, of, strict=True)], files, wanted)
    rows, notes = [], []
    for number, file in enumerate(files):
        kept = {at for one, at in chosen if one == number} - hidden[number]
        rows.append(_spans(file, sorted(kept)))
        if note := _left_out(file, of[number], kept):
            notes.append(note)
    return Shortlist(tuple(rows), tuple(notes))


def _spans(file: MemoryFile, kept: Sequence[int]) -> tuple[Span, ...]:
    """Where these lines (from 0) stand in the text."""
    starts = [0]
    for row in file.text.split("\n"):
        starts.append(starts[-1] + len(row) + 1)
    return tuple((starts[at], starts[at + 1] - 1, at in file.known.foreign) for at in kept)


def _left_out(file: MemoryFile, of: list[Unit], kept: set[int]) -> str:
    waiting, closed, secret = file.known.waiting, file.known.closed, file.known.secret
    waiting, closed = waiting - secret, closed - secret
    said = {row for unit in of for row in range(unit.at, unit.at + len(unit.rows))} - waiting - closed - secret
    told = []
    if missing := len(said - kept):
        told.append(f"{missing} of {len(said)} lines of {file.name} are not shown; read it for all of them")
    if waiting:
        wait = "waits" if len(waiting) == 1 else "wait"
        told.append(f"{_lines(waiting)} of {file.name} {wait} for the person's word: agentmem review")
    if closed:
        told.append(f"{_lines(closed)} of {file.name} came back with a merge but closed: agentmem memory check")
    if secret:
        hold = "holds a secret and is" if len(secret) == 1 else "hold secrets and are"
        told.append(f"{_lines(secret)} of {file.name} {hold} not shown")
    return "; ".join(told)


def _lines(rows: frozenset[int]) -> str:
    return "1 line" if len(rows) == 1 else f"{len(rows)} lines"


def _shown(files: Iterable[MemoryFile], chosen: Shortlist) -> tuple[str, ...]:
    blocks = []
    for file, kept in zip(files, chosen.rows, strict=True):
        shown = [file.text[first:last] + (FOREIGN if foreign else "") for first, last, foreign in kept]
        about = [f"[{note}]" for note in chosen.notes if f" lines of {file.name} " in note]
        named = {"word": file.word} if file.word else {}
        blocks.append(fence.block(fence.MEMORY, "\n".join([*shown, *about]), source=file.name, **named))
    return tuple(blocks)


def _fits(texts: list[str], window: int) -> bool:
    """True when these texts have room whole, together; then nothing need be ranked."""
    if sum(map(len, texts)) > _room(window):  # no text has more characters than bytes
        return False
    size = sum(len(text.encode()) for text in texts)
    return size <= _room(window) and sum(text.count("\n") + 1 for text in texts) <= LINES


def _room(window: int) -> int:
    return min(BYTES, int(window * SHARE * BYTES_A_TOKEN))


def _choose(of: list[list[Unit]], files: tuple[MemoryFile, ...], wanted: Wanted) -> set[tuple[int, int]]:
    """The lines that have room, as (file, line). Those of capped sections have a room of their own, as large as the
    caps and never over 25 KB."""
    rows = [file.text.split("\n") for file in files]
    chosen: set[tuple[int, int]] = set()
    room, lines = _room(wanted.window) - _NOTE * len(files), LINES - len(files)
    free = min(sum(wanted.caps.values()), BYTES)
    turns = zip_longest(*([(number, unit) for unit in some] for number, some in enumerate(of)))
    for number, unit in sorted(filter(None, chain.from_iterable(turns)), key=lambda turn: not turn[1].capped):
        if (lines <= 0 or room <= 0) and not unit.capped:
            break
        lead = {(number, at) for at in (*unit.under, *range(unit.at, unit.at + len(unit.rows)))} - chosen
        size = sum(len(rows[number][at].encode()) + 1 for _, at in lead)
        if unit.capped and size <= free:
            chosen |= lead
            free -= size
        elif size <= room and len(lead) <= lines:
            chosen |= lead
            room, lines = room - size, lines - len(lead)
    return chosen

"""Selection: the part of both MEMORY.md files that a prompt has room for, chosen by rank, printed in file order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.read import fence
from agentmem.memory.stores import bullets, ledger, semantic

LINES = 200
BYTES = 25 * 1024
SHARE = 0.05
BYTES_A_TOKEN = 4
# What the line that names the rest may take.
_NOTE = 160

_HEADING = re.compile(r"^(#{1,6})\s")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One level's MEMORY.md: its name as people see it, its text, and when the ledger names its facts (id: place)."""

    name: str
    text: str
    order: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Selection:
    """`blocks` is one fenced block a file, ready for the prompt, `names` the files' names; `left_out` says what is not
    shown, a line a file."""

    blocks: tuple[str, ...]
    left_out: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unit:
    """A line with the indented lines under it, and the headings it stands under (as line numbers)."""

    at: int
    rows: tuple[str, ...]
    under: tuple[int, ...]


def remembered(places: Places, window: int) -> Selection:
    """What of both levels' MEMORY.md goes into a prompt. A file that cannot be read is left out, and named."""
    levels = (
        _Level(places.home / "MEMORY.md", places.home / "memory" / "ledger.jsonl", str(places.home / "MEMORY.md")),
        _Level(places.memory_file, places.ledger, "MEMORY.md", places.root.resolve()),
    )
    held: list[tuple[_Level, str]] = []
    notes: list[str] = []
    for level in levels:
        real = level.path.resolve()
        if level.inside is not None and not real.is_relative_to(level.inside):
            notes.append(f"{level.name} leads out of the project, to {real}: not loaded")
            continue
        try:
            text = semantic.read(real)
        except OSError as error:
            notes.append(f"{level.name} could not be read: {error.strerror}")
            continue
        if text.strip():
            held.append((level, text))
    ranked = not _fits((text for _, text in held), window)
    files = tuple(MemoryFile(level.name, text, _order(level.ledger) if ranked else {}) for level, text in held)
    chosen = select(files, window)
    return Selection(chosen.blocks, (*notes, *chosen.left_out), tuple(file.name for file in files))


@dataclass(frozen=True, slots=True)
class _Level:
    """One level's MEMORY.md; the project's must lie `inside` its root."""

    path: Path
    ledger: Path
    name: str
    inside: Path | None = None


def _order(path: Path) -> dict[str, int]:
    try:
        return {str(one.get("fact")): at for at, one in enumerate(ledger.records(path))}
    except OSError:
        return {}


def select(files: tuple[MemoryFile, ...], window: int) -> Selection:
    """What of these files goes into a prompt of a model with this window (tokens): the newest first, by the ledger
    where it names a line, else by its place (a person adds below), the files taking turns; at most 200 lines, 25 KB or
    5 % of the window together. A heading comes with its lines."""
    if _fits((file.text for file in files), window):
        return Selection(tuple(fence.block(fence.MEMORY, file.text, source=file.name) for file in files), ())
    units = [_units(file.text) for file in files]
    chosen = _choose([_ranked(file, of) for file, of in zip(files, units, strict=True)], files, window)
    blocks, left_out = [], []
    for number, file in enumerate(files):
        kept = {at for one, at in chosen if one == number}
        said = [row for unit in units[number] for row in range(unit.at, unit.at + len(unit.rows))]
        rows = [row for at, row in enumerate(file.text.split("\n")) if at in kept]
        if hidden := len(set(said) - kept):
            left_out.append(f"{hidden} of {len(said)} lines of {file.name} are not shown; read it for all of them")
            rows.append(f"[{left_out[-1]}]")
        blocks.append(fence.block(fence.MEMORY, "\n".join(rows), source=file.name))
    return Selection(tuple(blocks), tuple(left_out))


def _fits(texts: Iterable[str], window: int) -> bool:
    """True when these texts have room whole, together; then nothing need be ranked."""
    held = list(texts)
    size = sum(len(text.encode()) for text in held)
    return size <= _room(window) and sum(text.count("\n") + 1 for text in held) <= LINES


def _room(window: int) -> int:
    return min(BYTES, int(window * SHARE * BYTES_A_TOKEN))


def _units(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    under: list[tuple[int, int]] = []
    for at, row in enumerate(text.split("\n")):
        if not row.strip():
            continue
        if heading := _HEADING.match(row):
            under = [(level, line) for level, line in under if level < len(heading[1])] + [(len(heading[1]), at)]
        elif units and row[0] in " \t" and units[-1].at + len(units[-1].rows) == at:
            last = units[-1]
            units[-1] = _Unit(last.at, (*last.rows, row), last.under)
        else:
            units.append(_Unit(at, (row,), tuple(line for _, line in under)))
    return units


def _ranked(file: MemoryFile, units: list[_Unit]) -> list[_Unit]:
    return sorted(units, key=lambda unit: (file.order.get(_own(unit.rows[0]), -1), unit.at), reverse=True)


def _own(row: str) -> str:
    return next((one.id or "" for one in bullets.parse(row)), "")


def _choose(ranked: list[list[_Unit]], files: tuple[MemoryFile, ...], window: int) -> set[tuple[int, int]]:
    """The lines that have room, as (file, line)."""
    rows = [file.text.split("\n") for file in files]
    chosen: set[tuple[int, int]] = set()
    room, lines = _room(window) - _NOTE * len(files), LINES - len(files)
    turns = zip_longest(*([(number, unit) for unit in of] for number, of in enumerate(ranked)))
    for number, unit in filter(None, chain.from_iterable(turns)):
        if lines <= 0 or room <= 0:
            break
        wanted = {(number, at) for at in (*unit.under, *range(unit.at, unit.at + len(unit.rows)))} - chosen
        size = sum(len(rows[number][at].encode()) + 1 for _, at in wanted)
        if size <= room and len(wanted) <= lines:
            chosen |= wanted
            room, lines = room - size, lines - len(wanted)
    return chosen

"""Peek: the few entries of litellm's data file that speak of one model, found without reading all of it as JSON.

The file is megabytes long. Read whole, it would take a fifth of the first start with a model; searched piece by piece,
each piece in the processor's own memory, it takes a tenth of that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import BinaryIO

from agentmem.model.pricelist import RULES, Entry, read, spellings

_PLAIN = re.compile(r"[\w./:@+-]+", re.ASCII)
_PIECE = 64 * 1024
_AROUND = 1024


class _TooHard(Exception):
    """What the file says of the model cannot be told without reading everything."""


def entries_about(path: Path, model: str) -> Mapping[str, Entry]:
    """Those entries of the file in which `pricelist.find` may find the model, in the file's order, and the rules: it
    answers with them as with all. A file that cannot be read gives none."""
    try:
        with path.open("rb", buffering=0) as file:
            return _picked(file, model)
    except OSError:
        return {}
    except (_TooHard, ValueError, RecursionError):
        return read(path)


def _picked(file: BinaryIO, model: str) -> Mapping[str, Entry]:
    """The entries under one of the model's names, in any case, and under what those point to."""
    found: dict[int, tuple[str, Entry]] = {}
    sought: set[str] = set()
    wanted = {part.lower() for name in spellings(model) for part in (name, name.partition("/")[2]) if part} | {RULES}
    while wanted:
        if not all(map(_PLAIN.fullmatch, wanted)):  # JSON may spell it in another way
            raise _TooHard
        places = list(_places(file, wanted))
        new = {at: entry for at, end in places if (entry := _entry(file, at, end)) is not None}
        found |= new
        sought |= wanted
        targets = (value.get("alias_of") for _, value in new.values())
        wanted = {target.lower() for target in targets if isinstance(target, str)} - sought
    return dict(found[at] for at in sorted(found))


def _places(file: BinaryIO, names: Set[str]) -> Iterator[tuple[int, int]]:
    """Where one of the names stands as a JSON text in any case: the places of its first quote and after its last."""
    # Looked for by its end, a name is found with and without its provider in one go.
    needles = {(name.partition("/")[2] or name).encode() + b'"' for name in names}
    overlap = max(map(len, names)) + 2
    file.seek(0)
    begins, low = 0, b""
    while piece := file.read(_PIECE):
        kept = low[-overlap:]
        begins += len(low) - len(kept)
        low = kept + piece.lower()
        for needle in needles:
            at = low.find(needle, max(0, len(kept) - len(needle) + 1))
            while at >= 0:
                end = at + len(needle)
                start = low.rfind(b'"', 0, end - 1)
                if low[start + 1 : end - 1].decode("latin-1") in names:
                    yield begins + start, begins + end
                at = low.find(needle, end)


def _entry(file: BinaryIO, at: int, end: int) -> tuple[str, Entry] | None:
    """The entry whose key is the text between `at` and `end`; None for a text that is a value, or a key of one."""
    after = _read(file, end, _AROUND).lstrip()
    if not after.startswith(b":"):
        start = max(0, at - _AROUND)
        if not _read(file, start, at - start).rstrip().endswith(b":"):  # in a list: maybe an alias
            raise _TooHard
        return None
    if not after[1:].lstrip().startswith(b"{"):
        return None
    key = _read(file, at + 1, end - at - 2).decode()
    if key != RULES and _depth(file, at) != 1:  # deeper in an entry, or braces stand in texts
        raise _TooHard
    return key, _object(file, end)


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _depth(file: BinaryIO, at: int) -> int:
    """How many braces are open at this place."""
    depth, left = 0, at
    file.seek(0)
    while left > 0 and (piece := file.read(min(_PIECE, left))):
        depth += piece.count(b"{") - piece.count(b"}")
        left -= len(piece)
    return depth


def _object(file: BinaryIO, end: int) -> Entry:
    """The object after the key before `end`, whatever follows it. Raises ValueError when it is broken."""
    size = 4 * _AROUND
    while True:
        data = _read(file, end, size)
        try:
            value: Entry = json.JSONDecoder().raw_decode(data[data.index(b"{") :].decode(errors="replace"))[0]
        except ValueError:
            if len(data) < size:
                raise
            size *= 4
        else:
            return value

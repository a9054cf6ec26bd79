"""Peek: the few entries of litellm's data file that speak of one model, found without reading all of it as JSON.

The file is megabytes long. Read whole, it would take a fifth of the first start with a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from agentmem.model.pricelist import RULES, Entry, read, spellings

_PLAIN = re.compile(r"[\w./:@+-]+", re.ASCII)
_PIECE = 16 * 1024


class _TooHard(Exception):
    """What the model has cannot be told without reading everything."""


def entries_about(path: Path, model: str) -> Mapping[str, Entry]:
    """Those entries of the file in which `pricelist.find` may find the model, in the file's order, and the rules: it
    answers with them as with all. A file that cannot be read gives none."""
    try:
        return _picked(path.read_bytes(), model)
    except OSError:
        return {}
    except (_TooHard, ValueError, RecursionError):
        return read(path)


def _picked(data: bytes, model: str) -> Mapping[str, Entry]:
    """The entries under one of the model's names, in any case, and under what those point to."""
    low = data.lower()
    found: dict[int, tuple[str, Entry]] = {}
    sought: set[str] = set()
    wanted = {part.lower() for name in spellings(model) for part in (name, name.partition("/")[2]) if part}
    while wanted:
        new = {at: entry for at, end in _places(low, wanted) if (entry := _entry(data, at, end)) is not None}
        found |= new
        sought |= wanted
        targets = (value.get("alias_of") for _, value in new.values())
        wanted = {target.lower() for target in targets if isinstance(target, str)} - sought
    at = data.find(f'"{RULES}"'.encode())
    if at >= 0 and (brace := _brace(data, at + len(RULES) + 2)) is not None:
        found[at] = (RULES, _object(data, brace))
    return dict(found[at] for at in sorted(found))


def _places(low: bytes, names: Set[str]) -> Iterator[tuple[int, int]]:
    """Where one of the names stands as a JSON text, quotes included; `low` is the file in lower case."""
    if not all(map(_PLAIN.fullmatch, names)):  # JSON may spell it in another way
        raise _TooHard
    # Looked for by its end, a name is found with and without its provider in one go.
    for tail in {name.partition("/")[2] or name for name in names}:
        needle = tail.encode() + b'"'
        at = low.find(needle)
        while at >= 0:
            end = at + len(needle)
            start = low.rfind(b'"', 0, at)
            if low[start + 1 : end - 1].decode("latin-1") in names:
                yield start, end
            at = low.find(needle, end)


def _entry(data: bytes, at: int, end: int) -> tuple[str, Entry] | None:
    """The entry whose key is the text between `at` and `end`; None for a text that is a value, or a key of one."""
    if not data[end : end + _PIECE].lstrip().startswith(b":"):
        if not data[max(0, at - _PIECE) : at].rstrip().endswith(b":"):  # in a list: maybe an alias
            raise _TooHard
        return None
    brace = _brace(data, end)
    if brace is None:
        return None
    if data.count(b"{", 0, at) - data.count(b"}", 0, at) != 1:  # deeper in an entry, or braces stand in texts
        raise _TooHard
    return data[at + 1 : end - 1].decode(), _object(data, brace)


def _brace(data: bytes, end: int) -> int | None:
    """Where the object begins that is the value of the key before `end`; None for another value."""
    value = data[end : end + _PIECE].lstrip()[1:].lstrip()
    return data.index(b"{", end) if value.startswith(b"{") else None


def _object(data: bytes, at: int) -> Entry:
    """The object that begins at this brace, whatever follows it. Raises ValueError when it is broken."""
    size = _PIECE
    while True:
        try:
            value: Entry = json.JSONDecoder().raw_decode(data[at : at + size].decode(errors="replace"))[0]
        except ValueError:
            if at + size >= len(data):
                raise
            size *= 4
        else:
            return value

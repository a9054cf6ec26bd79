"""Marking: a MEMORY.md as everything but its own file holds it: with marks where secrets stand, row by row the same.

What a line holds is judged as the gate judges a claim. A mark is followed by the line ends of what it stands for, so
that a line has the same number in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agentmem.domain.claim import Scope
from agentmem.domain.places import Places
from agentmem.memory.stores import whereabouts
from agentmem.memory.stores.bullets import Bullet, keyed, parse
from agentmem.memory.stores.whereabouts import Place
from agentmem.memory.write import redact

_KEPT = 64 * 1024  # bytes of a file from which on what was found is worth keeping
_ENDS = re.compile(r"\r\n|\r|\n")
_ID = re.compile(r"(?m)[ \t]\^[A-Za-z0-9-]+[ \t]*$")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret of a file: its first and last line (from 1), its kind, and what stands for it."""

    line: int
    last: int
    kind: str
    mark: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The bytes of a file with marks, and its secrets in their order; the same bytes where it has none."""

    data: bytes
    secrets: tuple[Secret, ...] = ()

    @property
    def rows(self) -> frozenset[int]:
        """The lines (from 1) that hold secrets."""
        return frozenset(row for one in self.secrets for row in range(one.line, one.last + 1))

    def text(self) -> str:
        """The text, read as MEMORY.md is read."""
        text = self.data.decode("utf-8-sig", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def withheld(self) -> dict[str, Bullet]:
        """The lines that would be beliefs and hold a secret, by their ids (of their marked text, where they have no id
        of their own)."""
        if not self.secrets:
            return {}
        rows = self.rows
        return {key: one for key, one in keyed(parse(self.text())).items() if holds(one, rows)}


def holds(bullet: Bullet, rows: frozenset[int]) -> bool:
    """Whether a belief stands on one of these lines."""
    return any(row in rows for row in range(bullet.at, bullet.end + 1))


def marked(data: bytes, scope: Scope, places: Places) -> Marked:
    """The bytes of a level's MEMORY.md with marks. What was found in them before need not be looked for again."""
    return _marked(data, places.home, (places.home if scope == "user" else places.shared) / whereabouts.NAME)


def raw(version: bytes, now: bytes, scope: Scope, places: Places) -> bytes:
    """A version that was kept with marks, with the secrets that these marks stand for in the bytes of `now`."""
    text, here = version.decode("utf-8", "surrogateescape"), now.decode("utf-8", "surrogateescape")
    if "[redacted: " not in text:
        return version
    known = {mark: here[start:end] for start, end, mark, _ in _found(now, places.home, None)}
    marks = sorted(known, key=len, reverse=True)
    if not marks:
        return version
    form = re.compile("|".join(map(re.escape, marks)))
    return form.sub(lambda found: known[found[0]], text).encode("utf-8", "surrogateescape")


@lru_cache(8)
def _marked(data: bytes, home: Path, kept: Path) -> Marked:
    found = _found(data, home, kept)
    if not found:
        return Marked(data)
    text = data.decode("utf-8", "surrogateescape")
    out: list[str] = []
    secrets: list[Secret] = []
    at, line = 0, 1
    for start, end, mark, kind in found:
        line += len(_ENDS.findall(text, at, start))
        last = line + len(_ENDS.findall(text, start, end))
        secrets.append(Secret(line, last, kind, mark.rstrip()))
        out += (text[at:start], mark)
        at, line = end, last
    return Marked("".join((*out, text[at:])).encode("utf-8", "surrogateescape"), tuple(secrets))


def _found(data: bytes, home: Path, kept: Path | None) -> list[Place]:
    """The secrets of a file; `kept` is where what was found is kept."""
    text = data.decode("utf-8", "surrogateescape")
    worth = kept is not None and (len(data) > _KEPT or redact.named(text) or redact.token_like(text))
    key = whereabouts.key_of(data) if worth else ""
    if kept is not None and worth and (known := whereabouts.read(kept, key, home)) is not None:
        return known
    redactor = redact.sealed(home)
    found: list[Place] = []
    for start, end, kind in _spans(text):
        value = text[start:end]
        found.append((start, end, redactor.mark(kind, value) + "".join(_ENDS.findall(value)), kind))
    if kept is not None and worth:
        whereabouts.write(kept, key, found, home)
    return found


def _spans(text: str) -> list[redact.Span]:
    """Where secrets stand: in the text as a whole, in each of its lines, and in lines that are one belief together."""
    if "\r" in text:  # line ends that the rules know, each letter at its place
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    text = _ID.sub(lambda own: " " * len(own[0]), text)  # the id at a line's end is none of its words
    found = redact.said(text)
    at = 0
    for row in text.split("\n"):
        found += [(at + start, at + end, kind) for start, end, kind in _beyond(row)]
        at += len(row) + 1
    found += _wrapped(text)
    found = redact.unmarked(found, text)
    return redact.apart([*found, *redact.again(found, text)])


@lru_cache(1 << 15)
def _beyond(row: str) -> tuple[redact.Span, ...]:
    """What only a closer look finds in a line; most lines have nothing to look at."""
    if not redact.named(row) and not redact.token_like(row):
        return ()
    from agentmem.memory.write import secrecy

    return tuple(secrecy.beyond(row))


def _wrapped(text: str) -> Iterator[redact.Span]:
    """The secrets that show only where the lines of a belief are read as one."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for one in parse(text.removeprefix("\ufeff")):
        if one.end > one.at:
            first = starts[one.at - 1]
            last = starts[one.end] if one.end < len(starts) else len(text)
            for start, end, kind in redact.apart([*redact.said(one.text), *_beyond(one.text)]):
                form = r"\s+".join(map(re.escape, one.text[start:end].split()))
                found = re.compile(form).search(text, first, last) if form else None
                if found is not None:
                    yield (*found.span(), kind)

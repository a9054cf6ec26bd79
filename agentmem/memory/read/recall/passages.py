"""Passages: a record as the index holds it: the stems of its passages, and what ranking wants to know of it.

A text of over 600 characters is cut at line ends into passages of about that many; a hit in one is a hit of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from agentmem.memory.read.recall.altered import may_state, states
from agentmem.memory.read.recall.terms import all_terms, terms
from agentmem.memory.stores.index import MOST_PIECES, Column, Piece, Turn

PERSON, AGENT, TOOL, FILE = range(4)
DATED, LONG = 1, 2

PASSAGE = 600  # characters
SHORT_QUESTION = 8  # words; a longer sentence that ends in a question mark states things as well

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_TIMES = (
    "yesterday today tonight tomorrow ago last next week weekend month year day morning recently since soon upcoming "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


@cache
def _times() -> frozenset[str]:
    return frozenset(stem for word in (*_TIMES.split(), *_MONTHS) for stem in terms(word))


@dataclass(frozen=True, slots=True)
class Record:
    """What is found or not: a message, an episode, a section of a file. `place` and `size` are bytes of its file; `at`
    is a time (``2026-11-30T09:14:03Z``) or a day; `speaker` a name that was given. `called` is what an agent handed to
    tools."""

    ref: str
    at: str
    who: int
    text: str
    place: int
    size: int
    speaker: str = ""
    called: str = ""


def passages(text: str) -> list[str]:
    """The passages of a text, in order."""
    if len(text) <= PASSAGE:
        return [text]
    found: list[str] = []
    now = ""
    for line in _lines(text):
        if now and len(now) + len(line) > PASSAGE:
            found.append(now)
            now = ""
        now += line + "\n"
    return [*found, now] if now.strip() else found


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        rest = line
        while len(rest) > 2 * PASSAGE:
            cut = rest.rfind(" ", 0, PASSAGE) + 1 or PASSAGE
            yield rest[:cut]
            rest = rest[cut:]
        yield rest


def held(own: int, record: Record) -> tuple[Turn, list[Piece]]:
    """A record as the index holds it under the id `own`."""
    cut = passages(record.text)
    column: Column = "kept" if record.who == FILE else "own" if record.who == PERSON else "other"
    read = all_terms if record.who == FILE else terms
    head = [*day_terms(record.at), *terms(record.speaker)]
    said = [found for text in cut if (found := read(text))]
    called = [found for text in (passages(record.called) if record.called else ()) if (found := terms(text))]
    stems = frozenset(chain.from_iterable(said))
    dated = not _times().isdisjoint(stems) or any(map(_YEAR.fullmatch, stems))
    flags = (DATED if dated else 0) | (LONG if len(cut) > 1 else 0)
    long, tool = len(cut) > 1, record.who == TOOL
    pieces = [
        Piece(own, number, column, " ".join([*head, *found]), long, tool)
        for number, found in enumerate(said[:MOST_PIECES])
    ]
    pieces += [
        Piece(own, number, "other", " ".join(found), long, tool, called=True)
        for number, found in enumerate(called[:MOST_PIECES])
    ]
    size = sum(len(found) for found in said) + len(head) * len(said)
    stated = states(record.text) if record.who in (PERSON, FILE) and may_state(record.text, stems) else ""
    asks = round(asking(record.text), 2) if "?" in record.text else 0.0
    turn = Turn(own, record.ref, record.at, record.place, record.size, record.who, asks, size, flags, stated)
    return turn, pieces


def asking(text: str) -> float:
    """The share of a text that only asks, from 0 to 1."""
    every = _SENTENCE.findall(text)
    whole = sum(map(len, every)) or 1
    asked = (len(one) * min(1.0, SHORT_QUESTION / len(one.split() or "?")) for one in every if "?" in one)
    return sum(asked) / whole


def day_terms(at: str) -> list[str]:
    """A day as a text would say it: day, month, year."""
    year, month, day = at[:4], at[5:7], at[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return []
    return [str(int(day)), *terms(_MONTHS[int(month) - 1]), year]

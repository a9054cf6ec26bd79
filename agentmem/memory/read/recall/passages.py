"""Passages: a record as the index holds it: the stems of its passages, and what ranking wants to know of it.

A text of over 600 characters is cut at line ends into passages of about that many; a hit in one is a hit of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from agentmem.memory.read.recall import altered
from agentmem.memory.read.recall.terms import TIMED, Lexicon, terms, unmarked
from agentmem.memory.stores.index import MOST_PIECES, Piece, PieceRow, Turn, TurnRow, piece_of, piece_row

PERSON, AGENT, TOOL, FILE = range(4)
DATED, LONG, TO_YOU, NAMING = 1, 2, 4, 8
SPEAKER, _MOST_NAMES = 16, 15
"""`flags` from this one on count the stems of the speaker's name."""
_STATING = (PERSON, FILE)

PASSAGE = 600  # characters
SHORT_QUESTION = 8  # words; a longer sentence that ends in a question mark states things as well

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_YOU = re.compile(r"\byou(?:r|rs|rself|rselves)?\b", re.I)
_ME = re.compile(r"\b(?:I|me|my|myself|we|our|ours|ourselves)\b", re.I)
# Within a sentence; the second word of a text is mostly whom it greets.
_NAME = re.compile(r"(?<=[^\W\d_A-Z] )(?!I\b)[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_TIMES = (
    "yesterday today tonight tomorrow ago last next week weekend month year day morning recently since soon upcoming "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)


@cache
def _lexicon(stops: bool) -> Lexicon:
    """What records are read with; it marks what names a time (the years from 1900 to 2099 do), and what may state
    a change."""
    marks = dict(altered.MARKS)
    for stem in terms(" ".join((_TIMES, *_MONTHS, *map(str, range(1900, 2100))))):
        marks[stem] = TIMED + altered.MARKS.get(stem, "")
    return Lexicon(stops=stops, marks=marks)


class Record(NamedTuple):
    """What is found or not: a message, an episode, a section of a file. `place` and `size` are bytes of its file; `at`
    is a time (``2026-11-30T09:14:03Z``) or a day; `speaker` a name that was given. `called` is what an agent handed to
    tools. (Made for every line of a rebuild: a dataclass takes thrice the time.)"""

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
    turn, pieces = rows(own, record)
    return Turn(*turn), [piece_of(*piece) for piece in pieces]


def rows(own: int, record: Record) -> tuple[TurnRow, list[PieceRow]]:
    """The same as the rows of the index, the pieces by their rowids."""
    ref, at, who, text, place, size, speaker, called = record
    read = _lexicon(who == FILE).read
    cut = passages(text) if len(text) > PASSAGE else (text,)
    long = len(cut) > 1
    every = [read(one) for one in cut] if long else (read(text),)
    said = [found for one in every if (found := unmarked(one))]
    named = _named(speaker) if speaker else ""
    head = f"{_day(at[:10])}{named}"
    row = piece_row(own, long, who == TOOL)
    pieces = _pieces(who, row, [head + found[:-1] for found in said])
    if called:
        handed = [" ".join(given) for one in passages(called) if (given := terms(one))]
        pieces += _pieces(AGENT, piece_row(own, long, who == TOOL, called=True), handed)
    marked = "".join(every)
    count = marked.count(" ") + head.count(" ") * len(said)
    flags = (DATED if TIMED in marked else 0) | (LONG if long else 0) | (_talks(text, named) if named else 0)
    stated = altered.states(text) if who in _STATING and altered.may_state(text, marked) else ""
    asks = round(asking(text), 2) if "?" in text else 0.0
    return (own, ref, at, place, size, who, asks, count, flags, stated), pieces


def _pieces(who: int, row: int, every: list[str]) -> list[PieceRow]:
    """The rows of the passages of a text, each in the column of whoever says it."""
    numbered = enumerate(every[:MOST_PIECES], row)
    if who == PERSON:
        return [(number, one, None, None) for number, one in numbered]
    return [(number, None, None, one) if who == FILE else (number, None, one, None) for number, one in numbered]


def _talks(text: str, named: str) -> int:
    """What is asked of talk between people with names: whether it speaks of the other alone ("Wow, you did well!"),
    whether it holds a name, and how many stems the speaker's own has."""
    to_you = _YOU.search(text) is not None and _ME.search(text) is None
    naming = _NAME.search(text, text.find(" ", text.find(" ") + 1) + 1) is not None
    return (TO_YOU if to_you else 0) | (NAMING if naming else 0) | SPEAKER * min(_MOST_NAMES, named.count(" "))


def speaker(turn: Turn, terms: str) -> list[str]:
    """The stems of the name of whoever says a record, of which `terms` are the stems of a piece; none without one."""
    before = _day(turn.at[:10]).count(" ")
    last = before + turn.flags // SPEAKER
    return terms.split(" ", last)[before:last]


def _named(speaker: str) -> str:
    return "".join(f"{stem} " for stem in terms(speaker))


def asking(text: str) -> float:
    """The share of a text that only asks, from 0 to 1."""
    every = _SENTENCE.findall(text)
    whole = sum(map(len, every)) or 1
    return sum([len(one) * min(1.0, SHORT_QUESTION / len(one.split() or "?")) for one in every if "?" in one]) / whole


def day_terms(at: str) -> list[str]:
    """A day as a text would say it: day, month, year."""
    return _day(at[:10]).split()


@lru_cache(maxsize=1 << 12)
def _day(at: str) -> str:
    """The same with a blank behind each."""
    year, month, day = at[:4], at[5:7], at[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return ""
    return f"{int(day)} {' '.join(terms(_MONTHS[int(month) - 1]))} {year} "

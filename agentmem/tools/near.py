"""Near: for a text that a file does not hold, the lines most like it and how they differ.

Only ever shown, never applied. Linear in the file: one loosened search, then a vote of the words both have.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from agentmem.tools.difference import differences, loosened

TEXT_MOST = 8_000_000  # characters of a file that are searched
SHOW_MOST = 12  # lines
_WIDTH = 240  # characters of a line
_WORDS_MOST = 24
_HITS_MOST = 300  # of a word; one that is met more often says nothing
_SAMPLE = 2_000  # lines compared letter pair by letter pair when no word helps

_NUMBERED = re.compile(r"^[ \t]*\d+(?:\t|→|\||: ?)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Near:
    """Lines of the file, `first` the number of the first of them, and hints on how they differ from what was wanted."""

    first: int
    lines: tuple[str, ...]
    hints: tuple[str, ...]


def nearest(text: str, old: str) -> Near:
    """The lines of `text` most like `old`; both with LF as line end, as they are shown to a model."""
    text = text[:TEXT_MOST]
    rows = text.split("\n")
    loose = loosened(text)
    readings = _readings(old)
    for reading, hint in readings:
        wanted = reading.split("\n")
        first = _loosely(loose, wanted)
        if first is not None:
            found = rows[first : first + len(wanted)]
            hints = ([hint] if hint else []) + differences(found, wanted)
            return _near(rows, first, wanted, hints)
    reading, hint = readings[-1]
    wanted = reading.split("\n")
    first = _voted(text, rows, wanted)
    return _near(rows, _alike(rows, wanted) if first is None else first, wanted, [hint] if hint == _PREFIX else [])


_PREFIX = "old begins with line numbers, which `read` shows but the file does not hold: leave them out"
_ESCAPES = 'old holds escapes such as \\n or \\" where the file has the signs themselves'


def _readings(old: str) -> list[tuple[str, str]]:
    """What may be meant by `old`: itself, and it without escapes or line numbers, each with the hint for that."""
    found = [(old, "")]
    if "\\" in old:
        plain = (
            old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\")
        )
        found.append((plain, _ESCAPES))
    filled = sum(1 for line in old.split("\n") if line.strip())
    if filled and len(_NUMBERED.findall(old)) == filled:
        found.append((_NUMBERED.sub("", old), _PREFIX))
    return found


def _loosely(loose: str, wanted: Sequence[str]) -> int | None:
    """The index of the first line at which `wanted` stands in the loosened text, None when it does not."""
    target = loosened("\n".join(wanted)).strip("\n")
    if not target:
        return None
    ahead = next(index for index, line in enumerate(wanted) if line.strip())
    at = loose.find(target)
    return None if at < 0 else max(0, loose.count("\n", 0, at) - ahead)


def _voted(text: str, rows: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The row that the rare words of `wanted` point to as its first; None when no word is of use."""
    words: dict[str, int] = {}
    for offset, line in enumerate(wanted[:200]):
        for word in _words(line):
            words.setdefault(word, offset)
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row) + 1)
    votes: defaultdict[int, float] = defaultdict(float)
    for word in sorted(words, key=len, reverse=True)[:_WORDS_MOST]:
        hits = _hits(text, word)
        for at in hits if len(hits) < _HITS_MOST else ():
            votes[max(0, bisect_right(starts, at) - 1 - words[word])] += len(word) / len(hits)
    return min(votes, key=lambda row: (-votes[row], row)) if votes else None


def _words(line: str) -> list[str]:
    return re.findall(r"[^\W_]{2,}", line[:2_000])


def _hits(text: str, word: str) -> list[int]:
    found: list[int] = []
    at = text.find(word)
    while at >= 0 and len(found) < _HITS_MOST:
        found.append(at)
        at = text.find(word, at + len(word))
    return found


def _alike(rows: Sequence[str], wanted: Sequence[str]) -> int:
    """The row that shares most letter pairs with the first line wanted."""
    line = next((line for line in wanted if line.strip()), "")
    pairs, letters = _pairs(line), set(line.casefold())

    def likeness(index: int) -> tuple[float, int]:
        row = rows[index][:_WIDTH]
        others = _pairs(row)
        both = 2 * len(pairs & others) + len(letters & set(row.casefold())) / 100
        return both / (len(pairs) + len(others) + 1), -index

    return max(range(min(len(rows), _SAMPLE)), key=likeness)


def _pairs(line: str) -> set[str]:
    line = line.strip()[:_WIDTH].casefold()
    return {line[index : index + 2] for index in range(len(line) - 1)}


def _near(rows: Sequence[str], first: int, wanted: Sequence[str], hints: Sequence[str]) -> Near:
    shown = rows[first : first + max(1, min(len(wanted) - (not wanted[-1]), SHOW_MOST))]
    lines = tuple(_clipped(row, line) for row, line in zip(shown, [*wanted, ""], strict=False))
    return Near(first + 1, lines, tuple(hints))


def _clipped(row: str, line: str) -> str:
    """A row, or of a long one the part around the longest word of `line`."""
    if len(row) <= _WIDTH:
        return row
    ranked = sorted(_words(line), key=len, reverse=True)
    column = next((at for word in ranked if (at := row.find(word)) >= 0), 0)
    start = max(0, min(column - _WIDTH // 2, len(row) - _WIDTH))
    end = start + _WIDTH
    return f"{'…' if start else ''}{row[start:end]}{'…' if end < len(row) else ''}"

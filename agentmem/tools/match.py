"""Match: where a text stands in a file's bytes, exactly, whichever of the two kinds of line end each line has.

LF in the request stands for the LF or CRLF of the file, and a new text takes the ends of what it replaces. Nothing else
is loose.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

FIND_MOST = 1_000  # matches that are told apart when only one may be


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end` of a file, and what they become."""

    start: int
    end: int
    new: bytes


class Folded:
    """A file's bytes with every CRLF as LF, and the way back to the places in the file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = fold(data)
        crlf = re.finditer(rb"\r\n", data) if len(self.text) != len(data) else ()
        self._crlf = [match.start() - before for before, match in enumerate(crlf)]

    def find(self, old: bytes, overlapping: bool) -> list[int]:
        """The places of folded, not empty `old` in the folded text, in order: all of them from left to right, or, with
        `overlapping`, each place where it could be meant (at most `FIND_MOST`)."""
        found: list[int] = []
        at = self.text.find(old)
        while at >= 0 and not (overlapping and len(found) == FIND_MOST):
            found.append(at)
            at = self.text.find(old, at + (1 if overlapping else len(old)))
        return found

    def ends_within(self, old: bytes) -> bool:
        """Whether folded `old`, its last byte a carriage return, also stands where that byte is half of a CRLF."""
        places = self.find(old[:-1] + b"\n", overlapping=True) if old.endswith(b"\r") and self._crlf else []
        ends = [at + len(old) - 1 for at in places]
        return any(self._crlf[index : index + 1] == [end] for end in ends for index in [bisect_left(self._crlf, end)])

    def span(self, at: int, length: int, new: bytes) -> Span:
        """The file's bytes behind `length` folded bytes at `at`, with folded `new` in the line ends that go there."""
        start, end = self._place(at), self._place(at + length)
        ends = re.findall(rb"\r?\n", self.data[start:end]) or [self._near_end(start, end)]
        first, *rest = new.split(b"\n")
        parts = [first]
        for number, part in enumerate(rest):
            parts += [ends[min(number, len(ends) - 1)], part]
        return Span(start, end, b"".join(parts))

    def _place(self, at: int) -> int:
        return at + bisect_left(self._crlf, at)

    def _near_end(self, start: int, end: int) -> bytes:
        """The end of the line around a match that spans none: the one after it, else the one before."""
        at = self.data.find(b"\n", end)
        if at < 0:
            at = self.data.rfind(b"\n", 0, start)
        return b"\r\n" if at > 0 and self.data[at - 1 : at] == b"\r" else b"\n"


def fold(text: bytes) -> bytes:
    """The bytes with every CRLF as LF."""
    return text.replace(b"\r\n", b"\n")


def overlap(spans: Sequence[tuple[int, Span]]) -> tuple[int, int] | None:
    """The labels of two spans that share bytes, None when none do. Touching spans share none."""
    ordered = sorted(spans, key=lambda pair: (pair[1].start, pair[1].end))
    for (one, before), (other, after) in pairwise(ordered):
        if after.start < before.end:
            return min(one, other), max(one, other)
    return None


def applied(data: bytes, spans: Sequence[Span]) -> bytes:
    """The bytes with every span replaced; the spans must not overlap."""
    parts, at = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        parts += [data[at : span.start], span.new]
        at = span.end
    return b"".join([*parts, data[at:]])

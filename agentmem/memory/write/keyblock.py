"""Key blocks: private keys between their BEGIN and END lines, whole or cut off at either end."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

KIND = "private key"
_MARKER = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
# A run of base64 long enough to be key material, not a word.
_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}")
# What follows a BEGIN without END, or goes before an END without BEGIN: base64, also in numbered or quoted lines.
_MOST = 64 * 1024
_LINE = re.compile(r"[\s\d:|\\nr\"'+,>→-]{0,40}([A-Za-z0-9+/=]{16,})")
_REST = re.compile(r"[\s\d:|\\nr\"'+,>→-]{0,40}[A-Za-z0-9+/=]{1,15}")
_PUTTY = re.compile(r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{4,}\s+)+)")


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the private keys of a text stand, with their markers."""
    if "PRIVATE KEY" in text and "-----" in text:
        yield from _blocks(text)
    if "Private-Lines: " in text:
        yield from ((found.start(1), found.end(1), KIND) for found in _PUTTY.finditer(text))


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    begun: re.Match[str] | None = None
    done = 0
    for marker in _MARKER.finditer(text):
        if marker[1] == "BEGIN":
            if begun is not None:
                done = yield from _cut_off(text, begun, marker.start())
            begun = marker
        elif begun is not None:
            if _is_key(text, begun.end(), marker.start()):
                yield begun.start(), marker.end(), KIND
            begun, done = None, marker.end()
        else:
            start = _before(text, max(done, marker.start() - _MOST), marker.start())
            if start < marker.start():
                yield start, marker.end(), KIND
            done = marker.end()
    if begun is not None:
        yield from _cut_off(text, begun, len(text))


def _is_key(text: str, start: int, end: int) -> bool:
    """Whether what stands between two markers is mostly base64, not code or prose about keys."""
    inner = text[start:end]
    material = sum(len(run) for run in _RUN.findall(inner))
    return len(inner) <= _MOST and material * 2 >= len(inner.replace(" ", "")) > 0


def _cut_off(text: str, begun: re.Match[str], end: int) -> Generator[tuple[int, int, str], None, int]:
    """A key whose END is missing, up to `end`; gives where it ends."""
    at, stop = begun.end(), min(end, begun.end() + _MOST)
    material = 0
    while (line := _LINE.match(text, at, stop)) is not None:
        at = line.end()
        material += len(line[1])
    if (rest := _REST.match(text, at, stop)) is not None and text[rest.end() : rest.end() + 2].strip()[:1] in ("", "["):
        at = rest.end()  # the line in the middle of which it was cut off
    if material >= 40:
        yield begun.start(), at, KIND
    return at


def _before(text: str, start: int, end: int) -> int:
    """Where the lines of key material before `end` begin."""
    at = end
    while at > start:
        line = text.rfind("\n", start, at - 1) + 1 or start
        found = _LINE.match(text, line, at)
        if found is None or text[found.end() : at].strip("\\nr\"'+, \t\r\n"):
            return at
        at = line
    return at

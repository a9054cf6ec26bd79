"""Visible text: what a model or a tool wrote, made safe to show. Nothing in it can steer a terminal any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

# These reorder or hide what a person reads: bidirectional marks, line separators, the invisible tag characters.
_HIDING = (
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    0x200B,
    0x2028,
    0x2029,
    0x2060,
    0xFEFF,
    *range(0xE0000, 0xE0080),
)

# And these carry text unseen, or nothing at all: soft hyphen, fillers, invisible operators.
_UNSEEN = frozenset(
    (*_HIDING, 0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, *range(0x2061, 0x2065), 0x3164, 0xFFA0)
)

_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")
# Colours and line erasing are what honest tools send; they carry no text, so their loss hides nothing.
_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]")


@cache
def _table() -> dict[int, str]:
    """What each sign that is not shown as it is becomes; made when the first one comes."""
    # Control characters are shown as their Unicode pictures; a terminal obeys C1 (0x80 to 0x9f) like ESC sequences.
    pictures = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
    c1 = {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
    hiding = {code: f"<U+{code:04X}>" for code in _HIDING}
    surrogates = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    return {**pictures, 0x7F: "\u2421", **c1, **hiding, **surrogates}


def visible(text: str) -> str:
    """`text` with every control character but tab and newline shown as a sign; nothing is left out.

    Lone surrogates become U+FFFD, so that the result can be encoded.
    """
    return text if _PLAIN.fullmatch(text) else text.translate(_table())


def hidden(text: str) -> Iterator[tuple[int, str]]:
    """The characters of `text` that a person does not see or that reorder what they read, as (line, what): each kind
    once a line. A mark that joins emoji or an orthography's letters is none."""
    if _PLAIN.fullmatch(text):
        return
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        kinds = dict.fromkeys(code for letter in line.rstrip("\r") if _is_hidden(code := ord(letter)))
        for code in kinds:
            yield number, f"U+{code:04X}"


def without_hidden(text: str) -> str:
    """`text` without the characters that `hidden` tells of."""
    return text if _PLAIN.fullmatch(text) else "".join(one for one in text if one == "\n" or not _is_hidden(ord(one)))


def _is_hidden(code: int) -> bool:
    if code < 0x20:
        return code != 0x09
    return code in _UNSEEN or 0x7F <= code < 0xA0 or 0xE0000 <= code < 0xE0200


def settled(text: str) -> str:
    """Tool output as a terminal would leave it: colours dropped, progress lines overwritten, the rest `visible`."""
    if _PLAIN.fullmatch(text):
        return text
    lines = (line.rstrip("\r") for line in _COLOUR.sub("", text).split("\n"))
    return visible("\n".join(line[line.rfind("\r") + 1 :] for line in lines))

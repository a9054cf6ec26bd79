"""Visible text: what a model or a tool wrote, made safe to show. Nothing in it can steer a terminal any more."""

from __future__ import annotations

import re
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


def settled(text: str) -> str:
    """Tool output as a terminal would leave it: colours dropped, progress lines overwritten, the rest `visible`."""
    if _PLAIN.fullmatch(text):
        return text
    lines = (line.rstrip("\r") for line in _COLOUR.sub("", text).split("\n"))
    return visible("\n".join(line[line.rfind("\r") + 1 :] for line in lines))

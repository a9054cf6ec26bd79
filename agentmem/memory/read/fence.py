"""Fence: what is read from files stands between marks that its own text cannot close or open."""

from __future__ import annotations

import re

PROFILE = "profile-file"
INSTRUCTIONS = "instruction-file"
MEMORY = "memory-data"
STATE = "state-data"
HANDOFF = "handoff-data"
SKILL = "skill-body"
CARDS = "skill-cards"
RECALLED = "recalled-memory"

# Signs that nobody sees may stand between the ``<`` and the name, and before the slash.
_UNSEEN = r"\x00-\x20\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
_UNSEEN += r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
_MARKS = "|".join((PROFILE, INSTRUCTIONS, MEMORY, STATE, HANDOFF, SKILL, CARDS, RECALLED))
_MARK = rf"(?i)<(?=[\s/{_UNSEEN}]*(?:{_MARKS}))"


def block(mark: str, text: str, **attributes: str) -> str:
    """`text` between ``<mark name="value">`` and ``</mark>``, marks of ours inside it escaped."""
    named = "".join(f' {name.replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return f"<{mark}{named}>\n{escaped(text).strip()}\n</{mark}>"


def escaped(text: str) -> str:
    """`text` with the ``<`` of each of our marks written ``&lt;``."""
    return re.sub(_MARK, "&lt;", text) if "<" in text else text


def _value(text: str) -> str:
    """A path as one line that cannot end its attribute."""
    clean = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return clean.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")

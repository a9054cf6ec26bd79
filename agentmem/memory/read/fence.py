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

_MARKS = "|".join((PROFILE, INSTRUCTIONS, MEMORY, STATE, HANDOFF, SKILL, CARDS, RECALLED))
_MARK = rf"(?i)<(?=[\s/\u200b\u2060\ufeff]*(?:{_MARKS}))"


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

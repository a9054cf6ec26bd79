"""Cards: of each skill its name and description, in the part of a prompt that holds still, for a share of the window.

Where they do not fit, descriptions are cut first, all to one length; then the last skills are left out, and named.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from agentmem.domain.skill import Skill
from agentmem.memory.read import fence

SHARE = 0.01
"""Of the window."""
_BYTES_A_TOKEN = 4
_CUTS = (1024, 500, 250, 160, 100, 60)
"""Characters of a description."""
HEAD = "Skills tell how to do a kind of work. When one fits, get it by `skill` before you begin."


@dataclass(frozen=True, slots=True)
class Cards:
    """`text` is the block for the prompt, "" where nothing has room; `left_out` are the ids of skills without a card;
    `cut` is the length to which descriptions were cut, None for none."""

    text: str
    left_out: tuple[str, ...] = ()
    cut: int | None = None


def room(window: int) -> int:
    """Bytes that cards may take of a window of tokens."""
    return int(window * SHARE * _BYTES_A_TOKEN)


def cards(skills: Iterable[Skill], window: int) -> Cards:
    """The cards of the skills that a model may choose, in their order."""
    every = [skill for skill in skills if skill.for_model]
    if not every:
        return Cards("")
    limit = room(window)
    longest = max(len(_line(skill.description)) for skill in every)
    for length in _CUTS:
        text = _block([_card(skill, length) for skill in every])
        if len(text.encode()) <= limit:
            return Cards(text, (), length if longest > length else None)
    return _fewer(every, limit)


def _fewer(skills: Sequence[Skill], limit: int) -> Cards:
    """As many cards as fit, and a line that names the rest, as many names as fit."""
    rows = [_card(skill, _CUTS[-1]) for skill in skills]
    ends = list(accumulate((len(row.encode()) + 1 for row in rows), initial=len(_block([]).encode())))
    for count in range(min(bisect(ends, limit), len(rows)) - 1, -1, -1):
        rest = [skill.id for skill in skills[count:]]
        # A fifth of the room is for names.
        for named in (len(rest), 40, 12, 3, 0):
            note = _note(rest, named)
            if ends[count] + len(note) + 1 <= limit and (named == 0 or len(note) <= max(limit // 5, 60)):
                return Cards(_block([*rows[:count], note]), tuple(rest), _CUTS[-1])
    return Cards("", tuple(skill.id for skill in skills), None)


def _note(rest: Sequence[str], named: int) -> str:
    shown = ", ".join(rest[:named])
    more = ", …" if shown and named < len(rest) else ""
    return f"[{len(rest)} more not shown{f': {shown}{more}' if shown else ''}; `skill` takes their names too]"


def _block(rows: Sequence[str]) -> str:
    return fence.block(fence.CARDS, "\n".join((HEAD, *rows)))


def _card(skill: Skill, length: int) -> str:
    text = _line(skill.description)
    if len(text) > length:
        text = text[: length - 1].rstrip() + "…"
    return f"- {skill.id}: {text.replace('<', '&lt;').replace('>', '&gt;')}"


def _line(text: str) -> str:
    """A description on one line, without what a person does not see."""
    from agentmem.domain.visible import without_hidden

    return " ".join(without_hidden(text).split())

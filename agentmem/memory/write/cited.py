"""Cited: where in a talk the words of a claim stand that nobody but a tool, a file or an import said.

Provenance says whose word a claim is; this finds the line a person would look at to see for themselves. What the gate
itself answered to a claim is in the talk too, as the result of a call: it is nobody's word about the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentmem.domain.entry import Entry
from agentmem.domain.message import Origin, Text
from agentmem.memory.write import clause, statement
from agentmem.memory.write.provenance import Provenance

_ANSWERING = frozenset({"remember", "forget"})
_NUMBERED = re.compile(r"\s*\d+\t")  # as a read file's lines are shown
_LONGEST = 300  # characters of a passage


def without_answers(branch: Sequence[Entry]) -> list[Entry]:
    """The entries but for what the gate answered to the model's calls."""
    names: dict[str, str] = {}
    kept: list[Entry] = []
    for entry in branch:
        message = entry.message()
        if message is not None:
            if message.role == "tool" and names.get(message.call_id or "") in _ANSWERING:
                continue
            names |= {call.id: call.name for call in message.calls}  # an id may come again: the last call counts
        kept.append(entry)
    return kept


def cited(text: str, whose: Provenance, branch: Sequence[Entry]) -> Provenance:
    """The same, with the passage of those others that most of the claim's words stand in, where that is half of them
    or more."""
    if whose.principal not in ("tool", "import"):
        return whose
    words = list(dict.fromkeys(clause.content(text)))
    found = max(_passages(words, whose.spoken_by, branch), default=None, key=lambda one: one[0])
    return whose if found is None else replace(whose, entry=found[1], quote=found[2])


def _passages(words: Sequence[str], origin: Origin, branch: Sequence[Entry]) -> Iterator[tuple[int, str, str]]:
    """How many of the words stand in a passage, its entry, and the passage; the latest first."""
    for entry in reversed(branch):
        message = entry.message()
        for part in () if message is None else message.parts:
            if isinstance(part, Text) and part.origin == origin and _enough(words, part.text):
                yield from ((count, entry.id, one) for one in _pieces(part.text) if (count := _enough(words, one)))


def _pieces(text: str) -> Iterator[str]:
    for line in text.splitlines():
        row = _NUMBERED.sub("", line).strip()
        for piece in (row,) if len(row) <= _LONGEST else statement.pieces(row):
            yield piece if len(piece) <= _LONGEST else piece[:_LONGEST] + "…"


def _enough(words: Sequence[str], text: str) -> int:
    """How many of the words stand in a text; 0 where that is under half of them."""
    folded = clause.fold(text)
    count = sum(word in folded for word in words)
    return count if count * 2 >= len(words) else 0

"""Withholding: refused and queued words are kept out of what is written from a log; a note stands in their place.

A sentence says what was withheld when it holds most of the claim's content words, or a name of it that is told from
everyday words: an address or a path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.entry import Entry
from agentmem.memory.write import extract, wording
from agentmem.memory.write.withheld import mark as mark_of
from agentmem.memory.write.withheld import note

SHARE = 0.6  # of a claim's content words, from which on a sentence says it
_PIECES = re.compile(r"((?<=[.!?;。！？；])\s+|(?<=[。！？；])|\n+)")
_TELLING = re.compile(r"://|\w@\w|/\w+/|\w+\.\w+\.\w+")


@dataclass(frozen=True, slots=True)
class Withheld:
    """Claims whose words are not to be written: the content words of each and the note that stands for them."""

    claims: tuple[tuple[frozenset[str], str], ...] = ()

    def kept(self, text: str) -> str:
        """The text with a note in place of each sentence that says one of them; the same text where none does."""
        if not self.claims or not text:
            return text
        pieces = _PIECES.split(text)
        out = [piece if place % 2 else self._kept(piece) for place, piece in enumerate(pieces)]
        return "".join(out)

    def _kept(self, sentence: str) -> str:
        said = frozenset(wording.words(sentence))
        return next((note for words, note in self.claims if _says(said, words)), sentence)


def withheld(entries: Sequence[Entry], made: Sequence[tuple[str, bool]], home: Path) -> Withheld:
    """What the gate refused or queued in the entries of a turn, root first: claims that the model `made` (each with
    whether its call came to a verdict that was no refusal), and those that were read off what the person said. The log
    keeps their marks, not their words; `home` holds the key of the marks."""
    ruled = {
        mark: (str(entry.body.get("outcome")), str(entry.body.get("reason") or ""))
        for entry in entries
        if entry.type == "verdict" and isinstance(mark := entry.body.get("withheld"), str)
    }
    said = [(claim.text, True) for claim in extract.claims(entries)] if ruled else []
    found = []
    for text, ended_well in (*made, *said):
        outcome, reason = ruled.get(mark_of(text, home), ("" if ended_well else "refused", ""))
        if outcome and (words := frozenset(wording.words(text))):
            found.append((words, note(None, f"a claim that was {outcome}{f', {reason}' if reason else ''}")))
    return Withheld(tuple(found))


def _says(said: frozenset[str], claim: frozenset[str]) -> bool:
    shared = said & claim
    if any(_TELLING.search(word) for word in shared):
        return True
    return len(shared) >= max(1, SHARE * len(claim)) and (len(shared) > 1 or len(claim) == 1)

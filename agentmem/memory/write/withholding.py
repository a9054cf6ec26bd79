"""Withholding: refused and queued words are kept out of what is written from a log; a note stands in their place.

A sentence says what was withheld when it holds most of the claim's content words, or a name of it that is told from
everyday words: an address or a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentmem.domain.entry import Entry
from agentmem.memory.write import wording

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


def withheld(entries: Sequence[Entry]) -> Withheld:
    """What the gate refused or queued in some entries of a log, root first."""
    found = []
    for text, outcome, reason in _ruled(entries):
        if outcome in ("refused", "queued") and (words := frozenset(wording.words(text))):
            found.append((words, f"[withheld: a claim that was {outcome}{f' ({reason})' if reason else ''}]"))
    return Withheld(tuple(found))


def _ruled(entries: Sequence[Entry]) -> Iterator[tuple[str, str, str]]:
    """The claims that were called for, each with the verdict that follows it; one without any counts as refused."""
    waiting: list[str] = []
    for entry in entries:
        message = entry.message()
        if message is not None and message.role == "assistant":
            yield from ((text, "refused", "") for text in waiting)
            calls = [call.arguments.get("text") for call in message.calls if call.name == "remember"]
            waiting = [text for text in calls if isinstance(text, str)]
        elif entry.type == "verdict" and waiting:
            outcome, reason = entry.body.get("outcome"), entry.body.get("reason")
            yield waiting.pop(0), str(outcome), reason if isinstance(reason, str) else ""
    yield from ((text, "refused", "") for text in waiting)


def _says(said: frozenset[str], claim: frozenset[str]) -> bool:
    shared = said & claim
    if any(_TELLING.search(word) for word in shared):
        return True
    return len(shared) >= max(1, SHARE * len(claim)) and (len(shared) > 1 or len(claim) == 1)

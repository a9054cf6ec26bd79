"""Extract: what the person plainly asserted in a turn, found by rules without a model, to be proposed to the gate.

Only the person's own parts of the last turn are read: never the prompt, recalled memories, piped input or files.
Whole sentences are taken as they stand; what speaks of the moment, asks, quotes, or leans on a sentence before it
("it is 8080") is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from agentmem.domain.claim import Claim
from agentmem.domain.entry import Entry
from agentmem.domain.message import Text
from agentmem.memory.write import lasting, screening, wording
from agentmem.memory.write.provenance import stated

MOST = 5
"""Claims a turn; who writes more than that in one message writes a document, not a wish."""
_LONGEST = 240
_SHORTEST = 2
_LEAD = re.compile(
    r"^(?:(?:please|also|and|but|so|ok(?:ay)?|well|btw|by the way|fyi|note(?: that)?|remember(?: that)?|actually|yes|"
    r"no|"
    r"hi|hello|hey|thanks|important|in general|generally)[,:!]?\s+)+",
    re.IGNORECASE,
)

# What someone who wishes for something adds to it, of how they feel or what they ask; it is no part of the wish.
_TAIL = re.compile(
    r",? (?:which is why\b|(?:and|but|so) (?:i|we)(?:'m| am|'re| are) (?:\w+ )?(?:hoping|wondering|excited|curious|"
    r"trying)\b|(?:so )?(?:can|could|would|will) you\b).*",
    re.IGNORECASE,
)


def claims(branch: Sequence[Entry]) -> list[Claim]:
    """What the last turn of a branch asserts, at most five, in the order it was said, each once."""
    found: dict[tuple[str, ...], Claim] = {}
    for entry, sentence in _said(_last_turn(branch)):
        text = _TAIL.sub("", _LEAD.sub("", sentence)).strip()
        if asserts(text):
            found.setdefault(tuple(wording.words(text)), Claim(_capital(text), entry=entry.id, quote=sentence))
    return list(found.values())[:MOST]


def asserts(text: str) -> bool:
    """Whether a sentence states something that is to hold beyond the moment."""
    if len(text) > _LONGEST or len(wording.words(text)) < _SHORTEST or text.endswith((":", "?", "…", ",")):
        return False
    return lasting.lasting(text) and (screening.screen(text) is None or _orders(text))


def _orders(text: str) -> bool:
    """A standing order is the person's to give; anything else that a screen finds is not taken unasked."""
    found = screening.screen(text)
    return found is not None and found.kind == "order"


def _last_turn(branch: Sequence[Entry]) -> Iterable[Entry]:
    """The entries since the last message of the person."""
    turn: list[Entry] = []
    for entry in reversed(branch):
        turn.append(entry)
        if entry.type == "message" and entry.body.get("role") == "user" and entry.body.get("notice") is not True:
            break
    return reversed(turn)


def _said(turn: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    for entry in turn:
        message = entry.message()
        if message is None or message.role != "user":
            continue
        for part in message.parts:
            if isinstance(part, Text) and part.origin == "person":
                yield from ((entry, sentence) for sentence in stated(part.text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

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
from agentmem.memory.write import screening, wording
from agentmem.memory.write.provenance import sentences

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
_ASSERTS = re.compile(
    r"^(?:my (?:\w+ ){1,4}(?:is|are)\b|our (?:\w+ ){1,5}(?:is|are|live|lives|runs?)\b"
    r"|(?:we|i)(?: now| always| never| only| generally| usually| both| all| don't| do not)* (?:use|prefer|require|"
    r"avoid|"
    r"deploy|follow|target|support|keep|name|format|run (?:on|our)|host|store)\b"
    r"|(?:we|i)(?: have|'ve)? (?:just |now |finally |all )?(?:decided|agreed|chose|chosen|settled|switched|migrated|"
    r"moved|"
    r"standardi[sz]ed|adopted|going with|went with)\b"
    r"|(?:i|we)(?:'d| would)? (?:really |strongly |much )?(?:prefer|like (?:my|our|your|all|code|tabs|spaces|short|"
    r"concise|answers)|hate|dislike|love)\b"
    r"|(?:the|this) (?:project|repo|repository|codebase|code base|team|service|app|api) (?:\w+ )?(?:uses?|runs?|"
    r"requires?|"
    r"targets?|follows?|supports?|deploys?|is written|is licensed)\b"
    r"|(?:always|never)\s+\w+|call me \w+"
    r"|(?:from now on|in (?:this|the) (?:project|repo|codebase|repository)|as a rule|by convention|by default),?\s)",
    re.IGNORECASE,
)
# A wish for this very moment, an unfinished thought, or something that leans on what was said before it.
_NOT = re.compile(
    r"\b(?:maybe|perhaps|might|probably|i think|i guess|not sure|i wonder|let's|lets|trying|want to|would like to|"
    r"need to|"
    r"if|unless|hopefully|wish|imagine|suppose|pretend|example|e\.g\.|such as|for instance|as follows|below|above|"
    r"attached|"
    r"yesterday's|error|following|please (?:fix|help|check|look|explain|show|tell|write|add|make|run|change))\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"^(?:it|this(?! (?:project|repo|repository|codebase|code|team|service|app|api)\b)|that|these|"
    r"those|he|she|they|him|her|them|there|which|here)\b",
    re.IGNORECASE,
)
_LEANS_WITHIN = re.compile(
    r"\b(?:it|this one|that one|these|those|him|her|them|his|hers|their|the same|the latter|the former)\b", re.I
)


def claims(branch: Sequence[Entry]) -> list[Claim]:
    """What the last turn of a branch asserts, at most five, in the order it was said, each once."""
    found: dict[tuple[str, ...], Claim] = {}
    for entry, sentence in _said(_last_turn(branch)):
        text = _LEAD.sub("", sentence).strip()
        if asserts(text):
            found.setdefault(tuple(wording.words(text)), Claim(_capital(text), entry=entry.id, quote=sentence))
    return list(found.values())[:MOST]


def asserts(text: str) -> bool:
    """Whether a sentence states something that is to hold beyond the moment."""
    if len(text) > _LONGEST or len(wording.words(text)) < _SHORTEST or text.endswith((":", "?", "…", ",")):
        return False
    if not _ASSERTS.match(text) or _NOT.search(text) or _LEANS.match(text) or _LEANS_WITHIN.search(text):
        return False
    return screening.screen(text) is None or _orders(text)


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
                yield from ((entry, sentence) for sentence in sentences(part.text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

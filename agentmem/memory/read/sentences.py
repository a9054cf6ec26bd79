"""Sentences: those of a talk that decide something or bind the agent, found by the words they are made with."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 400
"""Characters; a longer sentence is no sentence but data."""
SHORTEST = 4
WHOLE = 300
"""Characters of a line that is kept whole: reasons stand beside what they are reasons for."""

_SPLIT = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_BULLET = re.compile(r"(?:[-*+>•]|\d{1,3}[.)]|#{1,6})\s+")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_BINDING = re.compile(
    r"\b(?:never|always|must(?:n['’]t)?|do not|don['’]?t|cannot|only|instead|prefer|avoid|no longer|not allowed|"
    r"forbidden|make sure|ensure|require[sd]?|at (?:most|least)|without (?:asking|touching|changing)|keep|"
    r"stick (?:to|with)|leave .{1,40} alone|should(?:n['’]t)?|unless|until|"
    r"nicht|immer|niemals|jamais|toujours|nunca|siempre)\b|"
    r"必须|不要|禁止|总是|只能|必ず|しないで|禁止",
    re.IGNORECASE,
)
_DECIDING = re.compile(
    r"\b(?:decid(?:e|ed|es|ing)|decision|agreed|let['’]?s (?:use|go|keep|make|do|not|drop|switch|try|stick|add|remove)|"
    r"we(?:['’]ll| will| shall|['’]re going to)? (?:use|go with|keep|prefer|drop|switch|stick)|go(?:ing)? with|"
    r"settled on|cho(?:ose|se|sen)|opt(?:ed)? (?:for|to)|rather than|in favou?r of|switch(?:ed|ing)? (?:to|from)|"
    r"from now on|use .{1,60} for|instead of|because of|entschieden|statt|plutôt que|en vez de)\b|"
    r"决定|而不是|改用|決定|決め|代わりに",
    re.IGNORECASE,
)
_AGENT_DECIDING = re.compile(
    r"\b(?:decid(?:ed|ing)|decision|settled on|cho(?:ose|se|sen)|opted (?:for|to)|going with|"
    r"we(?:['’]ll| will)? (?:go with|use|keep)|rather than|in favou?r of|instead of)\b|决定|而不是|決定|代わりに",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"(?:(?:let me|now let|let['’]s see|i need to|i should|i['’]ll (?:now|first)|wait)\b)", re.IGNORECASE
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text that is no code, without the bullets before them; a short line is one, whole."""
    for place, block in enumerate(_FENCE.split(text)):
        if place % 2:  # between two fences
            continue
        for line in block.split("\n"):
            for piece in (line,) if len(line) <= WHOLE else _SPLIT.split(line):
                one = piece.strip()
                while (bullet := _BULLET.match(one)) is not None:
                    one = one[bullet.end() :]
                if SHORTEST <= len(one) <= LONGEST and (" " in one or _UNSPACED.search(one)):
                    yield one


def binding(text: str) -> list[str]:
    """What the person binds the agent to in a text of theirs, verbatim, questions left out."""
    return [one for one in sentences(text) if _says(_BINDING, one)] if _BINDING.search(text) else []


def decided(text: str, *, person: bool) -> list[str]:
    """The sentences of a text that decide something, verbatim; an agent must use plainer words than a `person`."""
    if person:
        return [one for one in sentences(text) if _says(_DECIDING, one) or _says(_BINDING, one)]
    if _AGENT_DECIDING.search(text) is None:
        return []
    return [one for one in sentences(text) if not _TALK.match(one) and _says(_AGENT_DECIDING, one)]


def _says(pattern: re.Pattern[str], line: str) -> bool:
    """Whether a line says so in a sentence that is no question."""
    if pattern.search(line) is None:
        return False
    return any(pattern.search(one) and not _asks(one) for one in _SPLIT.split(line))


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)* ").endswith(("?", "？"))

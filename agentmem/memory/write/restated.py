"""Restated: what a person may have said where a claim says it of them, in words of the same sense.

A model remembers "I prefer tabs" as "User prefers tabs", "we use pnpm" as "Project uses pnpm", and "our staging server
is at 10.0.0.5" as "Staging server: 10.0.0.5". Each such way is a kind with a rule of its own; a new word is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentmem.memory.write import clause, inflection

_LONGEST = 40  # words of a sentence of a claim; more are a document
_SELF = frozenset(["i", "my", "me", "we", "our", "us", "you"])
_SELF_AND_THE = _SELF | {"the"}
_ADVERB = (
    r"(?:always|never|usually|mostly|mainly|only|also|really|often|strongly|generally|typically|currently|still|now|just|"
    r"already|normally|primarily|both)"
)
_PLACE = r"(?:project|repo|repository|codebase|team|(?:project|dev|engineering) team)"
_USER = re.compile(r"(?:(?:the )?user|they) (?=\S)")
_OF_USER = re.compile(r"\b(?:the )?user's(?= )")
_TO_USER = re.compile(r"(?<=\S )(?:the )?user(?![\w'])")
_PROJECT = re.compile(rf"(?:the |this |our )?{_PLACE} (?=\S)")
_OF_PROJECT = re.compile(rf"(?:the |this |our )?{_PLACE}'s (?=\S)")
_VERB = re.compile(rf"((?:{_ADVERB} )*)([a-z-]+)\b(?!')")
_MORE = re.compile(rf"(?<= and )((?:{_ADVERB} )*)([a-z-]+s)\b(?!')")
# "Their" is the user's where nobody else is named between, and nothing of which there are several.
_THEIR = re.compile(r"^(i \w+ (?:(?!(?:and|with|to|for|from|by|of|\w\w+s)\b)[\w-]+ ){0,3})their\b")
_AGENT = re.compile(r"^(i (?:do not )?(?:want|would like|need) )(?:me|(?:the )?(?:agent|assistant|model)) to\b")
_THEY = re.compile(r"\b(before|after|when|while|whenever) they\b")
_NAMED = re.compile(r"(my name is [\w-]+(?: [\w-]+)? and) (?:she|he|they) ((?:is|are|[a-z]+)\b)")
_DECIDED = ("we", "we decided to", "we have decided to", "we agreed to")
_COLON = re.compile(r"([^:]{2,60}):\s+(?=\S)")
_IS = ("is", "is called", "is named")
_IS_AT = (*_IS, "is at", "is in", "is on")
_PLACED = re.compile(r"[A-Z\d/._]")  # in what may say where or when something is: "on March 3", and not "on fire"
_STATES = re.compile(r":|=|(?<!\bto )\b(?:is|are|was|were|am|has|have)\b")
_WISHES = ("i want", "i would like", "i would prefer", "i prefer", "we want", "we would like")


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim as its speaker may have said it, folded. Words of `held` must have been said, though they say nothing by
    themselves: they tell whose it is."""

    text: str
    held: frozenset[str] = frozenset()


def readings(claim: str, vocabulary: frozenset[str]) -> Iterator[Reading]:
    """The ways a person may have said a claim of one sentence, each once; `vocabulary` is all that they said."""
    folded = clause.fold(" ".join(claim.split()))
    if len(folded.split()) > _LONGEST:
        return
    placed = _PLACED.search(claim.partition(":")[2]) is not None
    seen: dict[Reading, None] = dict.fromkeys(
        Reading(text, told.held)
        for told in (Reading(folded), *_of_user(folded), *_of_project(folded), *_unnamed(folded), *_wished(folded))
        for spelled in _spelled(told.text, placed=placed)
        for text in (spelled, *inflection.beside(spelled, vocabulary))
    )
    yield from seen


def _of_user(text: str) -> Iterator[Reading]:
    """What is said of the user, as they say it of themselves."""
    found = _USER.match(text)
    if found is None and _OF_USER.search(text) is None and _TO_USER.search(text) is None:
        return
    if found is not None:
        yield Reading(f"my {text[found.end() :]}", _SELF)
    for rest in _first_person(text[found.end() :], "am") if found is not None else (text,):
        told = _OF_USER.sub("my", f"i {rest}" if found is not None else rest)
        told = _TO_USER.sub("me", told)
        told = _AGENT.sub(r"\1you to", told)
        told = _THEIR.sub(r"\1my", _THEY.sub(r"\1 i", _NAMED.sub(_named, told)))
        yield Reading(told, _SELF)
        if told.startswith("i prefer "):
            yield Reading(f"i would {told[2:]}", _SELF)


def _of_project(text: str) -> Iterator[Reading]:
    """What is said of the project or the team, as one of it says it."""
    if (found := _PROJECT.match(text)) is not None:
        for rest in _first_person(text[found.end() :], "are"):
            yield from (Reading(f"{who} {rest}", _SELF) for who in _DECIDED)
        yield Reading(f"our {text[found.end() :]}", _SELF)
    if (found := _OF_PROJECT.match(text)) is not None:
        yield Reading(f"our {text[found.end() :]}", _SELF)
        yield Reading(f"the {text[found.end() :]}", _SELF_AND_THE)


def _unnamed(text: str) -> Iterator[Reading]:
    """A claim that leaves out of whom it is: "Prefers tabs", "Deploys from main"."""
    found = _VERB.match(text)
    if found is not None and found[2].endswith("ed"):
        yield from (Reading(f"{who} {text}", _SELF) for who in ("i have", "we have"))
    if found is None or not (found[2] == "is" or inflection.base(found[2])):
        return
    for who, be in (("i", "am"), ("we", "are")):
        yield from (Reading(f"{who} {rest}", _SELF) for rest in _first_person(text, be))


def _wished(text: str) -> Iterator[Reading]:
    """A claim that is only what somebody wants: "Answers in German"."""
    if _STATES.search(text) is None:
        yield from (Reading(f"{wish} {text}", _SELF) for wish in _WISHES)
    if text.startswith("do not "):
        yield Reading(f"i do not want you to {text[7:]}", _SELF)


def _first_person(rest: str, be: str) -> Iterator[str]:
    """What follows a subject of the third person, as it follows "I" or "we"; verbs behind "and" both ways."""

    def turned(found: re.Match[str]) -> str:
        verb = be if found[2] in ("is", "are") else inflection.base(found[2]) or found[2]
        return f"{found[1]}{verb}"

    told = _VERB.sub(turned, rest, count=1) if _VERB.match(rest) else rest
    yield from dict.fromkeys((told, _MORE.sub(turned, told)))


def _named(found: re.Match[str]) -> str:
    verb = "am" if found[2] in ("is", "are") else inflection.base(found[2]) or found[2]
    return f"{found[1]} i {verb}"


def _spelled(text: str, *, placed: bool) -> tuple[str, ...]:
    """A text, and what a colon in it may stand for; `placed` where a place or a time may stand behind it."""
    found = _COLON.match(text)
    if found is None or _STATES.search(found[1]):
        return (text,)
    return (text, *(f"{found[1]} {verb} {text[found.end() :]}" for verb in (_IS_AT if placed else _IS)))

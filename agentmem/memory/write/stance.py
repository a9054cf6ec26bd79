"""Stance: how a sentence holds what it says: as true now, or as past, reported, supposed, doubted, asked, an example.

"The old rule was: run make", "he said we use Bazel" and "suppose we use Bazel" hold the words of a claim that nobody
made. Leaving that out turns a sentence round, so a claim must have each stance of the sentence that it is read off.
"""

from __future__ import annotations

import re
from typing import Literal

from agentmem.memory.write import statement

Stance = Literal["past", "reported", "supposed", "doubted", "asked", "example"]

# Past: "was", "used to", an old rule; not what came about then and holds now ("it was decided that we use tabs").
_CAME = (
    r"(?:decided|agreed|chosen|settled|adopted|moved|renamed|replaced|switched|migrated|set|introduced|added|built|made|"
    r"written|born|founded|released|upgraded|pinned)"
)
_KEPT = (
    r"(?:rules?|ways?|conventions?|polic(?:y|ies)|set-?ups?|practices?|standards?|defaults?|config\w*|instructions?|"
    r"guidelines?|process|habits?|approach|decisions?|plans?|names?|values?|version|docs?|stack|layout|notes?|scheme|"
    r"system|agreement|preferences?)"
)
_DID = r"(?:used|ran|deployed|preferred|kept|had|did|required|followed|lived|relied|hosted|stored|liked)"
_PAST = re.compile(
    rf"\b(?:was|were|wasn't|weren't)\b(?! {_CAME}\b| and (?:still )?(?:is|are)\b)|\bhad been\b|"
    r"\bused to (?!it\b|that\b|this\b)\w|\b(?:formerly|previously|originally|historically|back then|in the past)\b|"
    r"\b(?:old|older|former|previous|earlier|prior|original|outdated|obsolete|legacy|deprecated|past|abandoned) "
    rf"(?:\w+ )?{_KEPT}\b|\b(?:i|we|you|he|she|they|it|everyone|everybody|people|(?:the|my|our) \w+) "
    rf"(?:always |never |only |also |just |once )?{_DID}\b(?! to\b)|"
    rf"\b(?:dropped|abandoned|retired|scrapped|ditched|revoked|lifted|removed) (?:the|our|that) (?:\w+ )?{_KEPT}\b|"
    r"\b(?:no longer|not|n't) (?:true|the case|holds?|appl(?:y|ies)|valid)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<!\bi)(?<!\bwe)(?<!\bi've)(?<!\bwe've)(?:^|\s)(?:just |always |never |also |has |have |had )?"
    r"(?:said|says|saying|claims|claimed|claiming|tells|told|thinks|thought|believes|believed|wrote|suggests|suggested|"
    r"recommends|recommended|insists|insisted|argues|argued|mentions|mentioned|states(?= that|:)|stated|reckons|swears|"
    r"proposes|proposed|advises|advised|assumes|assumed|wants us to)\b|"
    r"\b(?:they|people|some|colleagues|(?!always|this)\w+s) (?:say|claim|recommend|suggest|think|believe|advise)\b|"
    r"\b(?:asks?|asked|wants|wanted|urges|requests|demands) (?:us|me|you|everyone|that)\b|"
    r"^(?:\w+,? )?(?:they|he|she)\b|"
    r"\b(?:according to|as per|supposedly|allegedly|apparently|reportedly|rumou?r has it|word is)\b|"
    r"\b(?:i|we)(?: have|'ve| just)* (?:heard|read|saw|seen|(?:was|were|am|been) told)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|assume|assuming|pretend|hypothetically|theoretically|in theory|"
    r"let's say|let us say|say we|in case|(?:plan|plans|planning|intend|hope|hoping) to|"
    r"(?:considering|thinking (?:of|about))|"
    r"were (?:we|i) to|had (?:we|i)|provided that|as though)\b|"
    r"\b(?:i|we|you|they|it|one|that|this|(?:the|my|our) \w+)(?:'d| would| could| might| may)(?: \w+ly)? "
    r"(?!prefer|like|rather|love|hate|to\b)\w",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:i|we)(?:'m| am| do|'re| are)?(?: not|n't| don't| can't| never)?(?: really| kinda| kind of| honestly)? "
    r"(?:think|guess|believe(?! in)|doubt|suspect|wonder|unsure|uncertain|feel like|hope)\b|"
    r"\b(?:not (?:sure|certain|convinced)|maybe|perhaps|probably|possibly|presumably|hopefully|seems?|"
    r"as far as i (?:know|remember|recall|can tell)|iirc|afaik|i could be wrong)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\bwhether\b|(?<!always )(?<!never )\b(?:check|verify|confirm|find out|look up|figure out|see|test|prove|ask) "
    r"(?:if|that|how|why|what|which|who|when|where)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|e\.g\.|such as|(?:an?|one|the|my|another) (?:\w+ )?(?:example|sample)\b|"
    r"as an illustration|"
    r"something like|things? like)|^\W*examples?\b",
    re.IGNORECASE,
)
_SEEN: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("past", _PAST),
    ("reported", _REPORTED),
    ("supposed", _SUPPOSED),
    ("doubted", _DOUBTED),
    ("asked", _ASKED),
    ("example", _EXAMPLE),
)
# What begins so holds for the rest of its paragraph: "Imagine this. We use Bazel."
_OPENS = re.compile(
    r"(?:\w+,? ){0,2}(?:suppose|imagine|assume|pretend|let's say|hypothetically|act as|role-? ?play|"
    r"play the (?:role|part) of)\b",
    re.IGNORECASE,
)


def stances(sentence: str) -> frozenset[Stance]:
    """How a sentence holds what it says; empty where it plainly states it."""
    text = sentence.replace("’", "'")
    found: set[Stance] = {kind for kind, seen in _SEEN if seen.search(text)}
    return frozenset(found | {"asked"} if statement.asks(sentence) else found)


def opens(sentence: str) -> bool:
    """Whether what follows a sentence in its paragraph is supposed with it."""
    return _OPENS.match(sentence) is not None

"""Altered: the sentences of a text that say something became otherwise, and the kind of value a question asks for.

"The deadline has been moved to April 5" takes the place of "the deadline is April 1" in an answer, though it shares
fewer words with the question. What tells it is a verb of change close before a value.
"""

from __future__ import annotations

import re

from agentmem.memory.read.recall.terms import FIGURE, HINTED, SMALL, terms

_VERB = (
    r"(?:(?:re-?)?schedul|increas|decreas|reduc|extend|shorten|lengthen|rais|lower|postpon|delay|push|mov|switch|migrat|"
    r"replac|chang|updat|upgrad|downgrad|renam|bump|improv|grow|grew|reach|drop|revis|adjust|correct|doubl|tripl|expand|"
    r"shrink|shrunk|cut|rose|risen|fell|fallen|climb|boost|add|convert|transition|swap)\w*"
)
_WORD = (
    r"(?:now|new|currently|recently|latest|no longer|anymore|instead|since then|from now on|as of|up to|down to|"
    r"up from|down from|another|additional|total of|actually)"
)
_SHIFT = (
    r"(?:re-?schedul|mov|switch|chang|migrat|postpon|updat|renam|convert|upgrad|replac|transition|swap|push|delay|"
    r"shift)\w*"
)
_BETWEEN = r"(?:\W+[\w'’-]+)"
_TO_FIGURE = re.compile(rf"\b(?:{_VERB}|{_WORD})\b{_BETWEEN}{{0,9}}?\W+[$€£#]?\d", re.I)
_SHIFTED = re.compile(rf"\b{_SHIFT}{_BETWEEN}{{0,3}}?\W+(?:to|by|with|from)\b", re.I)
_ENDED = ("no longer", "instead of", "anymore", "from now on")
_ENDED_WORD = re.compile(rf"\b(?:{'|'.join(_ENDED)})\b", re.I)
_DIGIT = re.compile(r"\d")
# What each of these forms holds in any case; looking for it takes a twentieth of the time.
_SHIFTS = (
    *("schedul", "mov", "switch", "chang", "migrat", "postpon", "updat", "renam", "convert"),
    *("upgrad", "replac", "transition", "swap", "push", "delay", "shift"),
)
_OTHERWISE = (*_SHIFTS, *_ENDED)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]*")
_LONGEST = 20_000  # characters; beyond that it is data

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_KINDS = {
    "span": re.compile(r"\d[\d.,]*\s*(?:-|–|to)?\s*\d*\s*(?:ms|s|sec|min|minute|hour|day|week|month|year)s?\b", re.I),
    "money": re.compile(r"[$€£]\s?\d|\d\s?(?:dollars|euros|usd|eur)\b", re.I),
    "share": re.compile(r"\d\s?(?:%|percent)", re.I),
    "time": re.compile(
        rf"\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b|\b\d{{1,2}}:\d\d\b|\b{_MONTH}\w*\.?\s+\d|\b\d{{1,2}}\s+{_MONTH}"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b\d{1,2}/\d{1,2}\b|\b\d{4}-\d\d",
        re.I,
    ),
    "count": re.compile(r"\d"),
}
_ASKED = {
    "span": re.compile(
        r"\bhow long\b|\bhow many (?:\w+ )?(?:days|hours|weeks|months|years|minutes)\b"
        r"|\b(?:response|load|build|run) time\b|\bduration\b|\blatency\b",
        re.I,
    ),
    "money": re.compile(r"\bhow much\b|\b(?:budget|cost|price|salary|fee|rent|spend)\b", re.I),
    "share": re.compile(r"\b(?:rate|percent\w*|accuracy|coverage|share)\b", re.I),
    "time": re.compile(r"\bwhen\b|\bwhat (?:time|date|day)\b|\bdeadline\b|\bschedul\w*\b|\bdue\b", re.I),
    "count": re.compile(r"\bhow many\b|\bnumber of\b", re.I),
}


# Words of which a sentence that states a change holds one; looking for its form costs more than all else of a record.
_VERBS = (
    "schedule reschedule increase decrease reduce extend shorten lengthen raise lower postpone delay push move "
    "switch migrate replace change update upgrade downgrade rename bump improve grow reach drop revise adjust "
    "correct double triple expand shrink cut rise fall climb boost add convert transition swap shift new "
    "currently recently latest longer anymore instead another additional total actually addition correction "
    "revision reduction extension expansion conversion migration replacement improvement adjustment raises "
)
_SMALL = ("now", "since then", "as of", "up to", "down to", "up from", "down from")
_SMALL_WORDS = re.compile(rf"\b(?:{'|'.join(_SMALL)})\b", re.I)
MARKS = dict.fromkeys(("now", *terms("since"), "as", "up", "down"), SMALL) | dict.fromkeys(terms(_VERBS), HINTED)
"""How a `Lexicon` marks what tells whether a text may state a change."""


def may_state(text: str, stems: str) -> bool:
    """Whether a text can state a change at all. `stems` are its own, with the marks of `MARKS`."""
    hinted = HINTED in stems
    if not hinted and SMALL not in stems:
        return False
    small = _small(text)
    if not hinted and not any(map(small.__contains__, _SMALL)):
        return False
    may = FIGURE in stems or any(map(small.__contains__, _OTHERWISE))
    return may and (hinted or _SMALL_WORDS.search(text) is not None)


def _alters(sentence: str) -> bool:
    """Whether a sentence says that something became otherwise."""
    small = _small(sentence)
    if any(map(small.__contains__, _SHIFTS)) and _SHIFTED.search(sentence):
        return True
    if any(map(small.__contains__, _ENDED)) and _ENDED_WORD.search(sentence):
        return True
    return _DIGIT.search(sentence) is not None and _TO_FIGURE.search(sentence) is not None


def _small(text: str) -> str:
    """Small letters, as `re.I` takes them for the same."""
    small = text.lower()
    return small if small.isascii() else small.replace("ſ", "s").replace("ı", "i").replace("i\u0307", "i")


def states(text: str) -> str:
    """The changes that a text states, a line each: the kinds of value it holds, a bar, its stems. "" for none."""
    found = []
    for sentence in _SENTENCE.findall(text[:_LONGEST]):
        if _alters(sentence):
            kinds = " ".join(kind for kind, form in _KINDS.items() if form.search(sentence))
            found.append(f"{kinds}|{' '.join(dict.fromkeys(terms(sentence)))}")
    return "\n".join(found)


def read(stated: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The kinds of value and the stems of each change in what `states` gave."""
    pairs = (line.partition("|") for line in stated.split("\n") if line)
    return [(frozenset(kinds.split()), frozenset(said.split())) for kinds, _, said in pairs]


def asked_kind(question: str) -> str | None:
    """The kind of value that a question asks for, None for none of those a change holds."""
    return next((kind for kind, form in _ASKED.items() if form.search(question)), None)

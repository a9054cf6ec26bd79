"""Inflection: forms of one English verb that tell the same: "prefers" of the user as "prefer" of oneself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snowballstemmer.english_stemmer import EnglishStemmer

_IRREGULAR = {"has": "have", "does": "do"}
_HISSING = re.compile(r"(?:ss|x|zz|ch|sh|[^aeiou]o|go)es$")
_SHORTEST = 3
# What is done at another time, with or without who does it: "before committing", "before you commit".
_BESIDE = re.compile(r"\b(before|after|when|while|whenever) (?:(?:i|we|you|they) )?([a-z]{3,})\b")


def base(verb: str) -> str | None:
    """The verb as one says it of oneself, for a folded form of the third person ("tries": "try"); None for none."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if len(verb) < _SHORTEST or not verb.isascii() or not verb.replace("-", "").isalpha():
        return None
    if not verb.endswith("s") or verb.endswith(("ss", "us", "is")):
        return None
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if _HISSING.search(verb) else verb[:-1]


def beside(text: str, vocabulary: frozenset[str]) -> Iterator[str]:
    """The folded text with what is done before, after or while in its other form, if the `vocabulary` has it."""
    for found in _BESIDE.finditer(text):
        for word in sorted(vocabulary):
            if word[:2] == found[2][:2] and _other(word, found[2]):
                doer = "" if word.endswith("ing") else "you "
                yield f"{text[: found.start()]}{found[1]} {doer}{word}{text[found.end() :]}"


def _other(one: str, other: str) -> bool:
    """Whether words are a verb and the noun of its doing: "commit" and "committing"."""
    forms = sorted((one, other), key=lambda word: word.endswith("ing"))
    if forms[0].endswith(("ing", "s", "ed", "er", "ly", "ion")) or not forms[1].endswith("ing"):
        return False
    return bool(_stemmer().stemWord(one) == _stemmer().stemWord(other))


@cache
def _stemmer() -> EnglishStemmer:
    from snowballstemmer.english_stemmer import EnglishStemmer  # 13 ms, and few claims need it

    return EnglishStemmer()

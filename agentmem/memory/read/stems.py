"""Stems: the words of a text that say something, without their endings; one stem for most forms of an English word."""

from __future__ import annotations

import re

LONGEST = 4_000
"""Characters of a message that words are looked for in: more is a document, not a wish."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
# Words that say nothing about what is wanted, or that every wish holds.
_SAYS_NOTHING = """
a about add again all also am an and any are as ask asked at be because been before being but by can code could do
does doing done down each etc file files for from get give go good had has have he help her here him his how i if
in into is it its just let like make me more most my need new no nor not now of off on once one only or other our
out over own please project run same say she should show so some such task tell than that the their them then
there these they thing things this those through to too two under until up us use used uses using very want was
way we well were what when where which while who whom why will with work would write you your
"""
_STOP = frozenset(_SAYS_NOTHING.split())
_UNSPACED = "\u3040"
"""From here on scripts are written without blanks, most of them: two letters stand for a word."""


def terms(text: str) -> list[str]:
    """The words of a text that say something, in small letters and without their endings."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if max(word) >= _UNSPACED:
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        elif word not in _STOP and len(word) > 1:
            found.append(_stem(word.partition("'")[0]))
    return found


def _stem(word: str) -> str:
    """A word without plural, -ing and -ed; the same for all forms of most English words, and no word of its own."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word

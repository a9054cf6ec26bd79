"""BM25: how well short texts answer a question, by the words they share (Robertson and Zaragoza, 2009)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

K1, B = 1.2, 0.3
FEWEST = 50
"""Of fewer texts than this a word says no more than of this many: in three texts every word would be rare."""

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
# Scripts written without blanks: two letters stand for a word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def terms(text: str) -> list[str]:
    """The words of a text that say something, in small letters and without their endings."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
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


class Ranking:
    """Texts to be ranked: of each its terms with their weights."""

    def __init__(self, texts: Sequence[Mapping[str, float]]) -> None:
        self._texts = texts
        self._lengths = [sum(text.values()) for text in texts]
        self._mean = (sum(self._lengths) / len(texts)) if texts else 1.0
        self._holders = Counter(term for text in texts for term in text)

    def scores(self, asked: Sequence[str]) -> list[tuple[float, tuple[str, ...]]]:
        """Of each text its score, and the terms it shares with the question. A term that is asked twice counts once."""
        every = dict.fromkeys(asked)
        worth = {term: self._worth(term) for term in every if term in self._holders}
        out: list[tuple[float, tuple[str, ...]]] = []
        for text, length in zip(self._texts, self._lengths, strict=True):
            shared = tuple(term for term in worth if term in text)
            norm = K1 * (1 - B + B * length / (self._mean or 1.0))
            out.append((sum(worth[term] * text[term] * (K1 + 1) / (text[term] + norm) for term in shared), shared))
        return out

    def _worth(self, term: str) -> float:
        count, holders = max(len(self._texts), FEWEST), self._holders[term]
        return log(1 + (count - holders + 0.5) / (holders + 0.5))

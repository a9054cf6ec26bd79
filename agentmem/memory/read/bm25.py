"""BM25: how well short texts answer a question, by the words they share (Robertson and Zaragoza, 2009)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

K1, B = 1.2, 0.3
FEWEST = 50
"""Of fewer texts than this a word says no more than of this many: in three texts every word would be rare."""


class Ranking:
    """Texts to be ranked: of each its terms with their weights."""

    def __init__(self, texts: Sequence[Mapping[str, float]]) -> None:
        self._texts = texts
        self._lengths = [sum(text.values()) for text in texts]
        self._mean = (sum(self._lengths) / len(texts)) if texts else 1.0
        self._holders = Counter(term for text in texts for term in text)

    def scores(self, asked: Sequence[str]) -> list[tuple[float, tuple[str, ...]]]:
        """Of each text its score, and the terms it shares with the question. A term that is asked twice counts once."""
        known = [term for term in dict.fromkeys(asked) if term in self._holders]
        out: list[tuple[float, tuple[str, ...]]] = []
        for place, text in enumerate(self._texts):
            shared = tuple(term for term in known if term in text)
            out.append((sum(self._adds(place, term) for term in shared), shared))
        return out

    def points(self) -> list[dict[str, float]]:
        """What each term adds to the score of each text that holds it."""
        return [{term: self._adds(place, term) for term in text} for place, text in enumerate(self._texts)]

    def _adds(self, place: int, term: str) -> float:
        weight = self._texts[place][term]
        norm = K1 * (1 - B + B * self._lengths[place] / (self._mean or 1.0))
        return self._worth(term) * weight * (K1 + 1) / (weight + norm)

    def _worth(self, term: str) -> float:
        count, holders = max(len(self._texts), FEWEST), self._holders[term]
        return log(1 + (count - holders + 0.5) / (holders + 0.5))

"""Figures: recall, hits, MRR and nDCG of rankings, with the interval that a bootstrap over the questions gives."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from math import log2
from statistics import fmean

DRAWS = 1_000
NAMES = ("R@1", "R@5", "R@10", "hit@5", "hit@10", "MRR", "nDCG@10")


def of_ranking(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """The figures of one question: R@k is the share of the gold entries among the first k."""
    places = [place for place, own in enumerate(ranked, 1) if own in gold]
    found = {f"R@{k}": sum(place <= k for place in places) / len(gold) for k in (1, 5, 10)}
    found |= {f"hit@{k}": float(any(place <= k for place in places)) for k in (5, 10)}
    found["MRR"] = 1 / places[0] if places else 0.0
    ideal = sum(1 / log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
    found["nDCG@10"] = sum(1 / log2(place + 1) for place in places if place <= 10) / ideal
    return found


def mean(every: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The means in per cent."""
    return {name: round(100 * fmean(one[name] for one in every), 1) for name in NAMES} if every else {}


def interval(values: Sequence[float], seed: int = 7) -> tuple[float, float]:
    """The 95 % interval of the mean, in per cent."""
    draw = random.Random(seed)
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(DRAWS)) if values else [0.0]
    return round(100 * means[int(0.025 * len(means))], 1), round(100 * means[int(0.975 * len(means))], 1)


def intervals(every: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """The intervals of R@5 and R@10."""
    return {name: interval([one[name] for one in every]) for name in ("R@5", "R@10")}

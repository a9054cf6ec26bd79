"""Shipped: what is written down beforehand of the built-in skills, so that a start reads one small file, not theirs.

`built_in.json` holds their cards, their triggers, and of each skill what every word adds to its score; `written` makes
it from the skills, a test compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("built_in.json")


def shipped() -> Mapping[str, Any]:
    """What the file holds."""
    found: Mapping[str, Any] = json.loads(FILE.read_bytes())
    return found


def calls(text: str, told: Mapping[str, Any]) -> bool:
    """Whether a message may call for a built-in skill, by the rules of `agentmem.memory.read.fitting`."""
    said = " ".join(text.casefold().split())
    if told["always"] or any(trigger in said for trigger in told["triggers"]):
        return True
    from agentmem.memory.read.stems import LONGEST, terms

    asked = set(terms(text[:LONGEST]))
    return any(
        sum(points[word] for word in shared) >= told["enough"]
        for points in told["points"].values()
        if len(shared := asked & points.keys()) > 1
    )


def written(skills: Sequence[Any]) -> str:
    """What the file must hold, for these built-in skills."""
    from agentmem.memory.read.cards import cards
    from agentmem.memory.read.fitting import ENOUGH, ranking

    points = ranking(skills).points()
    told = {
        "cards": cards(skills, 1_000_000).text,
        "always": any(one.says("always") or one.texts("paths") for one in skills),
        "triggers": sorted(" ".join(phrase.casefold().split()) for one in skills for phrase in one.texts("triggers")),
        "enough": ENOUGH,
        "points": {
            one.id: {word: round(value, 4) for word, value in sorted(held.items())}
            for one, held in zip(skills, points, strict=True)
        },
    }
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"

"""Asking: any text as a query: its stems with their weights, and what kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentmem.memory.read.recall.altered import asked_kind
from agentmem.memory.read.recall.related import related
from agentmem.memory.read.recall.terms import all_terms, terms

MOST = 64  # stems; a pasted page asks for what it says most
FRAMED = 0.2
# "Which tools did I mention in our sessions?" is about tools.
_FRAMES = """
mention mentioned tell told say said talk talked discuss discussed conversation conversations session sessions chat
chats ask asked question questions across throughout different many various ever list order time times remember recall
describe described kind type types
"""
_FRAME = frozenset(stem for word in _FRAMES.split() for stem in terms(word))
NAME = 2.0
"""How much a name counts in what a query is about. A word with a capital letter is one, but where a sentence begins."""
_NAMES = re.compile(r"(?<=[^\s.!?:])[^\S\n]+[\"'“‘(]?([^\W\d_]\w*)")
_NAMED = re.compile(
    r"^\s*(?:who|whom|whose|where|which)\b|\b(?:name|named|called)\b"
    r"|\bwhat (?:city|town|country|state|place|book|movie|film|song|band|game|show|series|brand|company)\b",
    re.I,
)
_TOLD = re.compile(r"\b(?:did|do|have|had|would|were|was|are|could) you\b", re.I)
MOST_RELATED = 12  # stems
_WHEN = re.compile(r"\s*(?:when\b|what (?:date|day|month|year|time)|how long)", re.I)
_PAST = re.compile(
    r"\b(?:did|was|were|had|before|at first|initial(?:ly)?|original(?:ly)?|used to|previous(?:ly)?|earlier)\b", re.I
)
# These want all that was ever said, not what holds now.
_MANY = re.compile(r"\b(?:different|across|throughout|list|between|ever|compare|overall)\b", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query. `weights` maps its stems, in order, to how much they count; `when` wants a time; `now` wants what holds
    now, of the kind `kind` (None: no value). `names` are the stems of names in it; `named` wants a name, `told` what
    the agent said ("What did you recommend?"). `related` are the stems that may stand in for one."""

    text: str
    weights: dict[str, float]
    when: bool
    now: bool
    kind: str | None
    names: frozenset[str] = frozenset()
    named: bool = False
    told: bool = False
    related: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def terms(self) -> tuple[str, ...]:
        """Its stems."""
        return tuple(self.weights)

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The stems that may stand in for one of its own."""
        return tuple(dict.fromkeys(other for others in self.related.values() for other in others))

    @property
    def topic(self) -> frozenset[str]:
        """The stems that say what it is about."""
        return frozenset(stem for stem, weight in self.weights.items() if weight == 1.0)


def asked(text: str) -> Asked:
    """The query that a text is; without a stem where it says nothing. Only stop words: these are what is asked for."""
    found = list(dict.fromkeys(terms(text) or all_terms(text)))[:MOST]
    weights = {stem: FRAMED if stem in _FRAME else 1.0 for stem in found}
    if found and not any(weight == 1.0 for weight in weights.values()):
        weights = dict.fromkeys(found, 1.0)
    return Asked(
        text,
        weights,
        _WHEN.match(text) is not None,
        not (_PAST.search(text) or _MANY.search(text)),
        asked_kind(text),
        _names(text).intersection(weights),
        _NAMED.search(text) is not None,
        _TOLD.search(text) is not None,
        _related(weights),
    )


def _related(weights: Mapping[str, float]) -> dict[str, list[str]]:
    """Of each stem those that may stand in for it, but for what is asked for anyhow; in all a few."""
    found: dict[str, list[str]] = {}
    left = MOST_RELATED
    for stem in weights:
        others = [other for other in related(stem) if other not in weights][:left]
        if others:
            found[stem] = others
            left -= len(others)
    return found


def _names(text: str) -> frozenset[str]:
    return frozenset(stem for word in _NAMES.findall(text) if word[0].isupper() for stem in terms(word))

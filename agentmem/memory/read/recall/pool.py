"""Pool: what is scored for a query, by which settings, and what a stem and a speaker are worth there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from agentmem.memory.read.recall.passages import AGENT, TOOL
from agentmem.memory.stores.index import Piece, Totals, Turn

FEWEST = 50
"""Of fewer pieces than this a stem tells no more than of this many: in three texts every word is rare."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One set for short turns and long messages. `before` and `answers` are shares of the record before, the second of
    a record that answers a question there; `call` is what counts of what was handed to a tool; `asks` is taken off a
    record that only asks, `to_you` off one that speaks of the other alone; a record of more than `short` stems takes
    less from its neighbours; `deep` records are looked at with what stands around them. A related word covers
    `related` of the one it stands for, what the records around hold `context`. `named` is what it counts more to be
    said by whom the question names, `naming` to hold a name where one is asked for; `told`: what the agent said counts
    in full where that is asked for."""

    k1: float = 1.2
    b: float = 0.5
    agent_long: float = 0.35
    agent_short: float = 1.0
    tool: float = 0.3
    call: float = 0.3
    lead: float = 1.3
    coverage: bool = True
    related: float = 0.5
    context: float = 0.5
    near: float = 0.5
    before: float = 0.15
    before_last: float = 0.15
    answers: float = 0.8
    after: float = 0.1
    session: float = 0.3
    asks: float = 0.25
    when: float = 1.2
    to_you: float = 0.4
    named: float = 0.25
    naming: float = 0.3
    told: bool = True
    short: int = 30
    deep: int = 60


@dataclass(frozen=True, slots=True)
class Pool:
    """What is scored: `pieces` that share a stem with the query or hold one that may stand in for it, how many pieces
    hold each of these, how much the room holds, in how many scenes of each session each stem stands, and how many
    sessions there are. `turns` gives records by their ids, those that are there."""

    pieces: Sequence[Piece]
    turns: Callable[[set[int]], Mapping[int, Turn]]
    holders: Mapping[str, int]
    totals: Totals
    scenes: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    sessions: int = 1


def worth(pieces: int, holders: int) -> float:
    """How much a stem tells that so many of so many pieces hold."""
    return log(1 + (max(pieces, FEWEST) - holders + 0.5) / (holders + 0.5))


def says(long: bool, who: int, to: Settings) -> float:
    """How much it counts who says it: what a person said more than long answers and what tools gave."""
    if who == AGENT:
        return to.agent_long if long else to.agent_short
    return to.tool if who == TOOL else 1.0

"""Git's work: which edits of MEMORY.md git made, by a checkout, merge, pull, clone or stash, and which a person did."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agentmem.domain.belief import Belief
from agentmem.domain.claim import Edit
from agentmem.domain.gitstep import Arrival
from agentmem.memory.stores.bullets import keyed, parse
from agentmem.memory.stores.semantic import text_of


@dataclass(slots=True)
class Brought:
    """By ids of beliefs: what git brought from elsewhere (`come`) and took away (`gone`), and what stands in the work
    tree since it moved there (`since`, ``2026-11-30T09:14:03Z``), whoever said it first."""

    come: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    since: dict[str, str] = field(default_factory=dict)


def brought(steps: Iterable[Arrival]) -> Brought:
    """What the steps did, the oldest first. What the person committed first is their own, whatever git did with it
    later."""
    found = Brought()
    own: set[str] = set()
    for step in steps:
        before, after = (set(keyed(parse(text_of(data)))) for data in (step.before, step.after))
        if step.local:
            own |= after - before - found.come
        else:
            found.come |= after - before - own
            found.gone |= before - after
        if step.at:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(step.at))
            for fact in before ^ after:
                found.since.pop(fact, None)
            found.since.update({} if step.local else dict.fromkeys(after - before, stamp))
    return found


def apart(
    found: Sequence[Edit], steps: Sequence[Arrival] | None, told: Mapping[str, Belief]
) -> tuple[list[Edit], list[Edit]]:
    """The edits of a person, and those that git made; `told` is what the ledger says. Without steps all are git's."""
    if steps is None:
        return [], list(found)
    moved = brought(steps)
    hand: list[Edit] = []
    git: list[Edit] = []
    for edit in found:
        fact = edit.becomes or edit.fact
        by_git = edit.fact in moved.gone if edit.after is None else fact in moved.come or _back(edit, moved, told)
        (git if by_git else hand).append(edit)
    return hand, git


def ended(edit: Edit, told: Mapping[str, Belief]) -> bool:
    """Whether the line states a fact that holds no more."""
    belief = told.get(edit.becomes or edit.fact)
    return belief is not None and not belief.open


def _back(edit: Edit, moved: Brought, told: Mapping[str, Belief]) -> bool:
    """Whether a line of a fact that ended stands there again because git moved since."""
    fact = edit.becomes or edit.fact
    return ended(edit, told) and moved.since.get(fact, "") >= told[fact].closed_at

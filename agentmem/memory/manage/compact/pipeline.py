"""The pipeline: the forms of compaction in their order, from recoverable to lossy, stopping as soon as use is down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentmem.memory.manage.compact import cutting
from agentmem.memory.manage.compact.collapse import collapse
from agentmem.memory.manage.compact.cutting import Cut
from agentmem.memory.manage.compact.drop import drop
from agentmem.memory.manage.compact.layout import Change, Layout, Room
from agentmem.memory.manage.compact.offloading import offload

Form = Callable[[Layout, Room, int], Change | None]

FORMS: tuple[Form, ...] = (offload, collapse, drop)


@dataclass(frozen=True, slots=True)
class Aim:
    """What a compaction is to come to: use of at most `target` tokens, and never over `limit`. `cut` says whether
    steps may leave the prompt, `worth` the least tokens that the recoverable forms must free to be done at all."""

    target: int
    limit: int
    cut: bool
    worth: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done: the recoverable `changes` in order, then the `cut`; `found` and `room` are what is there once
    the changes are made. `before` is in tokens."""

    changes: tuple[Change, ...]
    cut: Cut | None
    found: Layout
    room: Room
    before: int

    @property
    def empty(self) -> bool:
        """True where nothing would be done."""
        return not self.changes and self.cut is None


def plan(found: Layout, room: Room, aim: Aim) -> Plan:
    """Plan a compaction of working memory. It asks no model and touches nothing."""
    before, start = room, found
    changes: list[Change] = []
    for form in FORMS:
        want = room.size(room.used - aim.target)
        if want <= 0:
            break
        if (change := form(found, room, want)) is not None:
            changes.append(change)
            found, room = found.after(change), room.less(change.freed)
    if before.used - room.used < aim.worth and room.used > aim.target:
        changes, found, room = [], start, before
    made = cutting.cut(found, room, room.size(room.used - aim.target)) if aim.cut and room.used > aim.target else None
    left = room.less(made.freed) if made is not None else room
    if aim.cut and left.used > aim.limit:
        last = offload(found, room, room.size(left.used - aim.limit), last=True)
        if last is not None:
            changes.append(last)
            found, room = found.after(last), room.less(last.freed)
            made = cutting.cut(found, room, room.size(room.used - aim.target))
    return Plan(tuple(changes), made, found, room, before.used)

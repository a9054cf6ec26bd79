"""Pressure: what is done when the window fills, before a model call: compaction at its moments, and one notice."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias

from agentmem.agent import room as rooms
from agentmem.agent.relief import relieve
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.memory.memory import shortening, sight

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.domain.event import Answer, Event, TurnStop
    from agentmem.memory.shortening import Aim, Room

Making: TypeAlias = "Generator[Event, Answer | None, tuple[TurnStop, str] | None]"

WORTH = 0.1
"""Of the window: what the recoverable forms must free within a turn to be worth a new prompt prefix."""
GROWN = 0.1
"""Of the window: how much use must have grown since a compaction that did not get it down before steps leave again."""
_SHORT = 0.6  # of what we believed, where the provider says that it does not fit
PRESSURE = "Memory pressure:"
NOTE = (
    PRESSURE + " {used:,} of {window:,} tokens of your window are in use ({share:.0%}). From {full:.0%} on the oldest "
    "steps of this task leave it and a summary stands for them. Put what must stay into `todo` or `remember`, or call "
    "`compact` now and say what to keep."
)


def make_room(agent: Agent, cancel: Cancel) -> Making:
    """Make room for the next call of a turn. Gives how the turn ends where there is none."""
    now = rooms.room(agent)
    if (small := rooms.too_small(agent, now)) is not None:
        return "overflow", small
    spent = agent.spent
    said, wish = spent.overflow, spent.wish
    spent.overflow = spent.wish = None
    if said is None and not agent.limits.compacts and wish is None:
        return None
    aim, why = _aim(agent, now, said, wish)
    if aim is not None:
        yield from relieve(agent, aim, why, wish or "", cancel)
        after = rooms.room(agent)
        if said is not None and after.used >= now.used and not _pictured(agent):
            return "overflow", rooms.refused(agent, f"{said.rstrip(' .')}. Nothing more can leave the prompt")
        now = after
    if (over := rooms.full(agent, now)) is not None:
        return "overflow", over
    if spent.steps and now.used >= agent.limits.warn * now.window and not _warned(agent):
        agent.session.record_notice(_note(now), "harness")
        yield Notice("info", f"the model was told that {now.used / now.window:.0%} of its window is full")
    return None


def _aim(agent: Agent, now: Room, said: str | None, wish: str | None) -> tuple[Aim | None, str]:
    """What a compaction now is to come to, and why; None where none is due."""
    limits, window = agent.limits, now.window
    target, most = int(limits.target * window), int(rooms.FULL * window)
    share = f"{now.used / window:.0%} of the window was in use"
    if said is not None:
        less = int(_SHORT * now.used)
        return shortening.Aim(
            min(target, less), min(most, less), cut=True
        ), "the provider said that the request did not fit"
    if wish is not None:
        return shortening.Aim(min(target, now.used // 2), most, cut=True), "the model asked for it"
    if now.used < limits.trigger * window:
        return None, ""
    if now.used >= most:
        return shortening.Aim(target, most, cut=True), share
    if agent.spent.steps == 0 and not stalled(agent, now):
        return shortening.Aim(target, most, cut=True), share
    return shortening.Aim(target, most, cut=False, worth=int(WORTH * window)), share


def stalled(agent: Agent, now: Room) -> bool:
    """Whether the last cut did not get use down, by the provider's next count (by ours while there is none), and little
    came since."""
    active = agent.session.active
    if active.snapshot is None:
        return False
    entries = active.entries
    at = next((number for number, one in enumerate(entries) if one.id == active.snapshot.id), len(entries))
    counts = (shortening.counted(one) for one in entries[at:])
    tokens = active.snapshot.body.get("tokens")
    ours = tokens.get("after") if isinstance(tokens, dict) else None
    then = next((one for one in counts if one and one <= now.window), ours if isinstance(ours, int) else 0)
    return agent.limits.trigger * now.window <= then and now.used < then + GROWN * now.window


def _pictured(agent: Agent) -> bool:
    """Whether the request holds images: it may be they that are too much, and it is asked again without them."""
    return bool(sight.images(agent.session.prompt(agent.max_output).messages))


def _warned(agent: Agent) -> bool:
    """Whether the model was told since the last cut."""
    active = agent.session.active
    for entry in reversed(active.entries):
        if active.snapshot is not None and entry.id == active.snapshot.id:
            return False
        if entry.body.get("notice") is True and (message := entry.message()) and message.text.startswith(PRESSURE):
            return True
    return False


def _note(now: Room) -> str:
    return NOTE.format(used=now.used, window=now.window, share=now.used / now.window, full=rooms.FULL)


def remind(agent: Agent) -> None:
    """Tell the model its list of what is to be done again, where something on it is open."""
    if (listed := shortening.open_todos(agent.session)) is not None:
        agent.session.record_notice(listed, "harness")

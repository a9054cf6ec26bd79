"""Idle: what compaction does when nobody waits: summaries that outgrew their share made again, a chunk at a time."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias

from agentmem.agent import room as rooms
from agentmem.agent.relief import asker, brief
from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import Answer, Compacted, Event
from agentmem.memory.memory import shortening

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent

Idling: TypeAlias = "Generator[Event, Answer | None, None]"


def idle(agent: Agent, cancel: Cancel) -> Idling:
    """One step, with one model call at most; the old summaries stand until all of the new one is there. What the log
    does not give now is tried another time."""
    try:
        yield from _idle(agent, cancel)
    except OSError:
        agent.remaking = None


def _idle(agent: Agent, cancel: Cancel) -> Idling:
    work = shortening.begin_compaction(agent.session, rooms.room(agent))
    pair = shortening.outgrown_pair(work)
    if pair is None:
        agent.remaking = None
        return
    told = brief(agent, "")
    if agent.remaking is None or not shortening.is_of(agent.remaking, pair):
        agent.remaking = shortening.begin_remaking(work, pair, told)
        if agent.remaking is None:
            return
    ask = asker(agent, work, cancel)
    if ask is None and agent.limits.written:
        return  # this turn's calls are used up; there will be another
    try:
        agent.remaking = agent.remaking.step(ask)
        while ask is None and not agent.remaking.finished:
            agent.remaking = agent.remaking.step(None)
    except Cancelled:
        return
    written = shortening.remade_text(agent.remaking, told)
    if written is None:
        return
    agent.remaking = None
    before = work.room.used
    entry = work.merged(pair[0], written, "the summaries outgrew their share of the window")
    agent.session.renew()
    agent.session.sync()
    yield Compacted(entry.id, "summary", before, work.room.used, "two summaries were made again as one")

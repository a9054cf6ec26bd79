"""Relief: a compaction carried out: its forms written, the summary asked of the model, each told as an Event."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias

from agentmem.agent import room as rooms
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.entry import Entry
from agentmem.domain.event import Answer, Compacted, Event
from agentmem.domain.message import Reply
from agentmem.domain.prompt import Prompt
from agentmem.memory.memory import shortening
from agentmem.model.door import ModelError
from agentmem.model.retry import asking

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.memory.shortening import Aim, Answered, Ask, Brief, Change, Compaction, Plan

CALLS = 2
"""Model calls for summaries in one turn at most."""
Relieving: TypeAlias = "Generator[Event, Answer | None, bool]"

_DID = {
    "offload": "moved {count} to files",
    "collapse": "collapsed {count}",
    "drop": "dropped {count} of malformed calls",
}


def relieve(agent: Agent, aim: Aim, why: str, focus: str, cancel: Cancel) -> Relieving:
    """Compact to the aim as far as that goes; gives whether anything left the prompt. The whole is bound to where the
    conversation stands: when it went on from another place meanwhile, no more is written."""
    work = shortening.begin_compaction(agent.session, rooms.room(agent))
    plan = work.plan(aim)
    if plan.empty:
        return False
    done, before = False, agent.session.leaf
    try:
        for change in plan.changes:
            done = (yield from _changed(work, change, why)) or done
        if plan.cut is not None:
            done = (yield from _cut(agent, work, plan, _Wish(why, focus), cancel)) or done
    except shortening.LeafMoved:
        yield Notice("warning", "the conversation went on from another place meanwhile: no more was compacted")
    except OSError as error:
        yield Notice("warning", f"no more was compacted: {error.filename}: {error.strerror}")
    finally:
        if agent.session.leaf != before:
            agent.session.renew()
            agent.session.sync()
    return done


class _Wish:
    """Why it is done, and what the person or the model wants kept."""

    def __init__(self, why: str, focus: str) -> None:
        self.why = why
        self.focus = focus


def _changed(work: Compaction, change: Change, why: str) -> Relieving:
    before = work.room.used
    try:
        entry = work.change(change, why)
    except OSError as error:
        yield Notice("warning", f"nothing was moved out of the prompt: {error.filename}: {error.strerror}")
        return False
    count = len(change.targets)
    text = _DID[change.form].format(count="1 result" if count == 1 else f"{count:,} results")
    yield Compacted(entry.id, change.form, before, work.room.used, text)
    return True


def _cut(agent: Agent, work: Compaction, plan: Plan, wish: _Wish, cancel: Cancel) -> Relieving:
    """Take the oldest steps out and have what left told in text."""
    leaving = work.leaving(plan.cut) if plan.cut is not None else None
    if leaving is None:
        yield Notice("warning", "the log does not tell what would leave the prompt: nothing was taken out")
        return False
    count = sum(entry.type == "message" for entry in leaving.entries)
    ask = asker(agent, work, cancel)
    if ask is not None:
        yield Notice("info", f"summarising {count:,} messages …")
    before = work.room.used
    told = shortening.tell(leaving, brief(agent, wish.focus), ask)
    if isinstance(told, shortening.Refusal):
        yield Notice("warning", f"nothing was taken out of the prompt: {told.reason}")
        return False
    entry = work.snapshot(leaving, told, wish.why)
    yield Compacted(entry.id, told.form, before, work.room.used, said(entry, count))
    return True


def said(entry: Entry, count: int) -> str:
    """What a snapshot did, in a line for the person."""
    body = entry.body
    receipt = body.get("receipt")
    messages = "1 message" if count == 1 else f"{count:,} messages"
    done = f"{messages} left the prompt, a checked summary stands for them"
    if body["form"] == "window":
        fault = body.get("fault")
        done = f"{messages} left the prompt, a summary made by rule stands for them" + (f" ({fault})" if fault else "")
    if isinstance(receipt, dict) and isinstance(share := receipt.get("survival"), int | float):
        done += f"; {share:.0%} of what they name is in it"
    return done + (f"; all of it: {body['archive']}" if body.get("archive") else "")


def brief(agent: Agent, focus: str) -> Brief:
    """How spans of the agent's session are told. Where the last summary failed, the model is asked only once."""
    snapshot = agent.session.active.snapshot
    most = 1 if snapshot is not None and "fault" in snapshot.body else CALLS
    return shortening.brief_for(agent.session, agent.window, focus, max(most - agent.spent.summaries, 0))


def asker(agent: Agent, work: Compaction, cancel: Cancel) -> Ask | None:
    """What asks the model for a summary, None where it may not be asked (any more). Each call is in the log."""
    if not agent.limits.written or agent.spent.summaries >= CALLS:
        return None

    def ask(prompt: Prompt) -> Answered:
        agent.spent.summaries += 1
        body = agent.door.body(prompt)
        try:
            work.aside(shortening.put_aside(agent.session, agent.model, prompt, body, agent.door.shape))
        except OSError as error:
            return shortening.Answered(None, f"what is asked could not be kept: {error.strerror}")
        try:
            reply = next((one for one in asking(agent.door, prompt, cancel) if isinstance(one, Reply)), None)
        except ModelError as failure:
            return shortening.Answered(None, str(failure), failure.failure == "overflow")
        if reply is None:
            return shortening.Answered(None, f"{agent.model} ended its stream without a reply")
        agent.spent.add(reply.usage, agent.price(reply.usage))
        return shortening.Answered(reply)

    return ask

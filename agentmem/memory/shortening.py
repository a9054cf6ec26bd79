"""Shortening: the part of memory's door that compacts a session's prompt, strikes lines and brings them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmem.domain import todo
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact import expand as expanding
from agentmem.memory.manage.compact import headway, marker
from agentmem.memory.manage.compact import strike as striking
from agentmem.memory.manage.compact.compaction import Compaction
from agentmem.memory.manage.compact.expand import Expansion, NotChanged
from agentmem.memory.manage.compact.layout import Change, Layout, Room, layout
from agentmem.memory.manage.compact.narrating import Brief, standing, tell
from agentmem.memory.manage.compact.narrating import remade as remade_text
from agentmem.memory.manage.compact.narrative import Leaving, Piece
from agentmem.memory.manage.compact.pipeline import Aim, Plan
from agentmem.memory.manage.compact.segments import Remaking, Segment, outgrown, remake
from agentmem.memory.manage.compact.subject import LeafMoved
from agentmem.memory.manage.compact.summary import Answered, Ask, Refusal, compact_instructions
from agentmem.memory.manage.fork import entry_called
from agentmem.memory.read import aside, carried, edits, tally, weight
from agentmem.memory.stores import blobs

__all__ = [
    "Aim",
    "Answered",
    "Ask",
    "Brief",
    "Change",
    "Compaction",
    "Expansion",
    "Layout",
    "LeafMoved",
    "Leaving",
    "NotChanged",
    "Piece",
    "Plan",
    "Refusal",
    "Remaking",
    "Room",
    "afresh",
    "begin_compaction",
    "begin_remaking",
    "brief_for",
    "carried_ratio",
    "counted",
    "covering",
    "expand",
    "is_of",
    "looking",
    "message_bytes",
    "named",
    "open_todos",
    "outgrown_pair",
    "put_aside",
    "remade_text",
    "standing",
    "strike",
    "tell",
]

if TYPE_CHECKING:
    from agentmem.domain.entry import Entry
    from agentmem.memory.session import Session


def begin_compaction(session: Session, room: Room) -> Compaction:
    """A compaction at the session's leaf, bound to it."""
    return Compaction(session, room, session.outputs.folder)


def message_bytes(session: Session) -> int:
    """Bytes of all messages that prompts show, thoughts left out."""
    active = session.active
    return sum(layout(active, "").sizes) + (weight.FRAME + len(active.before.encode()) if active.before else 0)


def open_todos(session: Session) -> str | None:
    """The list of what is to be done in words for the model, None where nothing on it is open."""
    items = carried.todos(session.active)
    return todo.told(items) if any(one.state != "done" for one in items) else None


def counted(entry: Entry) -> int | None:
    """Tokens of the request that this reply answers, as the provider counted them; None for any other entry."""
    usage = tally.counts(entry)
    return None if usage is None else usage.input


def carried_ratio(session: Session) -> float | None:
    """The bytes a token by which the last compaction was measured, None without one."""
    found = (tally.ratio_of(entry) for entry in reversed(session.active.entries))
    return next((one for one in found if one is not None), None)


def brief_for(session: Session, window: int, focus: str, calls: int) -> Brief:
    """How spans of a session are told: with the instructions of its epoch, for a model with `window` tokens."""
    sections = session.sections
    profiles = "\n\n".join(one.text for one in sections if one.kind == "profile")
    texts = tuple(one.text for one in sections if one.kind in ("profile", "instructions"))
    return Brief(
        session=session.id,
        archive=session.places.archive,
        root=session.places.root,
        window=window,
        progress=lambda: headway.whole(session.active, session.branch),
        focus=focus,
        compact=compact_instructions(profiles),
        instructions=texts,
        calls=calls,
    )


def afresh(session: Session, brief: Brief) -> Brief:
    """The same, for a branch of which a covered line was struck: nothing carried is believed."""
    return replace(brief, progress=lambda: headway.until(session.active, session.branch, None, anew=True))


def looking(brief: Brief) -> Brief:
    """The same, for one who only looks: no archive is written."""
    return replace(brief, archive=None)


def named(found: Layout, change: Change) -> tuple[str, ...]:
    """What a form would change, in a few words each."""
    calls = {entry.id: marker.said(call) for unit in found.units for entry, _, call in found.results(unit)}
    heads = [calls.get(own) for own in change.targets]
    return tuple(one for one in heads if one)


Pair: TypeAlias = "tuple[Mapping[str, Any], Mapping[str, Any]]"


def outgrown_pair(work: Compaction) -> Pair | None:
    """The two neighbouring segments to make again, as the log lists them; None while all fit their share."""
    listed = {str(one.get("entry")): one for one in work.covered.segments}
    known = [found for one in work.covered.segments if (found := Segment.from_json(one)) is not None]
    pair = outgrown(known, work.room.window)
    return None if pair is None else (listed[pair[0].entry], listed[pair[1].entry])


def is_of(remaking: Remaking, pair: Pair) -> bool:
    """Whether this pair is what is being made again."""
    return tuple(one.entry for one in remaking.pair) == tuple(one.get("entry") for one in pair)


def begin_remaking(work: Compaction, pair: Pair, brief: Brief) -> Remaking | None:
    """Begin to make two neighbours again; None where the log does not hold what they sum up. Raises `OSError`."""
    first, second = (Segment.from_json(one) for one in pair)
    span = work.raw(*pair)
    if first is None or second is None or not span:
        return None
    return remake((first, second), brief.job(span))


def put_aside(session: Session, model: str, prompt: Prompt, body: bytes, door: Mapping[str, Any]) -> dict[str, Any]:
    """Keep a prompt that is asked beside the conversation; gives the body of its `call` entry. Raises `OSError`."""
    path, fresh = blobs.put(session.places.blobs, aside.written(prompt))
    if fresh:
        session.unsynced(path)
    return {
        "purpose": "summary",
        "prompt": path.name,
        "sha256": blobs.digest(body)[:32],
        "model": model,
        "door": dict(door),
    }


def strike(session: Session, called: str) -> tuple[Entry, bool]:
    """Take one line of the log (its entry's id, the start of it, or its label) out of every later prompt. Gives the
    strike and whether a summary before it covers the line, which must be told anew then. Raises `EntryMissing`,
    `NotChanged` with what is wrong otherwise."""
    tree = session.tree()
    path = tree.path(session.leaf)
    entry = next(one for one in path + list(tree.entries) if one.id == entry_called(tree, called))
    if entry not in path:
        raise NotChanged(f"{entry.id} is on another branch: no prompt of this one shows it")
    if entry.id in edits.struck(session.active.entries):
        raise NotChanged(f"{entry.id} is struck already")
    targets = striking.targets(path, entry)
    if not targets:
        raise NotChanged(f"{entry.id} is no message: only what was said or printed can be struck")
    covered = all(one.id != entry.id for one in session.active.entries)
    struck = session.append("strike", {"of": entry.id, "targets": targets}, session.leaf)
    message = entry.message()
    if message is not None and (left := carried.unbound(session.active, message.text)) is not None:
        session.append("state", {"set": {"limits": left or None}}, session.leaf)
    session.renew()
    session.sync()
    return struck, covered


def covering(session: Session, work: Compaction, struck: Entry) -> Piece | None:
    """What told before the prompt covers the entry that a strike is about; None where none can be told anew."""
    path = session.branch()
    entry = next((one for one in path if one.id == struck.body["of"]), None)
    return None if entry is None else work.piece(path, entry)


def expand(session: Session, called: str, room: Room) -> tuple[Entry, Expansion]:
    """Bring back what a compaction or a strike took out of the prompt: `called` names that entry, or a message. Raises
    `EntryMissing`, `NotChanged` (also where it would not fit)."""
    tree = session.tree()
    known = {entry.id: entry for entry in tree.entries}
    found = expanding.expansion(session.active, tree.path(session.leaf), known, known[entry_called(tree, called)])
    comes = sum(weight.total([message]) for one in found.entries if (message := one.message()) is not None)
    then = room.used + room.tokens(comes)
    if then > room.window:
        raise NotChanged(
            f"what would come back takes about {room.tokens(comes):,} tokens; with the {room.used:,} in use that "
            f"is more than the window of {room.window:,}. Single messages of it can be expanded"
        )
    if found.told:
        entry = session.record_notice(found.told, "harness")
    else:
        entry = session.append("expand", {"of": found.of}, session.leaf)
        session.renew()
    session.sync()
    return entry, found

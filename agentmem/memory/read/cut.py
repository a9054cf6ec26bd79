"""Cut: where the active part of a branch begins, and what is told in place of all before it.

A window or summary entry is a snapshot; what it covers is told by the summaries of its live segments, oldest first:

    {"type":"compaction","id":"g7…","parent_id":"d4…","at":"…","form":"summary","summary":"…","first_kept":"d4…",
     "first_kept_offset":18233,"segments":[{"entry":"b2…","offset":9120}],"pinned":[{"entry":"a1…","offset":512}],
     "frontier":"…","todo":[{"text":"…","state":"open"}],"model":{"model":"…","max_output":null},"name":"…",…}

Its own summary comes last, or where `segments` name itself; without `segments` no earlier summary is told. Entries that
are `pinned` stand before its first kept one as they are. A `reset` begins an empty branch. A snapshot whose first kept
entry is not on the branch before it covers nothing, and one that an `expand {of}` after it names covers nothing any
more: everything is shown rather than lost.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.domain.entry import Entry

SNAPSHOTS = frozenset({"window", "summary"})
EDITS = frozenset({"offload", "collapse", "drop"})
NOT_SHOWN = "[The conversation before this point is not shown; the session's log holds all of it.]"
SUMMARISED = "[The conversation before this point, summarised; the session's log holds all of it.]"
UNREADABLE = "[A summary that belongs here cannot be read in the session's log.]"


@dataclass(frozen=True, slots=True)
class Active:
    """The part of a branch that prompts are made of: `entries` are the pinned ones, then those from the first kept one
    to the leaf, the cut among them, all as they stand in the log.

    `before` is what is told in place of the rest, "" for nothing; `snapshot` is the entry that says so.
    """

    entries: tuple[Entry, ...]
    before: str = ""
    snapshot: Entry | None = None

    def shown(self) -> Sequence[Entry]:
        """The entries as prompts show them: none that was dropped or struck, a line for what was collapsed."""
        if not any(is_edit(entry.type, entry.body) for entry in self.entries):
            return self.entries
        from agentmem.memory.read import edits  # most branches are as they were said

        return edits.shown(self.entries)


def is_cut(kind: object, body: Mapping[str, Any]) -> bool:
    """Whether an entry of this type may take what is before it out of the prompt."""
    if kind == "compaction":
        return body.get("form") in SNAPSHOTS and isinstance(body.get("first_kept"), str)
    return kind == "reset"


def _pinned(entry: Entry) -> Entry:
    """A pinned entry as it is shown: of a skill's body as much as outlives a compaction."""
    if entry.type != "skill":
        return entry
    from agentmem.memory.read import invoked

    content = [{"type": "text", "text": invoked.carried(entry), "origin": "harness"}]
    return replace(entry, body={**entry.body, "content": content})


def stands(entry: Entry, undone: Container[str | None]) -> bool:
    """Whether an entry is a cut, and none of those that `undone` names."""
    return is_cut(entry.type, entry.body) and (entry.type == "reset" or entry.id not in undone)


def is_edit(kind: object, body: Mapping[str, Any]) -> bool:
    """Whether an entry of this type changes how single entries before it are shown."""
    return kind in ("strike", "expand") or (kind == "compaction" and body.get("form") in EDITS)


def expanded(entry: Entry) -> str | None:
    """The id of what an `expand` entry brings back, None for any other."""
    of = entry.body.get("of") if entry.type == "expand" else None
    return of if isinstance(of, str) else None


def active(branch: Sequence[Entry], known: Mapping[str, Entry]) -> Active:
    """The active part of a branch, root first. `known` are the log's entries by id: segments are taken from there."""
    undone: set[str | None] = set()
    for place in range(len(branch) - 1, -1, -1):
        entry = branch[place]
        undone.add(expanded(entry))
        if not stands(entry, undone):
            continue
        if entry.type == "reset":
            return Active(tuple(branch[place:]))
        first = next((at for at in range(place - 1, -1, -1) if branch[at].id == entry.body["first_kept"]), None)
        if first is not None:
            kept = {one.id for one in branch[first:]}
            pinned = (_pinned(known[own]) for own, _ in named(entry, "pinned") if own in known and own not in kept)
            return Active((*pinned, *branch[first:]), _told(entry, known), entry)
    return Active(tuple(branch))


def segments(snapshot: Entry) -> Iterator[tuple[str, int | None]]:
    """The id and the offset in bytes (None: not said) of each live segment, oldest first."""
    return named(snapshot, "segments")


def named(snapshot: Entry, key: str) -> Iterator[tuple[str, int | None]]:
    """The id and the offset of each entry that a snapshot lists under `key`: segments or pinned."""
    listed = snapshot.body.get(key)
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(own := one.get("entry"), str):
            yield own, offset(one.get("offset"))


def model_of(snapshot: Entry) -> Mapping[str, Any] | None:
    """What was last said of the model when the snapshot was taken, as in a `model` entry; None for not said."""
    told = snapshot.body.get("model")
    return told if isinstance(told, dict) else None


def offset(value: object) -> int | None:
    """A byte's place in a file, None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _told(snapshot: Entry, known: Mapping[str, Entry]) -> str:
    own = [snapshot.id] if isinstance(snapshot.body.get("summary"), str) else []
    listed = [one for one, _ in segments(snapshot)]
    order = listed if own and snapshot.id in listed else [*(one for one in listed if one != snapshot.id), *own]
    every = {**known, snapshot.id: snapshot}
    texts = [text for one in order if (text := _summary(every[one]) if one in every else UNREADABLE)]
    return "\n\n".join((SUMMARISED if texts else NOT_SHOWN, *texts, *_carried(snapshot)))


def _summary(entry: Entry) -> str:
    text = entry.body.get("summary") if entry.type == "compaction" else None
    return text.strip() if isinstance(text, str) else ""


def _carried(snapshot: Entry) -> Iterator[str]:
    """What a snapshot carries over beside summaries: where the work stands, and the list of what is to be done."""
    frontier = snapshot.body.get("frontier")
    if isinstance(frontier, str) and frontier.strip():
        yield frontier.strip()
    if "todo" in snapshot.body:
        from agentmem.domain import todo  # few sessions keep a list

        if items := todo.read(snapshot.body["todo"]):
            yield todo.told(items)

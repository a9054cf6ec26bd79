"""Cut: where the active part of a branch begins, and what is told in place of all before it.

A window or summary entry is a snapshot; what it covers is told by the summaries of its live segments, oldest first:

    {"type":"compaction","id":"g7…","parent_id":"d4…","at":"…","form":"summary","summary":"…","first_kept":"d4…",
     "first_kept_offset":18233,"segments":[{"entry":"b2…","offset":9120}],"model":{"model":"…","max_output":null},"name":"…",…}

Its own summary comes last; without `segments` no earlier summary is told. A `reset` begins an empty branch. A snapshot
whose first kept entry is not on the branch before it covers nothing: everything is shown rather than lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry

SNAPSHOTS = frozenset({"window", "summary"})
NOT_SHOWN = "[The conversation before this point is not shown; the session's log holds all of it.]"
SUMMARISED = "[The conversation before this point, summarised; the session's log holds all of it.]"
UNREADABLE = "[A summary that belongs here cannot be read in the session's log.]"


@dataclass(frozen=True, slots=True)
class Active:
    """The part of a branch that prompts are made of: `entries` from the first kept one to the leaf, the cut among them.

    `before` is what is told in place of the rest, "" for nothing; `snapshot` is the entry that says so.
    """

    entries: tuple[Entry, ...]
    before: str = ""
    snapshot: Entry | None = None


def is_cut(kind: object, body: Mapping[str, Any]) -> bool:
    """Whether an entry of this type may take what is before it out of the prompt."""
    if kind == "compaction":
        return body.get("form") in SNAPSHOTS and isinstance(body.get("first_kept"), str)
    return kind == "reset"


def active(branch: Sequence[Entry], known: Mapping[str, Entry]) -> Active:
    """The active part of a branch, root first. `known` are the log's entries by id: segments are taken from there."""
    for place in range(len(branch) - 1, -1, -1):
        entry = branch[place]
        if not is_cut(entry.type, entry.body):
            continue
        if entry.type == "reset":
            return Active(tuple(branch[place:]))
        first = next((at for at in range(place - 1, -1, -1) if branch[at].id == entry.body["first_kept"]), None)
        if first is not None:
            return Active(tuple(branch[first:]), _told(entry, known), entry)
    return Active(tuple(branch))


def segments(snapshot: Entry) -> Iterator[tuple[str, int | None]]:
    """The id and the offset in bytes (None: not said) of each live segment, oldest first."""
    listed = snapshot.body.get("segments")
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
    own = [snapshot] if isinstance(snapshot.body.get("summary"), str) else []
    listed = [known.get(named) for named, _ in segments(snapshot) if named != snapshot.id]
    texts = [text for one in (*listed, *own) if (text := UNREADABLE if one is None else _summary(one))]
    return "\n\n".join((SUMMARISED, *texts)) if texts else NOT_SHOWN


def _summary(entry: Entry) -> str:
    text = entry.body.get("summary") if entry.type == "compaction" else None
    return text.strip() if isinstance(text, str) else ""

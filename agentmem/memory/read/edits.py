"""Edits: entries that prompts no longer show, or show as one line, by what later entries of the branch say of them.

    {"type":"compaction","form":"collapse","targets":[{"entry":"d4…","marker":"[read a.py, 412 lines: collapsed …]"}],…}
    {"type":"compaction","form":"drop","targets":[{"entry":"c3…"},{"entry":"d4…"}],…}
    {"type":"strike","of":"d4…","targets":[{"entry":"d4…","marker":"[struck by the person]"}],…}
    {"type":"expand","of":"g7…",…}

A target without a marker is not shown at all. `expand` names the entry whose doing ends, or one target of it; what was
dropped or struck together comes back together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentmem.domain.entry import Entry
from agentmem.memory.read import cut

APART = frozenset({"offload", "collapse"})
"""Forms whose targets come back one by one."""


@dataclass(slots=True, frozen=True)
class Layer:
    """What one entry `by` does: each target's marker, None for not shown."""

    by: str
    apart: bool
    targets: dict[str, str | None] = field(default_factory=dict)


def layers(entries: Iterable[Entry]) -> list[Layer]:
    """What is in force at the end of a branch, the oldest first."""
    found: list[Layer] = []
    for entry in entries:
        if (of := cut.expanded(entry)) is not None:
            found = [left for one in found if (left := _without(one, of)) is not None]
        elif cut.is_edit(entry.type, entry.body):
            apart = entry.body.get("form") in APART
            found.append(Layer(entry.id, apart, dict(targets(entry))))
    return found


def in_force(entries: Iterable[Entry]) -> dict[str, str | None]:
    """Each entry that is shown otherwise than it stands in the log: its marker, None for not at all."""
    return {own: marker for layer in layers(entries) for own, marker in layer.targets.items()}


def shown(entries: Sequence[Entry]) -> list[Entry]:
    """The entries as prompts show them."""
    force = in_force(entries)
    return [
        entry if marker is None else marked(entry, marker)
        for entry in entries
        if (marker := force.get(entry.id)) is not None or entry.id not in force
    ]


def marked(entry: Entry, marker: str) -> Entry:
    """The entry with a line of ours for its content."""
    content = [{"type": "text", "text": marker, "origin": "harness"}]
    return replace(entry, body={**entry.body, "content": content})


def struck(entries: Iterable[Entry]) -> dict[str, str]:
    """Each struck entry and the strike that did it."""
    every = list(entries)
    strikes = {entry.id for entry in every if entry.type == "strike"}
    return {own: one.by for one in layers(every) if one.by in strikes for own in one.targets}


def targets(entry: Entry) -> Iterator[tuple[str, str | None]]:
    """The targets of an edit with their markers; what is malformed is passed over."""
    listed = entry.body.get("targets")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and isinstance(own := one.get("entry"), str):
            marker = one.get("marker")
            if isinstance(marker, str) and marker.strip():
                yield own, marker
            elif entry.body.get("form") not in APART:
                yield own, None


def _without(layer: Layer, of: str) -> Layer | None:
    if of == layer.by or (of in layer.targets and not layer.apart):
        return None
    left = {own: marker for own, marker in layer.targets.items() if own != of}
    return replace(layer, targets=left) if left else None

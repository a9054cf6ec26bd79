"""Coverage: what is told before the prompt and which entries that covers, as the branch's last snapshot lists it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.layout import Room
from agentmem.memory.read import cut


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a `snapshot` entry tells, nothing without one; `room` measures a text whose tokens are not listed."""

    snapshot: Entry | None
    room: Room

    @property
    def segments(self) -> tuple[Mapping[str, Any], ...]:
        """The live segments as the log lists them, oldest first."""
        snapshot = self.snapshot
        if snapshot is None:
            return ()
        found = [one for one in self._listed if one.get("stand_in") is not True]
        text = snapshot.body.get("summary")
        own = any(one.get("entry") == snapshot.id for one in found)
        if snapshot.body.get("form") == "summary" and isinstance(text, str) and not own:
            # Another tool's summary, of all before it.
            found.append({"entry": snapshot.id, "tokens": self.room.tokens(len(text.encode()))})
        return tuple(found)

    @property
    def stand_in(self) -> Mapping[str, Any] | None:
        """The rule-made summary of what no accepted one covers yet, as the log lists it; the next takes its place."""
        snapshot, listed = self.snapshot, self._listed
        if (found := next((one for one in listed if one.get("stand_in") is True), None)) is not None:
            return found
        text = snapshot.body.get("summary") if snapshot is not None else None
        if snapshot is None or snapshot.body.get("form") != "window" or not isinstance(text, str):
            return None
        if any(one.get("entry") == snapshot.id for one in listed):
            return None
        return {"entry": snapshot.id, "tokens": self.room.tokens(len(text.encode())), "stand_in": True}

    def listed(self, segments: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Segments as the next snapshot lists them where the stand-in stays."""
        return [*segments, *([] if self.stand_in is None else [self.stand_in])]

    @property
    def end(self) -> tuple[str | None, int | None]:
        """Where the accepted summaries end: the first entry that none of them covers, and its place in the log."""
        snapshot = self.snapshot
        if snapshot is None:
            return None, None
        told = snapshot.body.get("consolidated_to")
        if isinstance(told, dict) and isinstance(told.get("entry"), str):
            return told["entry"], cut.offset(told.get("offset"))
        if snapshot.body.get("form") != "summary":
            return None, None
        return str(snapshot.body["first_kept"]), cut.offset(snapshot.body.get("first_kept_offset"))

    @property
    def until(self) -> Mapping[str, Any]:
        """The same, as a snapshot has it."""
        entry, offset = self.end
        return {"entry": entry, "offset": offset}

    @property
    def _listed(self) -> tuple[Mapping[str, Any], ...]:
        listed = self.snapshot.body.get("segments") if self.snapshot is not None else None
        return tuple(one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()

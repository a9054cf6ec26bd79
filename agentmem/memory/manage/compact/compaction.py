"""A compaction of one session: planned on working memory, written into its log entry by entry, bound to its leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact import carrying, headway
from agentmem.memory.manage.compact.carrying import Kept, Told
from agentmem.memory.manage.compact.coverage import Coverage
from agentmem.memory.manage.compact.cutting import Cut
from agentmem.memory.manage.compact.layout import Change, Layout, Room, layout
from agentmem.memory.manage.compact.narrative import Leaving, Narrative, Piece
from agentmem.memory.manage.compact.pipeline import Aim, Plan, plan
from agentmem.memory.manage.compact.subject import LeafMoved, Subject
from agentmem.memory.read import carried, cut, span


class Compaction:
    """Begun at the session's leaf; what it writes itself moves the leaf along."""

    def __init__(self, log: Subject, room: Room, folder: str) -> None:
        """`folder` is where the session's whole outputs lie, from the root."""
        self._log = log
        self._folder = folder
        self.room = room
        self.active = log.active
        self.leaf = self.active.entries[-1].id if self.active.entries else None

    @property
    def covered(self) -> Coverage:
        """What is told before the prompt now, and what that covers."""
        return Coverage(self.active.snapshot, self.room)

    @property
    def found(self) -> Layout:
        """The layout of the branch."""
        return layout(self.active, self._folder)

    def plan(self, aim: Aim) -> Plan:
        """What would be done."""
        return plan(self.found, self.room, aim)

    def change(self, change: Change, why: str) -> Entry:
        """Write one recoverable form. Raises `OSError` (its files; then nothing changed), `LeafMoved`."""
        for path, data in change.files.items():
            self._log.put(path, data)
        targets = [
            {"entry": own} | ({} if marker is None else {"marker": marker}) for own, marker in change.targets.items()
        ]
        after = self.room.less(change.freed)
        body = {"form": change.form, "targets": targets, "why": why, "tokens": _tokens(self.room, after.used)}
        entry = self._append(body, self._log.new_id())
        self.room = after
        return entry

    def leaving(self, made: Cut) -> Leaving | None:
        """What a cut takes out of the prompt, from where the accepted summaries end; None where the log cannot tell.
        Raises `OSError`."""
        entries, snapshot = self.active.entries, self.active.snapshot
        first = entries[made.first]
        start, at = self.covered.end
        pinned = self.found.pinned
        inside = next((n for n, one in enumerate(entries) if n >= pinned and one.id == start), None)
        if snapshot is None:
            inside = 0 if entries and entries[0].parent_id is None else inside
        raw = entries[inside : made.first] if inside is not None else span.between(self._log.path, start, at, first.id)
        if not raw:
            return None
        gone = set(carried.struck(self.active))
        told = tuple(one for one in raw if one.id not in gone)
        stand_in = self.covered.stand_in
        most = made.told + (int(stand_in["tokens"]) if stand_in is not None else 0)
        return Leaving(made.first, made.pinned, told, self.covered.segments, most) if told else None

    def snapshot(self, leaving: Leaving, written: Narrative, why: str) -> Entry:
        """Write the cut with what is told in its place. Raises `LeafMoved`."""
        first = self.active.entries[leaving.first]
        own = self._log.new_id()
        kept = Kept(first.id, tuple(one.id for one in leaving.pinned))
        ends = _ends(leaving.entries)
        segments = list(leaving.segments)
        if written.segment is not None:
            at = self._where([ends["first"]]).get(ends["first"])
            segments.append({**written.segment, "entry": own, "first_offset": at})
        until = self.covered.until if written.form != "summary" else None
        return self._cut(own, kept, replace(written, more={**written.more, "why": why, "span": ends}), segments, until)

    def piece(self, path: Sequence[Entry], entry: Entry) -> Piece | None:
        """What covers an entry of the branch `path` (whole, root first), None where none can be told anew."""
        at = {one.id: number for number, one in enumerate(path)}
        place, gone = at[entry.id], set(carried.struck(self.active))
        for number, one in enumerate(self.covered.segments):
            first, last = (at.get(str(one.get(key)), -1) for key in ("first", "last"))
            if 0 <= first <= place <= last:
                return Piece(self._anew([own for own in path[first : last + 1] if own.id not in gone]), number)
        snapshot = self.active.snapshot
        if snapshot is None or self.covered.stand_in is None:
            return None
        start, _ = self.covered.end
        first, end = at.get(start or path[0].id, 0), at[str(snapshot.body["first_kept"])]
        left = [own for own in path[first:end] if own.id not in gone]
        return Piece(self._anew(left), None) if first <= place < end and left else None

    def raw(self, first: Mapping[str, Any], last: Mapping[str, Any]) -> tuple[Entry, ...]:
        """The raw entries of two neighbouring segments, none of them struck; empty where the log does not hold them.
        Raises `OSError`."""
        start, end = str(first.get("first")), str(last.get("last"))
        found = span.through(self._log.path, start, cut.offset(first.get("first_offset")), end)
        gone = set(carried.struck(self.active))
        return tuple(one for one in found or () if one.id not in gone)

    def merged(self, first: Mapping[str, Any], written: Narrative, why: str) -> Entry:
        """Write two neighbours, the first of them given, as one that was made again. Raises `LeafMoved`."""
        listed = list(self.covered.segments)
        at = next(number for number, one in enumerate(listed) if one.get("entry") == first.get("entry"))
        mark = {**(written.segment or {}), "first_offset": first.get("first_offset"), "entry": "", "offset": None}
        listed[at : at + 2] = [mark]
        return self._remade(self.covered.listed(listed), written, why, self.covered.until)

    def refreshed(self, frontier: str, why: str) -> Entry:
        """Write the last snapshot once more, with what is said now of where the work stands. Raises `LeafMoved`."""
        form = str(self.active.snapshot.body.get("form")) if self.active.snapshot is not None else ""
        listed = self.covered.listed(self.covered.segments)
        return self._remade(listed, Narrative(form, "", None, frontier), why, self.covered.until)

    def retold(self, piece: Piece, written: Narrative, why: str) -> Entry:
        """Write a piece as it was told anew, in its place. Raises `LeafMoved`."""
        written, listed = replace(written, anew=True), list(piece.leaving.segments)
        mark = {**(written.segment or {}), "entry": "", "offset": None}
        if piece.number is not None:
            listed[piece.number] = {**listed[piece.number], **mark}
            listed = self.covered.listed(listed)
        elif written.segment is not None:
            return self._remade([*listed, mark], written, why, None)
        return self._remade(listed, written, why, self.covered.until)

    def aside(self, body: Mapping[str, Any]) -> None:
        """Record a model call that is none of the conversation's."""
        entry = self._log.append("call", body, self.leaf, self._log.new_id())
        self._stand(entry)

    def _anew(self, entries: Sequence[Entry]) -> Leaving:
        pinned = self.found.pinned
        return Leaving(pinned, self.active.entries[:pinned], tuple(entries), self.covered.segments)

    def _remade(
        self, segments: Sequence[Mapping[str, Any]], written: Narrative, why: str, until: Mapping[str, Any] | None
    ) -> Entry:
        """Write a snapshot that keeps what the last one kept, with `segments` told before it: its own text stands where
        its own segment (entry "") is listed. The accepted summaries end at `until`, None for where it begins. Raises
        `LeafMoved`."""
        snapshot = self.active.snapshot
        if snapshot is None:
            raise LeafMoved
        own = self._log.new_id()
        pinned = tuple(one.id for one in self.active.entries[: self.found.pinned])
        kept = Kept(str(snapshot.body["first_kept"]), pinned)
        listed = [{**one, "entry": own} if one.get("entry") == "" else one for one in segments]
        return self._cut(own, kept, replace(written, more={**written.more, "why": why, "retold": True}), listed, until)

    def _cut(
        self,
        own: str,
        kept: Kept,
        written: Narrative,
        segments: Sequence[Mapping[str, Any]],
        until: Mapping[str, Any] | None,
    ) -> Entry:
        """Write a snapshot; the accepted summaries end at `until`, None for where it begins itself."""
        listed = self._placed(segments, own)
        told = Told(written.form, written.text, listed, written.frontier, written.more)
        body = carrying.body(self.active, kept, told, self._where, written.limits)
        body["consolidated_to"] = until or {"entry": kept.first, "offset": body["first_kept_offset"]}
        body["model"] = dict(self._log.asked) if self._log.asked is not None else None
        body["name"] = self._log.name or None
        done = headway.until(self.active, self._log.branch, kept.first, anew=written.anew)
        body["progress"] = headway.to_json(done)
        weighed = {**body, "summary": "" if any(one.get("entry") == own for one in listed) else written.text}
        after = carrying.after(self.found, kept, weighed, self.room)
        body["tokens"] = _tokens(self.room, after)
        entry = self._append(body, own)
        self.room = Room(self.room.window, after, self.room.fixed, self.room.ratio)
        return entry

    def _placed(self, segments: Sequence[Mapping[str, Any]], own: str) -> list[Mapping[str, Any]]:
        """The segments with the places of their entries in the log, as far as they are written."""
        unknown = [str(one["entry"]) for one in segments if one.get("offset") is None and one["entry"] != own]
        at = self._where(unknown) if unknown else {}
        return [
            {**one, "offset": one["offset"] if one.get("offset") is not None else at.get(one["entry"])}
            for one in segments
        ]

    def _where(self, ids: Sequence[str]) -> Mapping[str, int]:
        return span.offsets(self._log.path, ids)

    def _append(self, body: Mapping[str, Any], own: str) -> Entry:
        entry = self._log.append("compaction", body, self.leaf, own)
        self._stand(entry)
        return entry

    def _stand(self, entry: Entry) -> None:
        self.active, self.leaf = self._log.active, entry.id


def _ends(entries: Sequence[Entry]) -> dict[str, Any]:
    return {"first": entries[0].id, "last": entries[-1].id, "messages": len(carrying.message_ids(entries))}


def _tokens(room: Room, after: int) -> dict[str, Any]:
    return {"before": room.used, "after": after, "window": room.window, "bytes_a_token": round(room.ratio, 3)}

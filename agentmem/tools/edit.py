"""edit: exact texts of a file replaced, each of them unique, all of them or none.

Every edit is matched against the file as it was before the call. Nothing is loose but the two kinds of line end: what
is nearly right is shown, never applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.change import Change, Refused, check_fresh, current, encoded, make
from agentmem.tools.content import BOM, Kind, kind_of, line_at, shown, wide
from agentmem.tools.match import FIND_MOST, Folded, Span, applied, fold, overlap
from agentmem.tools.placeholder import placeholder
from agentmem.tools.specs import EDIT
from agentmem.tools.target import access_of, missing, printable, target
from agentmem.workspace.paths import BadPath

ALL_MOST = 100_000  # places that one edit replaces
_LINES_TOLD = 10  # of an ambiguous match


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        return make(_plan(arguments, context), context)
    except (Refused, BadPath) as refusal:
        return ToolResult(str(refusal), error=True)


def _preview(arguments: Mapping[str, Any], context: ToolContext) -> str | None:
    try:
        return _plan(arguments, context).diff(context)
    except (Refused, BadPath):
        return None


def _plan(arguments: Mapping[str, Any], context: ToolContext) -> Change:
    """The change asked for. Raises `Refused`, `BadPath`."""
    named, edits = arguments["path"], arguments["edits"]
    path = target(arguments, context)
    before = current(path, named, context)
    if before is None:
        advice = "; to make a new file use write" if any(not edit["old"] for edit in edits) else ""
        raise Refused(missing(named, path) + advice)
    check_fresh(path, before, named, context)
    if not edits:
        raise Refused("edits is empty: nothing to change")
    kind = kind_of(before)
    if kind in ("binary", "utf-16"):
        what = f"{wide(before) or ''} text".upper().replace("TEXT", "text") if kind == "utf-16" else "binary"
        raise Refused(f"{printable(named)} is {what}, not UTF-8: edit does not touch it; bash can")
    mark = len(BOM) if before.startswith(BOM) else 0
    file = _File(before[mark:], kind, named, bool(mark))
    spans = file.spans(edits)
    after = before[:mark] + applied(file.data, spans)
    starts = sorted(span.start for span in spans)
    places = f"{len(spans):,} place{'' if len(spans) == 1 else 's'}"
    return Change(path, named, before, after, f"edited {printable(named)}: {places}, {_lines(file.data, starts)}")


def _lines(data: bytes, starts: Sequence[int]) -> str:
    """The lines of the first places, for people: `line 3`, `lines 1, 3, …`."""
    told = list(dict.fromkeys(line_at(data, start) for start in starts[:_LINES_TOLD]))
    more = ", …" if len(starts) > _LINES_TOLD else ""
    return f"line{'' if len(told) == 1 and not more else 's'} {', '.join(map(str, told))}{more}"


class _File:
    """The file that edits are matched against: its bytes without byte order mark."""

    def __init__(self, data: bytes, kind: Kind, named: str, marked: bool) -> None:
        self.mark = BOM if marked else b""
        self.data = data
        self.kind = kind
        self.named = printable(named)
        self.folded = Folded(data)

    def spans(self, edits: Sequence[Mapping[str, Any]]) -> list[Span]:
        """What all edits replace. Raises `Refused` when one of them cannot be done, or two meet."""
        labelled: list[tuple[int, Span]] = []
        for number, edit in enumerate(edits, 1):
            label = f"edit {number} of {len(edits)}: " if len(edits) > 1 else ""
            try:
                labelled += [(number, span) for span in self._spans(edit)]
            except Refused as refusal:
                raise Refused(f"{label}{refusal}. Nothing was written") from refusal
        clash = overlap(labelled)
        if clash is not None:
            raise Refused(f"edits {clash[0]} and {clash[1]} overlap: make them one edit. Nothing was written")
        return [span for _, span in labelled]

    def _spans(self, edit: Mapping[str, Any]) -> list[Span]:
        old = fold(encoded(edit["old"], "old").removeprefix(self.mark))
        new = fold(encoded(edit["new"], "new").removeprefix(self.mark))
        self._check_words(edit, old, new)
        if self.folded.ends_within(old):
            raise Refused(f"old ends in a carriage return that belongs to a line's end in {self.named}: leave it out")
        found = self.folded.find(old, overlapping=not edit.get("all", False))
        if not found:
            raise Refused(self._not_found(old.decode()))
        if len(found) > 1 and not edit.get("all", False):
            raise Refused(self._ambiguous(found))
        if len(found) > ALL_MOST:
            raise Refused(f"old stands in {len(found):,} places of {self.named}, too many for edit: use bash")
        spans = [self.folded.span(at, len(old), new) for at in found]
        self._check_ends(old, new, spans)
        if self.kind == "not utf-8":
            self._check_plain(old + new, spans)
        return spans

    def _check_words(self, edit: Mapping[str, Any], old: bytes, new: bytes) -> None:
        """Refuse what no file could make right."""
        if not old:
            raise Refused(
                "old is empty: give the text to replace (to make a file, or to replace all of one, use write)"
            )
        if old == new:
            ends = "; edit keeps line ends, bash can change them" if edit["old"] != edit["new"] else ""
            raise Refused(f"old and new are equal: no change{ends}")
        left_out = placeholder(new.decode(), old.decode())
        if left_out is not None:
            raise Refused(f"new holds a placeholder, `{left_out}`, that old does not: write out the text it stands for")

    def _check_ends(self, old: bytes, new: bytes, spans: Sequence[Span]) -> None:
        """Refuse a carriage return that would become part of a line end."""
        if b"\r\n" in new and b"\r\n" not in old:
            raise Refused("new holds two carriage returns before a line's end; edit keeps line ends: leave them out")
        if new.endswith(b"\r") and not old.endswith(b"\r"):
            follows = [self.data[span.end : span.end + 2] for span in spans]
            if any(after.startswith((b"\n", b"\r\n")) for after in follows):
                raise Refused("new ends in a carriage return before a line's end; edit keeps line ends: leave it out")

    def _check_plain(self, text: bytes, spans: Sequence[Span]) -> None:
        """In another encoding only ASCII is sure to mean the same, and only after an ASCII byte is it sure not to be
        the second half of a character."""
        if not text.isascii():
            raise Refused(
                f"{self.named} is not UTF-8, so only ASCII text can be put in or matched: use bash for the rest"
            )
        if any(span.start and self.data[span.start - 1] >= 0x80 for span in spans):
            raise Refused(
                f"{self.named} is not UTF-8, and old begins right after a byte that is not ASCII, so it may be half a "
                "character: begin old earlier or later, or use bash"
            )

    def _ambiguous(self, found: Sequence[int]) -> str:
        count = f"{len(found)}{' or more' if len(found) == FIND_MOST else ''}"
        told = _lines(self.folded.text, found)
        return (
            f"old is ambiguous: it stands in {count} places of {self.named} ({told}); add lines around it, or set "
            "all to replace every one"
        )

    def _not_found(self, old: str) -> str:
        from agentmem.tools.near import TEXT_MOST, nearest

        near = nearest(shown(self.folded.text[:TEXT_MOST]), old)
        hints = list(near.hints)
        if "\r" in old:
            hints.append("old holds a carriage return: leave it out, edit keeps the file's line ends")
        if "\\x" in old and self.kind == "not utf-8":
            hints.append("\\xNN stands for a byte that is not UTF-8 and cannot be matched: leave it out of old")
        told = "".join(f"\n  hint: {hint}" for hint in hints)
        rows = "\n".join(f"{near.first + index}\t{row}" for index, row in enumerate(near.lines))
        head = f"old was not found in {self.named}{told}"
        return (
            f"{head}\nThe nearest lines are:\n{rows}\n(end of lines; old must match exactly)"
            if self.data
            else (f"{head}: the file is empty")
        )


TOOL = checked_tool(EDIT, _run, access_of("write"), _preview)

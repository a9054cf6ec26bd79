"""write: a whole file, new or in place of one that was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.change import Change, Refused, check_fresh, current, encoded, make
from agentmem.tools.content import BOM, kind_of, only_crlf
from agentmem.tools.match import fold
from agentmem.tools.placeholder import placeholder
from agentmem.tools.specs import WRITE
from agentmem.tools.target import access_of, printable, target
from agentmem.workspace.paths import BadPath


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        change = _plan(arguments, context)
    except (Refused, BadPath) as refusal:
        return ToolResult(str(refusal), error=True)
    if change.before == change.after:
        return ToolResult(f"{printable(change.named)} already holds exactly this; nothing to write")
    return make(change, context)


def _preview(arguments: Mapping[str, Any], context: ToolContext) -> str | None:
    try:
        return _plan(arguments, context).diff(context) or None
    except (Refused, BadPath):
        return None


def _plan(arguments: Mapping[str, Any], context: ToolContext) -> Change:
    """The change asked for. Raises `Refused`, `BadPath`."""
    named = arguments["path"]
    if named.rstrip().endswith("/"):
        raise Refused(f"{printable(named)} names a directory; give the path of a file")
    path = target(arguments, context)
    after = encoded(arguments["content"], "content")
    before = current(path, named, context)
    if before is None:
        return Change(path, named, None, after, f"wrote {printable(named)}: new, {_size(after)}")
    if before and before != after:
        _check_kept(before, after, named, str(path) in context.seen)
    check_fresh(path, before, named, context)
    formed = _in_form(before, after)
    kept = "; its form (line ends, byte order mark) was kept" if formed != after else ""
    return Change(path, named, before, formed, f"wrote {printable(named)}: {_size(formed)}, was {_size(before)}{kept}")


def _check_kept(before: bytes, after: bytes, named: str, seen: bool) -> None:
    """Raise `Refused` where writing the whole file anew would lose something: another encoding, text the model never
    saw, code that a placeholder stands for."""
    kind = kind_of(before)
    if kind != "utf-8":
        raise Refused(
            f"{printable(named)} is {kind}, and writing it anew as UTF-8 would lose that: change it with edit or bash, "
            "or remove it first"
        )
    if not seen:
        raise Refused(f"{printable(named)} exists and was not read yet: read it first, so that nothing in it is lost")
    left_out = placeholder(after.decode(), before.decode())
    if left_out is not None:
        raise Refused(
            f"content holds a placeholder, `{left_out}`, where the file has text that would be lost: write all of it, "
            "or use edit. Nothing was written"
        )


def _in_form(before: bytes, after: bytes) -> bytes:
    """The new content with what a model does not see of the old one kept: byte order mark, line ends all of a kind."""
    if only_crlf(before) and b"\r\n" not in after:
        after = after.replace(b"\n", b"\r\n")
    elif b"\n" in before and b"\r" not in before and only_crlf(after):
        after = fold(after)
    return BOM + after if before.startswith(BOM) and not after.startswith(BOM) else after


def _size(data: bytes) -> str:
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    return f"{lines:,} line{'' if lines == 1 else 's'}, {len(data):,} bytes"


TOOL = checked_tool(WRITE, _run, access_of("write"), _preview)

"""forget: the model passes on the person's wish to have something forgotten; the person is shown what, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools.specs import FORGET


def _query(arguments: Mapping[str, Any]) -> str:
    found = arguments.get("query")
    return found if isinstance(found, str) else ""


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    query = _query(arguments)
    if not query.strip():
        return ToolResult("`query` must be a string: the id of a fact, or the words as they stand there", error=True)
    if context.forget is None:
        return ToolResult("Nothing can be forgotten from here.", error=True)
    return context.forget.go(query)


def _preview(arguments: Mapping[str, Any], context: ToolContext) -> str | None:
    return context.forget.look(_query(arguments)) if context.forget is not None else None


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    query = _query(arguments)
    if not query.strip():
        return ()  # it changes nothing, so nobody need be asked
    return (Access("forget", str(context.places.memory_file), query),)


TOOL = Tool(FORGET, _run, _access, preview=_preview)

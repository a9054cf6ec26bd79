"""forget: the model asks for words to leave everything that is kept; the person is asked in every mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools.specs import FORGET


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    query = _query(arguments)
    if not query.strip():
        return ToolResult("`query` must be a string: the id of a memory, or the words to forget", error=True)
    if context.forgets is None:
        return ToolResult("Nothing can be forgotten from here; put it into your answer.", error=True)
    return context.forgets.perform(query)


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    query = _query(arguments)
    return (Access("forget", query, query),) if query.strip() else ()


def _preview(arguments: Mapping[str, Any], context: ToolContext) -> str | None:
    return None if context.forgets is None else context.forgets.look(_query(arguments))


def _query(arguments: Mapping[str, Any]) -> str:
    query = arguments.get("query")
    return query if isinstance(query, str) else ""


TOOL = Tool(FORGET, _run, _access, preview=_preview)

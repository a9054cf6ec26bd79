"""todo: the agent's own small list of what is to be done; each call gives the whole list anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain import todo
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import TO_DO


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return ()  # it is kept in the session's log alone


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    given = arguments["items"]
    if len(given) > todo.MOST:
        return ToolResult(f"todo: {len(given)} items are too many, {todo.MOST} at most: join some", error=True)
    if long := next((one["text"] for one in given if len(one["text"]) > todo.LONGEST), None):
        return ToolResult(f"todo: an item is longer than {todo.LONGEST} characters: {long[:80]}…", error=True)
    items = todo.read(given)
    return ToolResult(todo.lines(items) if items else "the list is empty")


TOOL = checked_tool(TO_DO, _run, _access)

"""compact: the model asks for its window to be compacted before its next step, and says what must be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import COMPACT


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return ()  # nothing is lost by it: all stays in the session's log


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if context.compact is None:
        return ToolResult("compact: this session is kept whole (--no-compaction)", error=True)
    context.compact(arguments.get("keep", ""))
    return ToolResult("it will be done before your next step")


TOOL = checked_tool(COMPACT, _run, _access)

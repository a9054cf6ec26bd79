"""skill: the model asks for the body of a skill whose card it has read; the body follows the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import SKILL


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return ()  # the person is asked about a skill that they have not seen, not about the call


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if context.skill is None:
        return ToolResult("skill: there are no skills here", error=True)
    return context.skill(arguments["name"])


TOOL = checked_tool(SKILL, _run, _access)

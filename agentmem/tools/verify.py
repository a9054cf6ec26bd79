"""verify: the model asks the harness to run a feature's check; only what the harness sees makes a feature pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import VERIFY


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    if context.verify is None or not (command := context.verify.command(arguments["feature"])):
        return ()
    return (Access("run", command, command),)


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if context.verify is None:
        return ToolResult("verify: a session that was given a task verifies nothing; say what you did", error=True)
    return context.verify.run(arguments["feature"], context.emit)


TOOL = checked_tool(VERIFY, _run, _access)

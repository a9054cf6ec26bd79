"""skill: the model asks for the body of a skill whose card it has read, or proposes a skill that it drafted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem import regular
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import SKILL
from agentmem.tools.target import trouble
from agentmem.workspace.paths import BadPath, resolve

_MOST = 256 * 1024


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    """A draft is read; about a skill that they have not seen the person is asked when it comes."""
    if not arguments.get("draft"):
        return ()
    try:
        return (Access("read", str(resolve(arguments["draft"], context.cwd)), arguments["draft"]),)
    except BadPath:
        return ()


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if arguments.get("draft"):
        return _proposed(arguments["draft"], context)
    if context.skill is None:
        return ToolResult("skill: there are no skills here", error=True)
    return context.skill(arguments["name"])


def _proposed(named: str, context: ToolContext) -> ToolResult:
    if context.draft is None:
        return ToolResult("skill: a session that was given a task proposes no skills", error=True)
    try:
        path = resolve(named, context.cwd)
        text = regular.read(path, _MOST).decode("utf-8")
    except BadPath as error:
        return ToolResult(f"skill: {error}", error=True)
    except UnicodeDecodeError:
        return ToolResult(f"skill: {named} is not UTF-8", error=True)
    except OSError as error:
        return ToolResult(f"skill: {trouble(error, named, path)}", error=True)
    verdict = context.draft(text)
    if verdict.outcome == "refused":
        return ToolResult(f"not proposed: {verdict.reason}", error=True)
    return ToolResult(f"proposed: it waits for the person ({verdict.id}): agentmem skills waiting")


TOOL = checked_tool(SKILL, _run, _access)

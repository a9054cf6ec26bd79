"""Later: a tool that is known by its spec, and whose module is loaded when a call first needs it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult


def later(spec: ToolSpec, *, reads_only: bool = False, previews: bool = False) -> Tool:
    """The `TOOL` of the module in this room that bears the tool's name; `reads_only` and `previews` (whether it has a
    preview) say of it beforehand what it says itself."""

    def tool() -> Tool:
        found: Tool = import_module(f"agentmem.tools.{spec.name}").TOOL
        return found

    def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return tool().run(arguments, context)

    def access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
        return tool().access(arguments, context)

    def preview(arguments: Mapping[str, Any], context: ToolContext) -> str | None:
        shown = tool().preview
        return None if shown is None else shown(arguments, context)

    return Tool(spec, run, access, reads_only, preview if previews else None)

"""recall: the model searches what is remembered; what it gets is data, quoted, with date and source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools.specs import RECALL

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if wrong := _wrong(arguments):
        return ToolResult(wrong, error=True)
    if context.recall is None:
        return ToolResult("There is no memory to search here.", error=True)
    return context.recall(arguments)


def _wrong(arguments: Mapping[str, Any]) -> str | None:
    page, day = arguments.get("page", 1), arguments.get("as_of")
    scopes = RECALL.schema["properties"]["scope"]["enum"]
    if not isinstance(arguments.get("query"), str):
        return "`query` must be a string: words or a question"
    if arguments.get("scope", "all") not in scopes:
        return f"`scope` must be one of {', '.join(scopes)}"
    if not isinstance(page, int) or isinstance(page, bool) or page < 1:
        return "`page` must be a whole number from 1 on"
    if day is not None and not (isinstance(day, str) and _DAY.fullmatch(day)):
        return "`as_of` must be a day such as 2026-11-30"
    return None


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return ()


TOOL = Tool(RECALL, _run, _access, reads_only=True)

"""remember: the model asks for something to be kept for later sessions; the gate decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import Claim
from agentmem.domain.telling import told
from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools.specs import REMEMBER


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    text, category = arguments.get("text"), arguments.get("category")
    if not isinstance(text, str):
        return ToolResult("`text` must be a string: the one sentence to remember", error=True)
    if category is not None and category not in CATEGORIES:
        return ToolResult(f"`category` must be one of {', '.join(CATEGORIES)}", error=True)
    claim = Claim(text, cast("Category | None", category), _hint(arguments, "entry"), _hint(arguments, "quote"))
    verdict = context.propose(claim)
    return ToolResult(told(verdict, text), error=verdict.outcome == "refused", diff=verdict.diff)


def _hint(arguments: Mapping[str, Any], key: str) -> str | None:
    value = arguments.get(key)
    return value if isinstance(value, str) else None


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    text = arguments.get("text")
    return (Access("remember", str(context.places.memory_file), text if isinstance(text, str) else ""),)


TOOL = Tool(REMEMBER, _run, _access)

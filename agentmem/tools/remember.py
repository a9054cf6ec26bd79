"""remember: the model asks for something to be kept for later sessions; the gate decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import Claim, Verdict
from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools.specs import REMEMBER


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    text, category = arguments.get("text"), arguments.get("category", "fact")
    if not isinstance(text, str):
        return ToolResult("`text` must be a string: the one sentence to remember", error=True)
    if category not in CATEGORIES:
        return ToolResult(f"`category` must be one of {', '.join(CATEGORIES)}", error=True)
    verdict = context.propose(Claim(text, cast(Category, category)))
    return ToolResult(_told(text, verdict), error=verdict.outcome == "refused")


def _told(text: str, verdict: Verdict) -> str:
    match verdict.outcome:
        case "added" | "updated":
            line = " ".join(text.split())
            return f"remembered: {line} ({verdict.id}) · undo: remove the line in {verdict.path}"
        case "known":
            return f"known already, nothing changed: it stands in {verdict.path}"
        case "queued":
            return f"not remembered yet: it waits for the person in {verdict.path} ({verdict.reason})"
        case "refused":
            return f"not remembered: {verdict.reason}"


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    text = arguments.get("text")
    return (Access("remember", str(context.places.memory_file), text if isinstance(text, str) else ""),)


TOOL = Tool(REMEMBER, _run, _access)

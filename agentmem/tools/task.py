"""task: hand a task to a fresh session, which sees nothing of this one, and get back its last answer alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.specs import TASK

MOST = 50_000  # bytes of an answer that go to the model


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return ()  # what the session does is asked for call by call, there


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    if context.spawn is None:
        return ToolResult("task: a session that was given a task cannot give one on", error=True)
    prompt = arguments["prompt"]
    if not prompt.strip():
        return ToolResult("task: `prompt` is empty: say what to do, and all that must be known for it", error=True)
    result = context.spawn(prompt)
    data = result.text.encode("utf-8", "replace")
    if len(data) <= MOST:
        return result
    try:
        path = context.offload(data, ".md")
    except OSError as error:
        path, note = None, f"the rest could not be kept: {error.strerror}"
    else:
        note = f"all of it is in {path}"
    head = data[:MOST].decode("utf-8", "ignore")
    text = f"{head}\n[the first {MOST:,} of {len(data):,} bytes; {note}]"
    return ToolResult(text, error=result.error, offload=path)


TOOL = checked_tool(TASK, _run, _access)

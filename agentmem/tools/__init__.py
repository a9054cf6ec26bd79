"""What the model may do: one module a tool; the one list of them is `tools`."""

from __future__ import annotations

from agentmem.domain.tool import Tool


def tools() -> tuple[Tool, ...]:
    """Every tool, in the order a model is told of them. Loaded here, so that a run without a model pays for none."""
    from agentmem.tools import bash, edit, find, grep, ls, read, remember, task, write

    return (read.TOOL, write.TOOL, edit.TOOL, bash.TOOL, grep.TOOL, find.TOOL, ls.TOOL, remember.TOOL, task.TOOL)

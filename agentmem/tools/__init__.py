"""What the model may do: one module a tool; the one list of them is `tools`."""

from __future__ import annotations

from agentmem.domain.tool import Tool


def tools() -> tuple[Tool, ...]:
    """Every tool, in the order a model is told of them. A first request needs their specs alone."""
    from agentmem.tools import specs
    from agentmem.tools.later import later

    return (
        later(specs.READ, reads_only=True),
        later(specs.WRITE, previews=True),
        later(specs.EDIT, previews=True),
        later(specs.BASH),
        later(specs.GREP, reads_only=True),
        later(specs.FIND, reads_only=True),
        later(specs.LS, reads_only=True),
        later(specs.REMEMBER),
        later(specs.RECALL, reads_only=True),
        later(specs.FORGET, previews=True),
        later(specs.SKILL),
        later(specs.COMPACT),
        later(specs.TO_DO),
        later(specs.TASK),
        later(specs.VERIFY),
    )

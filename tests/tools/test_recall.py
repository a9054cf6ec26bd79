from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.recall import TOOL


def test_a_checked_call_is_passed_on(context: ToolContext) -> None:
    asked: list[Mapping[str, Any]] = []

    def recall(arguments: Mapping[str, Any]) -> ToolResult:
        asked.append(arguments)
        return ToolResult("found")

    call = {"query": "port", "scope": "facts", "as_of": "2026-11-30", "page": 2}
    assert TOOL.run(call, replace(context, recall=recall)) == ToolResult("found")
    assert asked == [call]
    assert TOOL.reads_only and TOOL.access(call, context) == ()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "`query` must be a string"),
        ({"query": 7}, "`query` must be a string"),
        ({"query": "x", "scope": "world"}, "`scope` must be one of all, facts, episodes, sessions, knowledge"),
        ({"query": "x", "page": 0}, "`page` must be a whole number"),
        ({"query": "x", "page": True}, "`page` must be a whole number"),
        ({"query": "x", "as_of": "yesterday"}, "`as_of` must be a day such as 2026-11-30"),
    ],
)
def test_a_wrong_call_is_told_what_is_right(context: ToolContext, arguments: dict[str, Any], says: str) -> None:
    found = TOOL.run(arguments, context)
    assert found.error and found.text.startswith(says)


def test_without_a_memory_it_says_so(context: ToolContext) -> None:
    assert TOOL.run({"query": "x"}, context) == ToolResult("There is no memory to search here.", error=True)

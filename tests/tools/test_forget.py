from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Verdict
from agentmem.domain.places import Places
from agentmem.domain.tool import Access, Forgets, ToolContext, ToolResult
from agentmem.tools.forget import TOOL

GONE = ToolResult("forgotten: 2 places in 1 file")


def context(places: Places, forgets: Forgets | None) -> ToolContext:
    refused = Verdict("refused", None, "", "agent")
    return ToolContext(places, Cancel(), "c1", {}, lambda data, suffix: suffix, lambda claim: refused, forgets=forgets)


def test_the_person_is_shown_what_would_go_and_then_it_goes(places: Places) -> None:
    asked: list[str] = []
    forgets = Forgets(lambda query: f"{query}: 2 places", lambda query: asked.append(query) or GONE)  # type: ignore[func-returns-value]
    ctx = context(places, forgets)
    assert TOOL.access({"query": "Elm Road 7"}, ctx) == (Access("forget", "Elm Road 7", "Elm Road 7"),)
    assert TOOL.preview is not None and TOOL.preview({"query": "Elm Road 7"}, ctx) == "Elm Road 7: 2 places"
    assert asked == []
    assert TOOL.run({"query": "Elm Road 7"}, ctx) == GONE
    assert asked == ["Elm Road 7"]


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "  "}, {"query": 3}])
def test_without_words_nothing_is_touched(places: Places, arguments: Mapping[str, Any]) -> None:
    ctx = context(places, Forgets(str, lambda query: GONE))
    assert TOOL.access(arguments, ctx) == ()
    assert TOOL.run(arguments, ctx).error


def test_where_nothing_may_be_forgotten_the_model_is_told(places: Places) -> None:
    ctx = context(places, None)
    assert TOOL.run({"query": "Elm"}, ctx).error
    assert TOOL.preview is not None and TOOL.preview({"query": "Elm"}, ctx) is None

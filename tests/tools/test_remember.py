from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Claim, Verdict
from agentmem.domain.places import Places
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.remember import TOOL


def context(places: Places, verdict: Verdict, asked: list[Claim]) -> ToolContext:
    def propose(claim: Claim) -> Verdict:
        asked.append(claim)
        return verdict

    return ToolContext(places, Cancel(), "c1", {}, lambda data, suffix: suffix, propose)


@pytest.mark.parametrize(
    ("verdict", "result"),
    [
        (
            Verdict("added", "m1", "said", "user", "MEMORY.md"),
            ToolResult("remembered: Use tabs (m1) · undo: remove the line in MEMORY.md"),
        ),
        (
            Verdict("known", "m1", "it is", "user", "MEMORY.md"),
            ToolResult("known already, nothing changed: it stands in MEMORY.md"),
        ),
        (
            Verdict("queued", "q1", "an inference", "agent", ".agent/queue/waiting/q1.json"),
            ToolResult(
                "not remembered yet: it waits for the person in .agent/queue/waiting/q1.json (an inference) · "
                "to decide: agentmem review"
            ),
        ),
        (
            Verdict("refused", None, "too long", "agent"),
            ToolResult("not remembered: too long", error=True),
        ),
    ],
)
def test_the_model_is_told_what_became_of_its_claim(places: Places, verdict: Verdict, result: ToolResult) -> None:
    asked: list[Claim] = []
    assert TOOL.run({"text": "Use\n tabs", "category": "decision"}, context(places, verdict, asked)) == result
    assert asked == [Claim("Use\n tabs", "decision")]


@pytest.mark.parametrize(
    "arguments", [{}, {"text": 3}, {"text": "x", "category": "mood"}, {"text": "x", "category": []}]
)
def test_wrong_arguments_are_told_and_nothing_is_proposed(places: Places, arguments: Mapping[str, Any]) -> None:
    asked: list[Claim] = []
    got = TOOL.run(arguments, context(places, Verdict("added", "m1", "", "user"), asked))
    assert (got.error, asked) == (True, [])
    assert "must be" in got.text


def test_what_a_call_touches_is_the_memory_file(places: Places) -> None:
    ctx = context(places, Verdict("added", "m1", "", "user"), [])
    assert TOOL.access({"text": "Use tabs"}, ctx) == (Access("remember", str(places.memory_file), "Use tabs"),)
    assert TOOL.access({"text": None}, ctx) == (Access("remember", str(places.memory_file), ""),)
    assert not TOOL.reads_only
    assert TOOL.name == "remember"

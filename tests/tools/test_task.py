"""The task tool: what it hands on, what it cuts, what it is told by."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Verdict
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.task import TOOL


def context(places: Places, answer: ToolResult | None) -> ToolContext:
    def keep(data: bytes, suffix: str) -> str:
        (places.root / f"kept{suffix}").write_bytes(data)
        return f"kept{suffix}"

    return ToolContext(
        places=places,
        cancel=Cancel(),
        call_id="c",
        seen={},
        offload=keep,
        propose=lambda claim: Verdict("refused", None, "", "agent"),
        spawn=None if answer is None else lambda task: replace(answer, text=answer.text.replace("TASK", task)),
    )


def test_the_prompt_goes_on_and_the_answer_comes_back(places: Places) -> None:
    assert TOOL.run({"prompt": "look"}, context(places, ToolResult("did TASK"))) == ToolResult("did look")
    assert TOOL.access({"prompt": "look"}, context(places, None)) == ()
    assert not TOOL.reads_only


def test_what_cannot_run_says_why(places: Places) -> None:
    there, nowhere = context(places, ToolResult("x")), context(places, None)
    assert TOOL.run({"prompt": "look"}, nowhere) == ToolResult(
        "task: a session that was given a task cannot give one on", error=True
    )
    assert TOOL.run({"prompt": " "}, there).error
    assert TOOL.run({}, there).error


def test_a_long_answer_is_cut_and_kept_whole(places: Places) -> None:
    text = "é" * 30_000
    result = TOOL.run({"prompt": "look"}, context(places, ToolResult(text, error=True)))
    assert result.text == "é" * 25_000 + "\n[the first 50,000 of 60,000 bytes; all of it is in kept.md]"
    assert (result.error, result.offload) == (True, "kept.md")
    assert (places.root / "kept.md").read_text() == text


def test_a_long_answer_that_cannot_be_kept(places: Places) -> None:
    def fail(data: bytes, suffix: str) -> str:
        raise OSError(28, "No space left on device")

    result = TOOL.run({"prompt": "look"}, replace(context(places, ToolResult("a" * 50_001)), offload=fail))
    assert result.text.endswith(
        "[the first 50,000 of 50,001 bytes; the rest could not be kept: No space left on device]"
    )
    assert result.offload is None


def test_the_model_is_told_of_it_in_few_words() -> None:
    spec = TOOL.spec
    told = json.dumps({"name": spec.name, "description": spec.description, "parameters": spec.schema})
    assert len(told) <= 350
    note = Path(__file__).resolve().parents[2] / "agentmem" / "agent" / "task.md"
    assert len(note.read_bytes()) < 400

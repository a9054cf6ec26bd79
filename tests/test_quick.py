"""Plain command lines: what is read without Typer."""

from __future__ import annotations

import pytest

from agentmem.quick import Line, plain_line


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], Line()),
        (["-c"], Line(last=True)),
        (["-r", "2026"], Line(resume="2026")),
        (["-r"], Line(resume="")),
        (["--resume"], Line(resume="")),
        (["-r", "--model", "a/b"], Line(resume="", model="a/b")),
        (["--model", "a/b", "-r"], Line(resume="", model="a/b")),
        (["-r", "-p", "hi"], Line(resume="", prompt="hi")),
        (["-r", "--fork"], Line(resume="", fork=True)),
        (["-c", "--fork"], Line(last=True, fork=True)),
        (["--fork", "-r", "x"], Line(resume="x", fork=True)),
        (["-p", "hi", "--no-compaction"], Line("hi", whole=True)),
        (["--no-model", "-c"], Line(last=True, no_model=True)),
        (["-r", "-x"], None),
        (["--fork"], None),
        (["-c", "-r"], None),
        (["-r", "-c"], None),
        (["-p"], None),
        (["-r", "-h"], None),
        (["-p", "hi", "--max-turns", "0"], None),
        (["--permission", "plan", "--max-turns", "3"], Line(permission="plan", max_turns=3)),
        (["-p", "hi", "--output", "json", "--max-cost", "0.5"], Line("hi", output="json", max_cost=0.5)),
        (["--permission", "all"], None),
        (["--max-cost", "nan"], None),
        (["--max-cost", "inf"], None),
        (["--output", "json"], None),
        (["--model"], None),
        (["doctor"], None),
    ],
)
def test_what_a_plain_line_says(words: list[str], line: Line | None) -> None:
    assert plain_line(words) == line

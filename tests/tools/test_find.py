from __future__ import annotations

import dataclasses
import os
from typing import Any

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import find


def put(context: ToolContext, *names: str) -> None:
    for name in names:
        (context.cwd / name).parent.mkdir(parents=True, exist_ok=True)
        (context.cwd / name).write_bytes(b"")


def run(context: ToolContext, pattern: str, **more: Any) -> ToolResult:
    return find.TOOL.run({"pattern": pattern, **more}, context)


@pytest.fixture
def tree(context: ToolContext) -> ToolContext:
    put(context, "README.md", "src/a/test_x.py", "src/test_y.py", "src/z.ts", "docs/a.md", "out/b.md", ".git/c.md")
    (context.cwd / ".gitignore").write_text("out/\n")
    (context.cwd / "empty").mkdir()
    os.symlink("README.md", context.cwd / "CLAUDE.md")
    return context


@pytest.mark.parametrize(
    ("pattern", "more", "lines"),
    [
        ("*.md", {}, ["CLAUDE.md", "README.md", "docs/a.md"]),
        ("./*.md", {}, ["CLAUDE.md", "README.md"]),
        ("**/*.py", {}, ["src/a/test_x.py", "src/test_y.py"]),
        ("src/**/test_*", {}, ["src/a/test_x.py", "src/test_y.py"]),
        ("test_*", {"path": "src"}, ["src/a/test_x.py", "src/test_y.py"]),
        ("*.{ts,py}", {"path": "src/a"}, ["src/a/test_x.py"]),
        ("*/", {}, ["docs/", "empty/", "src/", "src/a/"]),
        ("a", {}, ["src/a/"]),
        ("*.md", {"ignored": True}, ["CLAUDE.md", "README.md", "docs/a.md", "out/b.md"]),
        (".git*", {}, [".gitignore"]),
    ],
)
def test_paths_that_fit(tree: ToolContext, pattern: str, more: dict[str, Any], lines: list[str]) -> None:
    assert run(tree, pattern, **more) == ToolResult("\n".join(lines))


def test_a_pattern_may_be_absolute(tree: ToolContext) -> None:
    assert run(tree, f"{tree.cwd}/*.md").text == "CLAUDE.md\nREADME.md"
    assert run(tree, f"{tree.cwd}/src/**").text.splitlines() == [
        *("src/a/", "src/a/test_x.py", "src/test_y.py", "src/z.ts")
    ]


def test_nothing_found_says_what_was_not_listed(tree: ToolContext) -> None:
    assert run(tree, "b.md").text == (
        "Nothing found. Not listed: .git and what .gitignore leaves out (`ignored: true` lists it)."
    )
    assert run(tree, "nope", ignored=True).text == "Nothing found. Not listed: .git."


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"pattern": "["}, "find: the pattern cannot be used: a [ is not closed"),
        ({"pattern": "../x"}, "find: the pattern cannot be used: it goes up with `..`; name the directory as path"),
        ({"pattern": "*", "path": "README.md"}, "find: README.md is a file, not a directory"),
        ({"pattern": "*", "path": "gone"}, "find: gone: no such file or directory"),
    ],
)
def test_what_cannot_be_found(tree: ToolContext, arguments: dict[str, Any], why: str) -> None:
    assert find.TOOL.run(arguments, tree) == ToolResult(why, error=True)


def test_more_paths_than_are_shown_are_counted(context: ToolContext) -> None:
    put(context, *(f"{number:04}" for number in range(1_234)))
    lines = run(context, "*").text.splitlines()
    assert (lines[0], lines[999]) == ("0000", "0999")
    assert lines[1000:] == ["[1,000 of 1,234 paths shown; narrow the pattern or the path]"]


def test_a_result_is_never_large(context: ToolContext) -> None:
    put(context, *(f"{'é' * 100}{number:04}" for number in range(600)))
    result = run(context, "*")
    assert len(result.text.encode()) <= 50_000
    assert result.text.splitlines()[-1] == "[239 of 600 paths shown; narrow the pattern or the path]"


def test_odd_names_are_one_line_of_text(context: ToolContext) -> None:
    put(context, "new\nline", "x\udcff")
    assert run(context, "*").text == "new\\nline\nx\\xff"


def test_an_interrupt_stops_it(tree: ToolContext) -> None:
    cancel = Cancel()
    cancel.cancel()
    result = run(dataclasses.replace(tree, cancel=cancel), "*")
    assert result.error
    assert result.text.endswith("[interrupted while running, by the user; there may be more]")


def test_what_a_call_touches(context: ToolContext) -> None:
    assert find.TOOL.access({"pattern": "a", "path": "b"}, context) == (Access("read", str(context.cwd / "b"), "b"),)
    assert find.TOOL.reads_only

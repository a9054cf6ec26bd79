from __future__ import annotations

import dataclasses
import os
import shutil
import time
from typing import Any

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import grep


@pytest.fixture(
    params=[
        pytest.param(
            os.environ["PATH"], id="rg", marks=pytest.mark.skipif(not shutil.which("rg"), reason="no ripgrep")
        ),
        pytest.param("/no/such/folder", id="python"),
    ]
)
def call(context: ToolContext, request: pytest.FixtureRequest) -> ToolContext:
    return dataclasses.replace(context, env={"PATH": request.param})


def put(call: ToolContext, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (call.cwd / name).parent.mkdir(parents=True, exist_ok=True)
        (call.cwd / name).write_bytes(data)


def run(call: ToolContext, pattern: str, **more: Any) -> ToolResult:
    return grep.TOOL.run({"pattern": pattern, **more}, call)


def test_matching_lines_with_their_places(call: ToolContext) -> None:
    put(
        call,
        {"b.py": b"import os\n\ndef f():\n", "a/x.py": b"def g(): pass\r\n", "é\n": b"def\n", "c\udcff": b""},
    )
    assert run(call, r"def \w+") == ToolResult("a/x.py:1:def g(): pass\nb.py:3:def f():")
    assert run(call, "^def$") == ToolResult("é\\n:1:def")
    assert run(call, "DEF", ignore_case=True, path="b.py").text == "b.py:3:def f():"
    assert run(call, "f()", literal=True).text == "b.py:3:def f():"
    assert run(call, "def", glob="a/**").text == "a/x.py:1:def g(): pass"
    assert run(call, "def", path=str(call.cwd / "a")).text == "a/x.py:1:def g(): pass"


def test_lines_around_are_shown_once(call: ToolContext) -> None:
    put(call, {"f": b"".join(b"%d\n" % number for number in range(1, 21)), "g": b"x 5\n"})
    assert run(call, "^(5|7|15)$|x", context=1).text.splitlines() == [
        *("f-4-4", "f:5:5", "f-6-6", "f:7:7", "f-8-8", "--", "f-14-14", "f:15:15", "f-16-16", "--", "g:1:x 5")
    ]


def test_what_is_not_searched(call: ToolContext) -> None:
    put(
        call,
        {
            ".gitignore": b"*.log\nout/\n",
            "a.log": b"foo\n",
            "out/b": b"foo\n",
            ".git/config": b"foo\n",
            "bin": b"foo\0\n",
            "sub/.gitignore": b"!a.log\n",
            "sub/a.log": b"foo\n",
            ".env": b"foo\n",
        },
    )
    os.symlink("a.log", call.cwd / "link")
    assert run(call, "foo").text == ".env:1:foo\nsub/a.log:1:foo"
    left_out = ".git, links, binary files and what .gitignore leaves out (`ignored: true` searches it)."
    assert run(call, "foo", path="out").text == f"No matches. Not searched: {left_out}"
    assert run(call, "foo", path="out", ignored=True).text == "out/b:1:foo"
    assert run(call, "foo", path="a.log").text == "a.log:1:foo"
    assert run(call, "foo", path="link").text == "a.log:1:foo"
    assert run(call, "bar", ignored=True).text == "No matches. Not searched: .git, links, binary files."
    assert run(call, "bar", path="a.log").text == "No matches."
    assert run(call, "foo", path="bin") == ToolResult("grep: bin is a binary file; not searched", error=True)


def test_a_tree_elsewhere_is_searched_by_its_own_rules(call: ToolContext) -> None:
    other = call.cwd.parent / "other"
    put(call, {"../.gitignore": b"*\n", "../other/.gitignore": b"b\n", "../other/a": b"foo\n", "../other/b": b"foo\n"})
    assert run(call, "foo", path="../other").text == f"{other}/a:1:foo"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            {"pattern": "foo("},
            "grep: the pattern is no regular expression: missing ), unterminated subpattern. "
            "To search for it as it stands, set literal: true",
        ),
        ({"pattern": "", "literal": True}, "grep: the pattern is no regular expression: it is empty"),
        ({"pattern": "a", "glob": "[a"}, "grep: the glob cannot be used: a [ is not closed"),
        ({"pattern": "a", "path": "gone"}, "grep: gone: no such file or directory"),
        ({"pattern": "a", "path": "a\0"}, "grep: the path holds a NUL byte"),
        ({"pattern": "a", "path": "pipe"}, "grep: pipe is neither a file nor a directory"),
    ],
)
def test_what_cannot_be_searched(call: ToolContext, arguments: dict[str, Any], why: str) -> None:
    os.mkfifo(call.cwd / "pipe")
    assert grep.TOOL.run(arguments, call) == ToolResult(why, error=True)


def test_patterns_that_are_easily_misread(call: ToolContext) -> None:
    put(call, {"f": b"-x\ninterface{}\na|b\n"})
    assert run(call, "-x").text == "f:1:-x"
    assert run(call, "--files").text.startswith("No matches.")
    assert run(call, "interface{}").text == "f:2:interface{}"
    assert run(call, r"a\|b").text == "f:3:a|b"
    assert run(call, r"x\|y").text.endswith(r" \| is a bar as it stands; alternatives are written a|b.")
    assert run(call, r"(?<=-)x").text == "f:1:-x"


def test_more_matches_than_are_shown_are_counted(call: ToolContext) -> None:
    put(call, {"f": b"foo\n" * 734})
    lines = run(call, "foo").text.splitlines()
    assert lines[:2] == ["f:1:foo", "f:2:foo"]
    assert lines[99:] == ["f:100:foo", "[100 of 734 matching lines shown; narrow the pattern or the path]"]
    put(call, {"f": b"foo\n" * 100_000})
    assert run(call, "foo").text.splitlines()[100:] == [
        "[100 of more than 2,000 matching lines shown; narrow the pattern or the path]"
    ]


def test_a_result_is_never_large(call: ToolContext) -> None:
    put(call, {"f": ("あ" * 400_000 + "foo" + "い" * 400_000 + "\n").encode() * 3})
    (first, *_) = run(call, "foo").text.splitlines()
    assert len(first) == len("f:1:") + 500
    assert "foo" in first
    put(call, {"f": ("あ" * 400 + "foo\n").encode() * 2_000})
    result = run(call, "foo", context=10)
    assert len(result.text.encode()) <= 50_000
    assert result.text.splitlines()[-1] == "[40 of 2,000 matching lines shown; narrow the pattern or the path]"


def test_an_interrupt_stops_it(call: ToolContext) -> None:
    put(call, {"f": b"foo\n"})
    cancel = Cancel()
    cancel.cancel()
    began = time.monotonic()
    result = run(dataclasses.replace(call, cancel=cancel), "foo")
    assert time.monotonic() - began < 10
    assert result.error
    assert result.text.endswith("[interrupted while running, by the user; there may be more]")


def test_what_a_call_touches(call: ToolContext) -> None:
    assert grep.TOOL.access({"pattern": "a"}, call) == (Access("read", str(call.cwd), "."),)
    assert grep.TOOL.access({"pattern": "a", "path": "b"}, call) == (Access("read", str(call.cwd / "b"), "b"),)
    assert grep.TOOL.reads_only

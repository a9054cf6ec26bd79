from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import tools
from agentmem.tools.arguments import Fitted, checked_tool, fit

SPEC = ToolSpec(
    "t",
    "A tool.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "share": {"type": "number"},
            "all": {"type": "boolean"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "names": {"type": "array", "items": {"type": "string"}},
            "map": {"type": "object", "properties": {"x": {"type": "integer"}}},
            "any": {},
        },
        "required": ["path"],
    },
)
LIST = ToolSpec(
    "t",
    "A tool.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}, "all": {"type": "boolean"}},
                    "required": ["old", "new"],
                },
            },
        },
        "required": ["path", "edits"],
    },
)


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"path": "f", "count": 3}, {"path": "f", "count": 3}),
        ({"path": "f", "count": "3"}, {"path": "f", "count": 3}),
        ({"path": "f", "count": 3.0}, {"path": "f", "count": 3}),
        ({"path": "f", "count": "3.0"}, {"path": "f", "count": 3}),
        ({"path": "f", "count": None}, {"path": "f"}),
        ({"path": 7}, {"path": "7"}),
        ({"path": "f", "share": "0.5"}, {"path": "f", "share": 0.5}),
        ({"path": "f", "share": 2}, {"path": "f", "share": 2}),
        ({"path": "f", "all": "True"}, {"path": "f", "all": True}),
        ({"path": "f", "all": "false"}, {"path": "f", "all": False}),
        ({"path": "f", "all": 0}, {"path": "f", "all": False}),
        ({"path": "f", "mode": "b"}, {"path": "f", "mode": "b"}),
        ({"path": "f", "names": '["a", "b"]'}, {"path": "f", "names": ["a", "b"]}),
        ({"path": "f", "map": '{"x": "1"}'}, {"path": "f", "map": {"x": 1}}),
        ({"path": "f", "any": True}, {"path": "f", "any": True}),
        ({"path": ""}, {"path": ""}),
    ],
)
def test_fits(given: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    assert fit(given, SPEC) == Fitted(values)


WANTED = (
    "path: string, count?: integer, share?: number, all?: boolean, mode?: string, names?: array of string, "
    "map?: object, any?: any"
)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "`path` is missing"),
        ({"path": None}, "`path` is missing"),
        ({"file_path": "f"}, "`path` is missing (got `file_path`)"),
        ({"path": ["f"]}, "`path` must be a string, not an array"),
        ({"path": {"a": 1}}, "`path` must be a string, not an object"),
        ({"path": True}, "`path` must be a string, not a boolean"),
        ({"path": "f", "count": "three"}, "`count` must be an integer, not a string"),
        ({"path": "f", "count": "9" * 5_000}, "`count` must be an integer, not a string"),
        ({"path": "f", "count": 2.5}, "`count` must be an integer, not a number"),
        ({"path": "f", "count": True}, "`count` must be an integer, not a boolean"),
        ({"path": "f", "count": 0}, "`count` must be at least 1, not 0"),
        ({"path": "f", "count": 10}, "`count` must be at most 9, not 10"),
        ({"path": "f", "all": "yes"}, "`all` must be a boolean, not a string"),
        ({"path": "f", "mode": "c"}, "`mode` must be one of a, b"),
        ({"path": "f", "names": "a"}, "`names` must be an array, not a string"),
        ({"path": "f", "names": ["a", ["b"]]}, "`names[1]` must be a string, not an array"),
        ({"path": "f", "names": "[" * 100_000}, "`names` must be an array, not a string"),
        ({"path": "f", "map": {"x": "y"}}, "`map.x` must be an integer, not a string"),
    ],
)
def test_does_not_fit(given: Mapping[str, Any], words: str) -> None:
    assert fit(given, SPEC) == Fitted(error=f"t: {words}. Wanted: {WANTED}")


def test_unknown_arguments_are_told() -> None:
    given = {"path": "f", "speed": 1, "map": {"x": 1, "y": 2}}
    assert fit(given, SPEC) == Fitted(
        {"path": "f", "map": {"x": 1}}, note="[t knows no argument `speed`, `map.y`; passed over]"
    )


@pytest.mark.parametrize(
    "given",
    [
        {"path": "f", "edits": [{"old": "a", "new": "b"}]},
        {"path": "f", "edits": {"old": "a", "new": "b"}},
        {"path": "f", "edits": '[{"old": "a", "new": "b"}]'},
        {"path": "f", "edits": ['{"old": "a", "new": "b"}']},
        {"path": "f", "old": "a", "new": "b"},
    ],
)
def test_one_item_however_it_was_sent(given: Mapping[str, Any]) -> None:
    assert fit(given, LIST) == Fitted({"path": "f", "edits": [{"old": "a", "new": "b"}]})


def test_a_list_of_objects_that_does_not_fit() -> None:
    wanted = "path: string, edits: array of {old: string, new: string, all?: boolean}"
    assert fit({"path": "f", "old": "a"}, LIST).error == f"t: `edits` is missing (got `old`). Wanted: {wanted}"
    assert fit({"path": "f", "edits": [{"old": "a"}]}, LIST).error == f"t: `edits[0].new` is missing. Wanted: {wanted}"


def test_a_tool_sees_fitted_arguments_only(context: ToolContext) -> None:
    tool = checked_tool(
        SPEC,
        lambda arguments, _: ToolResult(str(dict(arguments))),
        lambda arguments, _: (Access("read", arguments["path"], arguments["path"]),),
        lambda arguments, _: str(arguments["count"]),
    )
    sent = {"path": "f", "count": "3", "more": 1}
    assert tool.run(sent, context) == ToolResult("{'path': 'f', 'count': 3}\n[t knows no argument `more`; passed over]")
    assert tool.access(sent, context) == (Access("read", "f", "f"),)
    assert tool.preview is not None
    assert tool.preview(sent, context) == "3"
    assert tool.run({}, context) == ToolResult(
        f"t: `path` is missing. Wanted: {WANTED}", error=True, malformed="arguments"
    )
    assert (tool.access({}, context), tool.preview({}, context)) == ((), None)


def test_the_list_of_tools(context: ToolContext) -> None:
    names = [tool.name for tool in tools()]
    assert set(names) >= {"read", "write", "edit", "ls"}
    assert len(set(names)) == len(names)
    for tool in tools():
        assert tool.run({"bogus": []}, context).error is (tool.name != "ls")
        assert len(tool.spec.description) < 300

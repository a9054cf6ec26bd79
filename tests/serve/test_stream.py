from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.event import (
    Asked,
    CallDelta,
    Compacted,
    Event,
    Notice,
    Refusal,
    Retrying,
    StepEnded,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agentmem.domain.message import Usage
from agentmem.serve import stream
from agentmem.serve.stream import event_to_json, plain, write_line

SCHEMA = json.loads((Path(stream.__file__).parent / "events.schema.json").read_text())

EVENTS: list[tuple[Event, dict[str, Any]]] = [
    (TurnStarted("s", "e", "m"), {"type": "turn_started", "session": "s", "entry": "e", "model": "m"}),
    (StepStarted(1), {"type": "step_started", "step": 1}),
    (TextDelta("Hi"), {"type": "text_delta", "text": "Hi"}),
    (ThinkingDelta("Hm"), {"type": "thinking_delta", "text": "Hm"}),
    (CallDelta(0, "bash", '{"c'), {"type": "call_delta", "index": 0, "name": "bash", "arguments": '{"c'}),
    (Retrying(1, 2.5, "529"), {"type": "retrying", "attempt": 1, "wait": 2.5, "reason": "529"}),
    (
        StepEnded(1, Usage(10, 2, 8), 0.25),
        {"type": "step_ended", "step": 1, "usage": {"input": 10, "output": 2, "cached": 8}, "cost": 0.25},
    ),
    (
        Asked("c1", "bash", {"command": "ls"}, "mode ask", None, True),
        {
            "type": "asked",
            "call_id": "c1",
            "tool": "bash",
            "arguments": {"command": "ls"},
            "reason": "mode ask",
            "diff": None,
            "can_always": True,
        },
    ),
    (
        ToolStarted("c1", "bash", {"command": "ls", "n": [1, {"a": None}]}),
        {
            "type": "tool_started",
            "call_id": "c1",
            "tool": "bash",
            "arguments": {"command": "ls", "n": [1, {"a": None}]},
        },
    ),
    (ToolOutput("c1", "x\n"), {"type": "tool_output", "call_id": "c1", "text": "x\n"}),
    (
        ToolEnded("c1", "bash", "x", True, 2, 14, "+x", ".agent/o", "auto"),
        {
            "type": "tool_ended",
            "call_id": "c1",
            "tool": "bash",
            "text": "x",
            "error": True,
            "exit": 2,
            "ms": 14,
            "diff": "+x",
            "offload": ".agent/o",
            "refused": "auto",
        },
    ),
    (Notice("warning", "half full"), {"type": "notice", "level": "warning", "text": "half full"}),
    (
        Compacted("k1", "collapse", 900, 300, "collapsed 2 results"),
        {
            "type": "compacted",
            "entry": "k1",
            "form": "collapse",
            "before": 900,
            "after": 300,
            "text": "collapsed 2 results",
        },
    ),
    (
        TurnEnded("s", "max_cost", "so far", 3, Usage(5, 1, 0, 4), None, (Refusal("bash", "ls", "auto"),), "limit"),
        {
            "type": "turn_ended",
            "session": "s",
            "stop": "max_cost",
            "text": "so far",
            "steps": 3,
            "usage": {"input": 5, "output": 1, "written": 4},
            "cost": None,
            "refusals": [{"tool": "bash", "target": "ls", "allowed_by": "auto"}],
            "error": "limit",
            "exit_code": 5,
        },
    ),
]


@pytest.mark.parametrize(("event", "value"), EVENTS, ids=[type(event).__name__ for event, _ in EVENTS])
def test_each_event_has_its_form_and_fits_the_schema(event: Event, value: dict[str, Any]) -> None:
    assert event_to_json(event) == value
    assert next(iter(event_to_json(event))) == "type"
    jsonschema.validate(value, SCHEMA)


def test_no_event_is_forgotten() -> None:
    assert {type(event) for event, _ in EVENTS} == set(get_args(Event))
    named = {value["type"] for _, value in EVENTS}
    assert {item["$ref"].rpartition("/")[2] for item in SCHEMA["oneOf"]} == named | {"failed"}


@pytest.mark.parametrize(("event", "value"), EVENTS, ids=[type(event).__name__ for event, _ in EVENTS])
def test_the_schema_refuses_a_missing_and_an_unknown_key(event: Event, value: dict[str, Any]) -> None:
    for wrong in ({**value, "more": 1}, dict(list(value.items())[:-1])):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


def test_strict_json_only() -> None:
    event = ToolStarted(
        "c", "x\ud83d", {"\udc00": float("nan"), "a": (1, float("inf")), "b": b"raw", "pair": "\ud83d\ude00"}
    )
    assert event_to_json(event) == {
        "type": "tool_started",
        "call_id": "c",
        "tool": "x\ufffd",
        "arguments": {"\ufffd": None, "a": [1, None], "b": "b'raw'", "pair": "😀"},
    }


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=3))
def test_any_value_is_one_line_of_utf8_json(value: dict[str, Any]) -> None:
    out = io.StringIO()
    write_line(out, value)
    line = out.getvalue().encode()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line) == plain(value)

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.event import (
    Answer,
    Asked,
    Event,
    Notice,
    Refusal,
    Retrying,
    StepEnded,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    TurnStop,
)
from agentmem.domain.message import Usage
from agentmem.serve import stream
from agentmem.serve.exits import exit_code
from agentmem.serve.headless import Outcome, Output, run_lines, write_failure

SCHEMA = json.loads((Path(stream.__file__).parent / "events.schema.json").read_text())
REFUSAL = Refusal("bash", "make", "auto")
ENDED = TurnEnded("s1", "done", "All \x1b[1mgreen\ud83d", 2, Usage(10, 2), 0.5, (REFUSAL,))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def turn(answers: list[Answer | None], ended: TurnEnded | None = ENDED) -> Generator[Event, Answer | None, None]:
    yield TurnStarted("s1", "e1", "scripted/demo")
    yield TextDelta("Let me see.")
    answers.append((yield Asked("c1", "bash", {"command": "make"}, "mode ask", None, True)))
    yield ToolEnded("c1", "bash", "refused", True, None, 0, None, None, "auto")
    yield Notice("info", "for the curious")
    yield Notice("warning", "window \x1b[2J half full")
    yield Retrying(1, 2.0, "overloaded")
    yield ToolStarted("c2", "bash", {"timeout": 5, "command": "make\ntest \x07"})
    yield ToolEnded("c2", "bash", "no", True, 2, 4, None, None)
    yield ToolStarted("c3", "ls", {})
    if ended:
        yield ended


def run(
    output: Output, err: io.StringIO | None = None, ended: TurnEnded | None = ENDED
) -> tuple[str, str, Outcome, list[Answer | None]]:
    out, err, answers = io.StringIO(), err or io.StringIO(), []
    outcome = run_lines(turn(answers, ended), out, output, err)
    return out.getvalue(), err.getvalue(), outcome, answers


def test_text_is_the_answer_alone_and_the_rest_goes_to_stderr() -> None:
    out, err, outcome, answers = run("text")
    assert out == "All \x1b[1mgreen\ufffd\n"
    assert err == (
        "warning: window ␛[2J half full\n"
        "warning: overloaded; asking again in 2 s (attempt 1)\n"
        "not run: bash make (permission mode auto would allow it)\n"
    )
    assert outcome == Outcome(ENDED, 0)
    assert answers == [None]


def test_a_terminal_gets_tool_progress_on_stderr_and_nothing_that_steers_it() -> None:
    out, err, answers = Terminal(), Terminal(), []
    run_lines(turn(answers), out, "text", err)
    assert out.getvalue() == "All ␛[1mgreen\ufffd\n"
    assert err.getvalue() == (
        "  bash failed\n"
        "info: for the curious\n"
        "warning: window ␛[2J half full\n"
        "warning: overloaded; asking again in 2 s (attempt 1)\n"
        "· bash make…\n"
        "  bash failed (exit 2)\n"
        "· ls\n"
        "not run: bash make (permission mode auto would allow it)\n"
    )


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_what_the_model_had_remembered_is_told_with_its_diff(output: Output) -> None:
    kept = ToolEnded("c1", "remember", "remembered: a (m1) · undo: …", False, None, 1, "+- a ^m1", None)
    waits = ToolEnded("c2", "remember", "not remembered yet: it waits", False, None, 1, None, None)
    not_run = ToolEnded("c3", "remember", "refused", True, None, 0, None, None, "none")
    events: Generator[Event, Answer | None, None] = (one for one in (kept, waits, not_run, replace(ENDED, refusals=())))
    err = io.StringIO()
    run_lines(events, io.StringIO(), output, err)
    assert err.getvalue() == ("memory: remembered: a (m1) · undo: …\n+- a ^m1\nmemory: not remembered yet: it waits\n")


def test_json_is_one_envelope() -> None:
    out, err, _, _ = run("json", Terminal())
    assert json.loads(out) == {
        "result": "All \x1b[1mgreen\ufffd",
        "session": "s1",
        "model": "scripted/demo",
        "stop": "done",
        "exit_code": 0,
        "steps": 2,
        "usage": {"input": 10, "output": 2},
        "cost": 0.5,
        "refusals": [{"tool": "bash", "target": "make", "allowed_by": "auto"}],
        "error": None,
    }
    jsonschema.validate(json.loads(out), {**SCHEMA, "oneOf": [{"$ref": "#/$defs/envelope"}]})
    assert out.count("\n") == 1
    assert "· bash" not in err


def test_stream_json_is_an_event_a_line() -> None:
    out, _, outcome, _ = run("stream-json")
    events = [json.loads(line) for line in out.splitlines()]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    assert [event["type"] for event in events] == [
        "turn_started",
        "text_delta",
        "asked",
        "tool_ended",
        "notice",
        "notice",
        "retrying",
        "tool_started",
        "tool_ended",
        "tool_started",
        "turn_ended",
    ]
    assert (events[-1]["exit_code"], outcome.exit_code) == (0, 0)


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        ("done", 0),
        ("interrupted", 130),
        ("max_turns", 5),
        ("max_cost", 5),
        ("repeated_call", 5),
        ("length", 5),
        ("overflow", 5),
        ("refusal", 1),
        ("model_error", 4),
        ("failed", 1),
    ],
)
def test_how_a_turn_ended_decides_the_exit_code(stop: TurnStop, code: int) -> None:
    ended = TurnEnded("s1", stop, "", 1, Usage(), None, (), "what went wrong")
    assert exit_code(stop) == code
    out, err, outcome, _ = run("json", ended=ended)
    assert (json.loads(out)["exit_code"], json.loads(out)["stop"], outcome.exit_code) == (code, stop, code)
    assert err.endswith("error: what went wrong\n")
    assert run("text", ended=ended)[0] == ""


def broken() -> Generator[Event, Answer | None, None]:
    yield TurnStarted("s1", "e1", "scripted/demo")
    raise ZeroDivisionError("planned")


def test_a_turn_that_raises_is_told_in_the_json_forms_and_goes_on_up() -> None:
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(ZeroDivisionError):
        run_lines(broken(), out, "json", err)
    envelope = json.loads(out.getvalue())
    assert (envelope["stop"], envelope["exit_code"]) == ("failed", 1)
    assert (envelope["model"], envelope["session"]) == ("scripted/demo", "s1")
    assert envelope["error"] == "ZeroDivisionError: planned"
    jsonschema.validate(envelope, {**SCHEMA, "oneOf": [{"$ref": "#/$defs/envelope"}]})
    assert err.getvalue() == "error: ZeroDivisionError: planned\n"
    out = io.StringIO()
    with pytest.raises(ZeroDivisionError):
        run_lines(broken(), out, "stream-json", io.StringIO())
    assert json.loads(out.getvalue().splitlines()[-1]) == {
        "type": "failed",
        "exit_code": 1,
        "error": "ZeroDivisionError: planned",
    }


def test_a_turn_that_breaks_off_tells_what_it_took() -> None:
    def interrupted() -> Generator[Event, Answer | None, None]:
        for step, cost in ((1, 0.25), (2, 0.5)):
            yield StepStarted(step)
            yield StepEnded(step, Usage(input=3, output=1), cost)
        yield StepStarted(3)
        raise KeyboardInterrupt

    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        run_lines(interrupted(), out, "json", io.StringIO())
    envelope = json.loads(out.getvalue())
    assert (envelope["steps"], envelope["usage"], envelope["cost"]) == (3, {"input": 6, "output": 2}, 0.75)


def test_a_turn_that_is_interrupted_from_outside_says_so() -> None:
    def interrupted() -> Generator[Event, Answer | None, None]:
        yield TextDelta("so far")
        raise KeyboardInterrupt

    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        run_lines(interrupted(), out, "json", io.StringIO())
    envelope = json.loads(out.getvalue())
    assert (envelope["stop"], envelope["exit_code"], envelope["error"]) == (
        "interrupted",
        130,
        "interrupted before the turn could end in order",
    )


def test_a_turn_that_just_stops_is_a_failure() -> None:
    out, _, outcome, _ = run("json", ended=None)
    assert outcome == Outcome(None, 1)
    assert json.loads(out)["error"] == "the turn ended without an outcome"


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_a_run_that_could_not_begin_says_so(output: Output) -> None:
    out, err = io.StringIO(), io.StringIO()
    write_failure(out, output, err, "no model is configured", 4)
    assert err.getvalue() == "error: no model is configured\n"
    if output == "text":
        assert out.getvalue() == ""
        return
    said = json.loads(out.getvalue())
    assert (said["exit_code"], said["error"]) == (4, "no model is configured")
    jsonschema.validate(
        said, SCHEMA if output == "stream-json" else {**SCHEMA, "oneOf": [{"$ref": "#/$defs/envelope"}]}
    )


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_reader_that_went_away_stops_the_turn_quietly() -> None:
    cancel, answers, err = Cancel(), [], io.StringIO()
    outcome = run_lines(turn(answers), Closed(), "stream-json", err, cancel)
    assert cancel.cancelled
    assert outcome.ended == ENDED
    assert answers == [None]
    assert run_lines(turn([]), io.StringIO(), "text", Closed()).exit_code == 0


PIPED = """
import sys
from agentmem.domain.event import TextDelta, TurnEnded
from agentmem.domain.message import Usage
from agentmem.serve.headless import run_lines
def turn():
    for index in range(5000):
        yield TextDelta("x" * 100)
    yield TurnEnded("s", "done", "answer", 1, Usage(), None)
sys.exit(run_lines(turn(), sys.stdout, sys.argv[1], sys.stderr).exit_code)
"""


def test_a_real_pipe_that_closes_leaves_no_trace() -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(stream.__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", PIPED, "stream-json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as child:
        assert child.stdout and child.stderr
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(20) == 0


def test_json_is_utf8_whatever_the_locale() -> None:
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    run_lines(turn([], TurnEnded("s", "done", "日本", 1, Usage(), None)), out, "json", io.StringIO())
    assert "日本".encode() in out.buffer.getvalue()  # type: ignore[attr-defined]
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    run_lines(turn([], TurnEnded("s", "done", "日本", 1, Usage(), None)), out, "text", io.StringIO())
    assert out.buffer.getvalue() == b"??\n"  # type: ignore[attr-defined]

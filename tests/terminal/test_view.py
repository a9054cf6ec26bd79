from __future__ import annotations

from collections.abc import Sequence

import pytest

from agentmem.domain.event import (
    Asked,
    CallDelta,
    Event,
    Notice,
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
from agentmem.terminal.blocks import Whole
from agentmem.terminal.view import View

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n import os\n-\tx = 1\n+\tx = 2\n+\ty = 3\n"


class Time:
    def __init__(self) -> None:
        self.at = 10.0

    def __call__(self) -> float:
        return self.at


def play(events: Sequence[Event], width: int = 60, view: View | None = None) -> str:
    view = view or View(Time())
    blocks = [block for event in events for block in view.take(event)]
    return "\n".join(
        line for block in blocks for line in [*[""] * block.gap, *(text.plain for text in block.lines(width))]
    )


def live(view: View, width: int = 60, rows: int = 20) -> str:
    return "\n".join(line.plain for line in view.live(width, rows))


def ended(tool: str, text: str = "", **more: object) -> ToolEnded:
    values: dict[str, object] = {"error": False, "exit": None, "ms": 4, "diff": None, "offload": None, **more}
    return ToolEnded("c1", tool, text, **values)  # type: ignore[arg-type]


def done(**more: object) -> TurnEnded:
    values: dict[str, object] = {"stop": "done", "text": "", "steps": 2, "usage": Usage(1200, 34), "cost": 0.5, **more}
    return TurnEnded("s", **values)  # type: ignore[arg-type]


def test_start_and_step_print_nothing() -> None:
    assert play([TurnStarted("s", "e", "m"), StepStarted(1), StepEnded(1, Usage(), None)]) == ""


def test_text_is_printed_block_by_block_and_ends_with_the_step() -> None:
    view = View(Time())
    assert play([TextDelta("# Title\n\nfirst"), TextDelta(" words\n\n")], view=view) == "\nTitle"
    assert play([StepEnded(1, Usage(), None)], view=view) == "\nfirst words"


def test_thinking_is_folded_to_its_first_line_and_kept() -> None:
    view = View(Time())
    events = [ThinkingDelta("I look at "), ThinkingDelta("the file.\nThen I edit.\n"), TextDelta("Hi"), done()]
    assert play(events, view=view) == (
        "\n∴ thought (2 lines): I look at the file. … +1 line\n\nHi\n\n2 steps · 1.2k in · 34 out · $0.5000 · 10 s"
    )
    assert list(view.wholes) == [Whole("thinking", "I look at the file.\nThen I edit.")]


def test_a_command_with_a_long_output_is_folded() -> None:
    output = "".join(f"line {index}\n" for index in range(12))
    events = [ToolStarted("c1", "bash", {"command": "make\ntest"}), ended("bash", output, exit=0, ms=1234)]
    assert (
        play(events)
        == """
● bash  make … +1 line
  line 0
  line 1
  line 2
  … 4 lines more · /show
  line 7
  line 8
  line 9
  line 10
  line 11
  └ exit 0 · 1.2 s · 12 lines"""
    )


def test_a_failed_command_is_red_and_long_lines_are_cut() -> None:
    view = View(Time())
    events = [
        ToolStarted("c1", "bash", {"command": "false"}),
        ended("bash", "x" * 99 + "\n", exit=1, offload=".agent/o/1"),
    ]
    (call,) = [block for event in events for block in view.take(event)]
    lines = call.lines(30)
    assert [line.plain for line in lines] == [
        "● bash  false",
        "  " + "x" * 27 + "…",
        "  └ exit 1 · 4 ms · 1 line ·",
        "    whole output in .agent/o/1",
    ]
    assert [str(span.style) for span in lines[0].spans] == ["red", "bold"]


def test_a_read_shows_its_length_only() -> None:
    events = [ToolStarted("c1", "read", {"path": "a.py"}), ended("read", "1\n2\n")]
    assert play(events) == "\n● read  a.py\n  └ 4 ms · 2 lines"


def test_a_read_that_failed_shows_why() -> None:
    events = [ToolStarted("c1", "read", {"path": "a.py"}), ended("read", "no such file", error=True)]
    assert play(events) == "\n● read  a.py\n  no such file\n  └ failed · 4 ms · 1 line"


def test_an_edit_shows_its_diff() -> None:
    view = View(Time())
    events = [ToolStarted("c1", "edit", {"path": "x.py"}), ended("edit", "edited x.py", diff=DIFF)]
    assert (
        play(events, view=view)
        == """
● edit  x.py
  @@ -1,2 +1,3 @@
   import os
  -       x = 1
  +       x = 2
  +       y = 3
  └ +2 −1 · 4 ms"""
    )
    assert list(view.wholes) == [Whole("edit  x.py", DIFF, diff=True)]


def test_what_was_remembered_is_told_whole_with_its_diff() -> None:
    told = "remembered: ports are above 1024 (m1f) · undo: remove the line in MEMORY.md"
    diff = "+- ports are above 1024 ^m1f"
    events = [ToolStarted("c1", "remember", {"text": "ports are above 1024"}), ended("remember", told, diff=diff)]
    assert (
        play(events)
        == """
● remember  ports are above 1024
  +- ports are above 1024 ^m1f
  └ remembered: ports are above 1024 (m1f) · undo: remove
    the line in MEMORY.md"""
    )


def test_what_waits_says_where_and_why() -> None:
    told = "not remembered yet: it waits for the person in .agent/queue/waiting/q1.json (an inference)"
    events = [ToolStarted("c1", "remember", {"text": "x y"}), ended("remember", told)]
    assert (
        play(events)
        == """
● remember  x y
  └ not remembered yet: it waits for the person in
    .agent/queue/waiting/q1.json (an inference)"""
    )


def test_a_long_diff_is_folded() -> None:
    diff = "--- a\n+++ b\n@@ -0,0 +1,60 @@\n" + "+x\n" * 60
    text = play([ToolStarted("c1", "write", {"path": "x"}), ended("write", diff=diff)])
    assert text.count("+x") == 39
    assert text.endswith("  … 21 lines more · /show\n  └ +60 −0 · 4 ms")


def test_a_refused_call_says_what_would_allow_it() -> None:
    events = [ended("bash", "refused", error=True, refused="auto")]
    assert play(events) == "\n● bash\n  refused\n  └ not run · permission mode auto would allow it"


def test_a_declined_call_says_only_that() -> None:
    view = View(Time())
    play([Asked("c1", "edit", {"path": "x.py"}, "mode ask", DIFF, True)], view=view)
    view.declined("c1")
    events = [ended("edit", "Refused: tell the person", error=True, refused="edits")]
    assert play(events, view=view) == "\n● edit  x.py\n  └ not run · you said no"


@pytest.mark.parametrize(("level", "sign"), [("info", "·"), ("memory", "+"), ("warning", "!"), ("error", "✗")])
def test_notices(level: str, sign: str) -> None:
    assert play([Notice(level, "a long notice that goes on\nand on")], 24) == (  # type: ignore[arg-type]
        f"\n{sign} a long notice that\n  goes on\n  and on"
    )


def test_a_retry_drops_what_is_not_printed_and_voids_what_is() -> None:
    view = View(Time())
    assert play([TextDelta("lost")], view=view) == ""
    assert play([Retrying(1, 2.0, "overloaded")], view=view) == "\n↻ overloaded; asking again."
    assert "lost" not in live(view)
    assert play([TextDelta("shown\n\nlost"), TextDelta("\n"), Retrying(2, 4.0, "dropped")], view=view) == (
        "\nshown\n\n↻ dropped; asking again. What is above of this answer is\n  void."
    )
    assert play([TextDelta("good"), done()], view=view).startswith("\ngood\n\n2 steps")


def test_a_question_comes_after_what_was_said() -> None:
    view = View(Time())
    assert play([TextDelta("Now I run it."), Asked("c1", "bash", {}, "", None, False)], view=view) == "\nNow I run it."


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (done(stop="interrupted"), "■ stopped"),
        (done(stop="max_turns"), "✗ stopped: the limit of steps is reached"),
        (done(stop="max_cost"), "✗ stopped: the limit of cost is reached"),
        (done(stop="repeated_call"), "✗ stopped: the same call again and again"),
        (done(stop="length"), "✗ stopped: the answer was cut at the model's length limit"),
        (done(stop="overflow"), "✗ stopped: the conversation no longer fits the model's window"),
        (done(stop="refusal"), "✗ the model declined to answer"),
        (done(stop="model_error", error="401: the key is refused"), "✗ 401: the key is refused"),
        (done(stop="failed"), "✗ the turn failed"),
    ],
)
def test_how_a_turn_can_end(turn: TurnEnded, text: str) -> None:
    assert play([turn], 100) == f"\n{text}\n\n2 steps · 1.2k in · 34 out · $0.5000 · 10 s"


def test_an_answer_that_did_not_stream_is_printed_at_the_end() -> None:
    assert play([done(text="whole answer", cost=None)]) == "\nwhole answer\n\n2 steps · 1.2k in · 34 out · 10 s"


def test_a_call_that_never_ended_is_closed() -> None:
    events = [ToolStarted("c1", "bash", {"command": "sleep 9"}), ToolOutput("c1", "zz\n"), done(stop="interrupted")]
    assert play(events).startswith("\n● bash  sleep 9\n  zz\n  └ stopped\n\n■ stopped")


def test_the_live_part_shows_the_newest_end() -> None:
    view = View(time := Time())
    view.begin()
    play([TurnStarted("s", "e", "m"), StepStarted(1)], view=view)
    assert live(view) == "\n⠋ waiting for the model · 0 s · Ctrl-C stops"
    play([ThinkingDelta("a b c " * 40)], view=view)
    time.at += 1.13
    assert live(view, 20) == "\n  a b c a b c a b c\n  a b c a b c a b c\n  a b c\n\n⠏ thinking · 1 s · …"
    play([TextDelta("one\ntwo\nthree\nfour")], view=view)
    assert live(view, rows=4) == "three\nfour\n\n⠏ writing · 1 s · Ctrl-C stops"
    assert live(view, rows=1) == "⠏ writing · 1 s · Ctrl-C stops"


def test_a_running_call_shows_the_end_of_its_output() -> None:
    view = View(Time())
    view.begin()
    play([CallDelta(0, "bash", '{"comm'), CallDelta(0, "", 'and"}')], view=view)
    assert live(view) == "\n⠋ writing bash call · 11 characters · 0 s · Ctrl-C stops"
    output = "".join(f"line {index}\n" for index in range(9))
    play([ToolStarted("c1", "bash", {"command": "make"}), ToolOutput("c1", output), ToolOutput("c2", "?")], view=view)
    assert live(view) == (
        "\n○ bash  make\n  line 4\n  line 5\n  line 6\n  line 7\n  line 8\n\n⠋ running bash · 0 s · Ctrl-C stops"
    )
    view.stopping()
    play([ended("bash", output, exit=0)], view=view)
    assert live(view) == "\n⠋ stopping · 0 s · Ctrl-C stops"


def test_the_wait_before_a_retry_counts_down() -> None:
    view = View(time := Time())
    view.begin()
    play([Retrying(1, 4.0, "overloaded")], view=view)
    time.at += 1
    assert live(view) == "\n⠇ trying again, attempt 2 in 3.0 s · 1 s · Ctrl-C stops"

from __future__ import annotations

import pytest

from agentmem.domain.event import Asked
from agentmem.terminal.question import Question

DIFF = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n"


def asked(tool: str = "bash", can_always: bool = True, diff: str | None = None, **arguments: object) -> Question:
    return Question(Asked("c1", tool, arguments, "mode ask: runs a command", diff, can_always))


def shown(question: Question, width: int = 80, rows: int = 20) -> str:
    return "\n".join(line.plain for line in question.lines(width, rows))


def test_a_command_is_shown_in_full_with_its_settings() -> None:
    assert (
        shown(asked(command="rm -rf build\nmake \x1b[2J", timeout=600))
        == """
? bash — allow this?
  mode ask: runs a command
  $ rm -rf build
    make ␛[2J
  timeout: 600
  y yes · a always · n no (Esc) · Ctrl-O all of it · Ctrl-C stops the turn
"""
    )


def test_a_change_is_shown_as_its_diff() -> None:
    assert (
        shown(asked("edit", False, DIFF, path="x", old="a", new="b"))
        == """
? edit — allow this?
  mode ask: runs a command
  x
  @@ -1 +1,2 @@
  -old
  +new
  +more
  y yes · n no (Esc) · Ctrl-O all of it · Ctrl-C stops the turn
"""
    )


def test_any_other_call_is_shown_by_its_arguments() -> None:
    text = shown(asked("remember", text="use pg 15\nnot sqlite", tags=["db"]))
    assert '  text: use pg 15\n  not sqlite\n  tags: ["db"]\n' in text


def test_what_does_not_fit_is_counted_and_can_be_seen_whole() -> None:
    question = asked(command="\n".join(f"echo {index}" for index in range(40)))
    text = shown(question, rows=10)
    assert text.split("\n")[3:8] == [
        "  $ echo 0",
        "    echo 1",
        "    echo 2",
        "    echo 3",
        "  … 36 lines more: Ctrl-O shows all",
    ]
    assert len(text.split("\n")) <= 10
    whole = [line.plain for line in question.whole().lines(80)]
    assert whole == ["bash", "$ echo 0", *(f"  echo {index}" for index in range(1, 40))]
    assert question.whole().diff is False
    assert asked("edit", diff=DIFF, path="x").whole().text == DIFF


def test_a_long_command_is_folded_not_cut() -> None:
    command = "echo " + "x" * 100
    text = shown(asked(command=command), width=40)
    assert "".join(line.strip().removeprefix("$ ") for line in text.split("\n")[3:7]).startswith(command)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("y", "yes"),
        ("Y", "yes"),
        ("yes\r", "yes"),
        ("n", "no"),
        ("no", "no"),
        ("\x1b", "no"),
        ("a", "always"),
        ("always\r", "always"),
        ("", None),
        ("\r", None),
        ("x", None),
        ("yy", None),
        ("yes please", None),
        ("\x1by", None),
        ("\0", None),
    ],
)
def test_which_keys_answer(keys: str, answer: str | None) -> None:
    assert asked().answer(keys) == answer


def test_always_is_no_answer_where_it_is_not_offered() -> None:
    assert asked(can_always=False).answer("a") is None
    assert asked(can_always=False).answer("y") == "yes"

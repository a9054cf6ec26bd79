from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from console import PROGRAM, Console
from replay import MARKDOWN

from agentmem.terminal.markdown import pieces

Start = Callable[..., Console]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    open_ones: list[Console] = []

    def begin(*options: str, size: tuple[int, int] = (80, 24), answers: bool = True) -> Console:
        open_ones.append(Console(tmp_path, *options, size=size, answers=answers))
        return open_ones[-1]

    yield begin
    for console in open_ones:
        console.close()


def test_the_prompt_the_welcome_and_a_message(start: Start) -> None:
    console = start()
    console.ready()
    console.type("hello there\r")
    text = console.see("You said: hello there")
    assert text.startswith(
        "· read AGENT.md, AGENTS.md\n· no price is known for scripted/demo\n\n❯ hello there\n\nYou said:"
    )
    console.see("1 step · 12.3k in (8.1k cached) · 420 out · $0.0123")
    console.type("/quit\r")
    assert console.end() == 0
    assert console.sent() == ["hello there"]
    assert console.text().endswith("session 2026-11-30T09-02-11-4f2a91")


def test_keys_typed_before_the_prompt_are_kept(start: Start) -> None:
    console = start("--slow-start", "0.3")
    console.type("typed at once\r")
    console.see("You said: typed at once")
    assert console.sent() == ["typed at once"]
    assert console.text().count("typed at once") == 2


def test_a_paste_before_the_prompt_is_one_message(start: Start) -> None:
    console = start("--slow-start", "0.3")
    console.paste("one\ntwo\nthree")
    console.type("\r")
    console.see("You said: one")
    assert console.sent() == ["one\ntwo\nthree"]


def test_lines_pasted_before_there_was_a_terminal_mode_are_one_message(start: Start) -> None:
    console = start()
    console.child.send("one\rtwo\rthree")  # at this moment the terminal still makes newlines of them
    console.see("three")
    console.ready()
    console.type("\r")
    console.see("You said: one")
    assert len(console.sent()) in (1, 3)
    assert "\n".join(console.sent()) == "one\ntwo\nthree"


def test_a_paste_of_lines_is_one_message_and_goes_into_the_text(start: Start) -> None:
    console = start()
    console.ready()
    console.type("before ")
    console.paste("a\nb\n日本語")
    console.type(" after\r")
    console.see("You said: before a")
    assert console.sent() == ["before a\nb\n日本語 after"]


def test_a_long_paste_is_a_chip_that_opens_and_is_sent_whole(start: Start) -> None:
    console = start()
    console.ready()
    lines = "\n".join(f"line {index}" for index in range(12))
    console.paste(lines)
    console.see("❯ [pasted 12 lines #1]")
    console.type("\x7f")
    console.gone("[pasted 12 lines #1]")
    console.paste(lines)
    console.see("❯ [pasted 12 lines #2]")
    console.type("\x0f")
    console.see("  line 11")
    console.type("\x03")
    console.gone("line 11")
    console.paste(lines)
    console.see("[pasted 12 lines #3]")
    console.type(" x\r")
    console.see("You said: line 0")
    assert console.sent() == [f"{lines} x"]
    assert console.origins() == [["stdin", "person"]]


def test_another_model_is_told_how_to_be_had(start: Start) -> None:
    console = start(size=(120, 24))
    console.ready()
    console.type("/model\r")
    console.see("model scripted/demo")
    console.type("/model openai/gpt 5; rm x\r")
    console.see("leave, then agentmem -c --model 'openai/gpt 5; rm x'.")
    console.see("It stays scripted/demo here.")
    console.type("hello\r")
    console.see("You said: hello")
    assert console.sent() == ["hello"]


def test_new_lines_are_made_in_three_ways(start: Start) -> None:
    console = start()
    console.ready()
    console.type("a\x1b\rb\nc\\\rd\r")
    console.see("You said: a")
    assert console.sent() == ["a\nb\nc\nd"]


def test_the_past_is_searched_by_how_it_begins(start: Start, tmp_path: Path) -> None:
    (tmp_path / "past").write_text('"alpha one"\n"beta"\n"alpha two"\n')
    console = start()
    console.ready()
    console.type("alp\x1b[A")
    console.see("❯ alpha two")
    console.type("\x1b[A")
    console.see("❯ alpha one")
    console.type("\r")
    console.see("You said: alpha one")
    assert (tmp_path / "past").read_text().endswith('"alpha two"\n"alpha one"\n')


def test_slash_commands_are_completed_and_run(start: Start) -> None:
    console = start()
    console.ready()
    console.type("/mo")
    console.see("/model  the model")
    console.type("de edits\r")
    console.see("permission mode edits: writes in the workspace without asking")
    console.see("scripted/demo · edits · 6% of 200k · 2026-11-30T09-02-11-4f2a91")
    console.type("/nothing\r")
    console.see("There is no command /nothing.")
    console.type("/usr/bin is a path\r")
    console.see("You said: /usr/bin is a path")
    console.type("/exit\r")
    assert console.end() == 0


def test_ctrl_c_clears_the_text_first_and_leaves_when_pressed_twice(start: Start) -> None:
    console = start()
    console.ready()
    console.type("half a message")
    console.see("half a message")
    console.type("\x03")
    console.gone("half a message")
    assert "Press Ctrl-C again" not in console.text()
    console.type("\x03")
    console.see("Press Ctrl-C again to leave.")
    console.type("\x03")
    assert console.end() == 0
    assert console.sent() == []


def test_the_signal_is_the_same_as_the_key(start: Start) -> None:
    console = start()
    console.ready()
    console.type("half a message")
    console.see("half a message")
    console.interrupt()
    console.gone("half a message")
    console.interrupt()
    console.see("Press Ctrl-C again to leave.")
    console.interrupt()
    assert console.end() == 0


def test_the_hint_to_press_again_goes_away(start: Start) -> None:
    console = start()
    console.ready()
    console.type("\x03")
    console.see("Press Ctrl-C again to leave.")
    console.gone("Press Ctrl-C again to leave.")
    console.type("\x03")
    console.see("Press Ctrl-C again to leave.")
    console.type("still here\r")
    assert "You said: still here" in console.see("420 out")


def test_ctrl_d_leaves_only_an_empty_input(start: Start) -> None:
    console = start()
    console.ready()
    console.type("ab\x1b[D\x1b[D\x04\r")
    console.see("You said: b")
    console.see("420 out")
    console.type("\x04")
    assert console.end() == 0


@pytest.mark.parametrize("way", ["key", "signal"])
def test_ctrl_c_stops_the_turn_once_and_leaves_twice(start: Start, way: str) -> None:
    console = start()
    console.ready()
    press = (lambda: console.type("\x03")) if way == "key" else console.interrupt
    console.type("slow\r")
    console.see("word3")
    press()
    console.see("■ stopped")
    console.see("420 out")
    console.type("slow\r")
    console.until(lambda text: text.count("word3") >= 2, "the second turn")
    press()
    console.until(lambda text: text.count("■ stopped") == 2, "the second stop")
    press()
    assert console.end() == 0


def test_text_typed_ahead_is_shown_cleared_first_and_sent_after(start: Start) -> None:
    console = start()
    console.ready()
    console.type("slow\r")
    console.see("word1")
    console.type("typed ahead")
    console.see("❯ typed ahead")
    console.type("\x03")
    console.gone("typed ahead")
    assert "stopped" not in console.text()
    console.type("echo\rthen")
    console.see("❯ echo⏎ then")
    console.type("\x03")
    console.gone("⏎ then")
    console.type("\x03")
    console.see("■ stopped")
    console.see("❯ echo")
    console.type("!\r")
    console.see("You said: echo!")
    assert console.sent() == ["slow", "echo!"]


def test_messages_typed_ahead_are_sent_when_the_turn_is_done(start: Start) -> None:
    console = start()
    console.ready()
    console.type("tools\r")
    console.see("○ bash  make test")
    console.type("next one\r")
    console.paste("two\nlines")
    console.type("\r")
    console.see("You said: two")
    assert console.sent() == ["tools", "next one", "two\nlines"]


def test_a_turn_that_does_not_listen_is_left_behind(start: Start) -> None:
    console = start()
    console.ready()
    console.type("deaf\r")
    console.see("I do not listen.")
    console.type("\x03")
    console.see("stopping")
    console.type("\x03\x03")
    assert console.end() == 0


def test_a_question_is_answered_by_a_key_or_a_word(start: Start) -> None:
    console = start()
    console.ready()
    given = [("y", "yes"), ("n", "no"), ("\x1b", "no"), ("a", "always"), ("yes\r", "yes"), ("NO\r", "no")]
    for count, (keys, answer) in enumerate(given, 1):
        console.type("ask\r")
        console.see("y yes · a always · n no")
        assert "  $ rm -rf build\n    make\n" in console.text()
        console.type(keys)
        console.until(lambda text, count=count: text.count("420 out") == count, "the turn's end")
        assert f"answer: {answer}" in console.text()
    assert console.answers() == [answer for _, answer in given]
    assert console.sent() == ["ask"] * len(given)


def test_a_word_typed_out_is_one_answer(start: Start) -> None:
    console = start()
    console.ready()
    console.type("ask\r")
    console.see("y yes")
    for key in "yes\r":
        console.type(key)
        console.pump(0.05)
    console.see("answer: yes")
    console.see("420 out")
    console.type("/quit\r")
    assert console.end() == 0
    assert console.sent() == ["ask"]


def test_always_is_offered_only_where_it_can_be(start: Start) -> None:
    console = start()
    console.ready()
    console.type("ask never\r")
    text = console.see("y yes · n no")
    assert "always" not in text
    console.type("a")
    console.pump(0.2)
    assert console.answers() == []
    console.pump(0.5)
    console.type("\x1b")
    console.see("answer: no")


def test_what_is_typed_ahead_is_no_answer(start: Start) -> None:
    console = start()
    console.ready()
    console.type("ask late\r")
    console.see("waiting for the model")
    console.type("yes, and")
    console.see("❯ yes, and")
    console.see("y yes · a always")
    console.type(" any")
    console.pump(0.8)
    assert console.answers() == []
    console.type("n")
    console.see("answer: no")
    console.see("❯ yes, and any")


@pytest.mark.parametrize("way", ["key", "signal"])
def test_ctrl_c_at_a_question_is_a_no_that_stops(start: Start, way: str) -> None:
    console = start()
    console.ready()
    console.type("ask\r")
    console.see("y yes")
    if way == "key":
        console.type("\x03")
    else:
        console.interrupt()
    console.see("■ stopped")
    assert console.answers() == ["no"]


def test_a_change_is_shown_before_and_after(start: Start) -> None:
    console = start()
    console.ready()
    console.type("change long\r")
    console.see("more: Ctrl-O shows all")
    console.type("\x0f")
    console.see("+line 99")
    console.type("y")
    console.see("└ +100 −0 · 3 ms")
    console.type("/show\r")
    console.until(lambda text: text.count("+line 99") == 2, "the diff again")
    console.type("change\r")
    console.see("+DB = 'postgresql://localhost/test'")
    console.type("n")
    console.see("● edit  tests/conftest.py\n  └ not run · you said no")
    assert console.answers() == ["yes", "no"]


def test_tools_in_lines_with_folded_output(start: Start) -> None:
    console = start(size=(80, 60))
    console.ready()
    console.type("tools\r")
    text = console.see("420 out")
    begin = text.index("∴ thought")
    assert (
        text[begin : text.index("1 step")]
        == """∴ thought (2 lines): The user wants the tests to run. … +1 line

I look at the tests.

● read  tests/conftest.py
  └ 4 ms · 2 lines

● grep  sqlite  in src
  └ 12 ms

● edit  tests/conftest.py
  @@ -1,2 +1,2 @@
   import pytest
  -DB = 'sqlite://'
  +DB = 'postgresql://localhost/test'
  └ +1 −1 · 3 ms

● bash  make test
  tests/test_0.py ......
  tests/test_1.py ......
  tests/test_2.py ......
  … 22 lines more · /show
  tests/test_25.py ......
  tests/test_26.py ......
  tests/test_27.py ......
  tests/test_28.py ......
  tests/test_29.py ......
  └ exit 0 · 1.2 s · 30 lines · whole output in .agent/offload/x/c4.txt

● bash  false
  no such thing
  └ exit 1 · 2 ms · 1 line

! the window is half full

All green.

"""
    )
    console.type("/show 2\r")
    console.see("tests/test_17.py ......")
    console.type("\x0f")
    console.until(lambda text: text.count("no such thing") == 2, "the last output again")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_streamed_markdown_ends_as_the_whole_renders(start: Start, columns: int) -> None:
    console = start(size=(columns, 24))
    console.ready()
    console.type("markdown\r")
    text = console.see("420 out" if columns > 40 else "out · $0.0123")
    lines: list[str] = []
    for _, piece in pieces(MARKDOWN):
        lines += [*[""] * piece.gap, *(line.plain for line in piece.lines(columns))]
    whole = "".join(lines).replace(" ", "")
    assert whole in "".join(text.split("\n")).replace(" ", "")


def test_wide_letters_are_typed_sent_and_shown(start: Start) -> None:
    console = start(size=(40, 24))
    console.ready()
    console.type("日本語 🎉 wörter\r")
    console.until(lambda text: "You said: 日本語" in text.replace("\0", ""), "the wide answer")
    assert console.sent() == ["日本語 🎉 wörter"]


def test_hostile_text_steers_nothing(start: Start) -> None:
    console = start(size=(100, 50))
    console.ready()
    console.type("hostile\r")
    console.see("y yes · n no")
    console.type("n")
    console.see("end of attack")
    console.type("/show\r")
    console.see("420 out")
    console.type("/show 3\r")
    console.pump(0.3)
    console.type("/quit\r")
    assert console.end() == 0
    for steering in (
        b"\x1b]",
        b"\x1b[2J",
        b"\x1b[H",
        b"\x1b[?1049",
        b"\x07",
        b"\x08\x08",
        b"\xc2\x9b",
        "\u202e".encode(),
    ):
        assert steering not in console.raw.replace(b"\x08\x1b[2C", b""), steering
    assert console.page.title == ""


def test_a_narrow_terminal_and_a_resize_in_a_turn(start: Start) -> None:
    console = start(size=(60, 20))
    console.ready()
    console.type("slow\r")
    console.see("word12")
    console.resize(34, 20)
    console.see("word24")
    console.resize(70, 20)
    console.see("word30")
    console.type("\x03")
    text = console.see("■ stopped")
    words = text[text.index("Working on it.") : text.index("■ stopped")].split()
    assert words[:3] == ["Working", "on", "it."]
    assert words[3:] == [f"word{index}" for index in range(len(words) - 3)]
    assert text.count("❯ slow") == 1


def test_a_retry_is_told(start: Start) -> None:
    console = start()
    console.ready()
    console.type("retry\r")
    console.see("trying again, attempt 2")
    text = console.see("Second try.")
    assert "↻ the server is overloaded (529); asking again." in text


def test_the_first_message_comes_from_the_command_line(start: Start) -> None:
    console = start("--first", "hello from outside", "--slow-start", "0.2")
    text = console.see("You said: hello from outside")
    assert text.startswith("❯ hello from outside\n")
    console.ready()
    console.type("/quit\r")
    assert console.end() == 0


def test_a_message_sent_before_the_agent_is_made_waits_for_it(start: Start) -> None:
    console = start("--slow-start", "1.5")
    console.see("starting …")
    console.type("early\r")
    console.see("Ctrl-C takes the message back")
    console.type("\x03")
    console.gone("takes the message back")
    console.ready()
    console.type(" bird\r")
    console.see("You said: early bird")
    assert console.sent() == ["early bird"]


@pytest.mark.parametrize("typed", ["", "some text", "a message\r"])
def test_an_agent_that_cannot_be_made_is_told(start: Start, typed: str) -> None:
    console = start("--no-start", "no model: set OPENAI_API_KEY", "--slow-start", "0.3")
    console.type(typed)
    assert console.end() == 4
    assert "error: no model: set OPENAI_API_KEY" in console.text()


def test_leaving_before_the_agent_is_made(start: Start) -> None:
    console = start("--slow-start", "5")
    console.see("starting …")
    console.type("/quit\r")
    assert console.end() == 0


def modes(console: Console) -> list[object]:
    return termios.tcgetattr(console.child.fileno())[:4]


def test_the_terminal_is_given_back_after_a_crash_a_signal_and_a_quit(start: Start) -> None:
    for ending in ("crash\r", "TERM", "/quit\r"):
        console = start()
        before = modes(console)
        console.ready()
        assert modes(console) != before
        if ending == "TERM":
            os.kill(console.child.pid, signal.SIGTERM)
        else:
            console.type(ending)
        code = console.end()
        assert code == {"crash\r": 1, "TERM": 143, "/quit\r": 0}[ending]
        assert console.raw.rstrip().endswith(b"\x1b[?7h") or b"ZeroDivisionError" in console.raw
        assert not console.page.cursor.hidden
        assert b"\x1b[?2004l" in console.raw[console.raw.rindex(b"\x1b[?2004h") :]
        assert modes(console) == before


def test_a_terminal_that_goes_away_ends_the_program(start: Start) -> None:
    console = start()
    console.ready()
    console.type("slow\r")
    console.see("word1")
    os.kill(console.child.pid, signal.SIGHUP)
    assert console.end() == 129
    assert "■ stopped" in console.text()


def test_a_terminal_that_answers_nothing_still_works(start: Start) -> None:
    console = start(answers=False)
    console.see("❯")
    console.type("hello\r")
    console.see("You said: hello")
    console.type("/quit\r")
    assert console.end() == 0
    assert b"WARNING" not in console.raw


def test_without_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path)],
        input="hello\n",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error: the interactive prompt needs a terminal; use agentmem -p TEXT without one\n"


def test_the_prompt_comes_before_anything_heavy() -> None:
    code = (
        "import sys; import agentmem.terminal.face; a = {'prompt_toolkit', 'rich', 'typer', 'asyncio'};"
        "print(sorted(a & set(sys.modules)));"
        "import agentmem.terminal.seat; b = {'rich', 'typer', 'markdown_it', 'pygments', 'agentmem.domain.event'};"
        "print(sorted(b & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    assert run.stdout == "[]\n[]\n"

from __future__ import annotations

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from agentmem.domain.event import Asked
from agentmem.terminal.answering import Answering, character


class Time:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def keys(text: str) -> list[KeyPress]:
    special = {"\r": Keys.ControlM, "\x1b": Keys.Escape, "\n": Keys.ControlJ}
    return [KeyPress(special.get(letter, letter), letter) for letter in text]


def typed(pressed: list[KeyPress]) -> str:
    return "".join(key.data for key in pressed)


def asking(now: Time, last_ahead: float = float("-inf")) -> Answering:
    answering = Answering(now)
    answering.ask(Asked("c1", "bash", {"command": "ls"}, "", None, True))
    assert answering.unseen
    answering.seen(last_ahead)
    assert not answering.unseen
    return answering


def test_a_key_answers_at_once() -> None:
    answer, ahead = asking(Time()).take(keys("y"))
    assert (answer, ahead) == ("yes", [])


def test_nothing_answers_a_question_that_is_not_on_the_screen() -> None:
    answering = Answering(Time())
    answering.ask(Asked("c1", "bash", {}, "", None, True))
    answer, ahead = answering.take(keys("y\r"))
    assert (answer, typed(ahead)) == (None, "y")


def test_whoever_was_typing_must_pause_before_a_key_answers() -> None:
    now = Time()
    answering = asking(now, last_ahead=99.8)
    assert typed(answering.take(keys("a"))[1]) == "a"
    now.at += 0.45
    assert typed(answering.take(keys("y"))[1]) == "y"
    now.at += 0.55
    assert answering.take(keys("y"))[0] == "yes"


def test_typing_a_sentence_into_a_question_gives_no_answer() -> None:
    now = Time()
    answering = asking(now)
    for letter in "wait a bit\r":
        answer, _ = answering.take(keys(letter))
        assert answer is None
        now.at += 0.2


def test_enter_and_esc_are_not_typed_ahead_and_do_not_delay() -> None:
    answering = asking(Time())
    assert answering.take(keys("\r")) == (None, [])
    assert answering.take(keys("\x1b")) == ("no", [])


def test_the_rest_of_a_typed_out_answer_is_swallowed() -> None:
    now = Time()
    answering = asking(now)
    assert answering.take(keys("y"))[0] == "yes"
    answering.close()
    assert answering.awaits_rest
    assert [answering.take(keys(letter))[1] for letter in "es\r"] == [[], [], []]
    assert not answering.awaits_rest
    assert typed(answering.take(keys("es"))[1]) == "es"


def test_what_is_not_the_rest_is_typed_ahead() -> None:
    now = Time()
    for text, ahead in (("next", "next"), ("ex", "x"), ("\rmore", "more")):
        answering = asking(now)
        answering.take(keys("y"))
        answering.close()
        assert typed(answering.take(keys(text))[1]) == ahead
    answering = asking(now)
    answering.take(keys("y"))
    answering.close()
    now.at += 1.1
    assert typed(answering.take(keys("es"))[1]) == "es"


def test_without_a_question_every_key_is_typed_ahead() -> None:
    assert typed(Answering(Time()).take(keys("hello\r"))[1]) == "hello\r"


def test_keys_that_type_nothing_are_no_answer() -> None:
    assert [character(key) for key in keys("y\r\n\x1b")] == ["y", "\r", "\r", "\x1b"]
    assert character(KeyPress(Keys.BracketedPaste, "y")) == "\0"
    assert character(KeyPress(Keys.Up, "\x1b[A")) == "\0"

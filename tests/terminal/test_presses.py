from __future__ import annotations

from agentmem.terminal.presses import Presses


class Time:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_at_the_prompt_two_presses_leave() -> None:
    now = Time()
    presses = Presses(now)
    assert presses.press(text=False, running=False) == "warn"
    assert presses.armed
    now.at += 1.9
    assert presses.press(text=False, running=False) == "leave"


def test_a_late_second_press_only_warns_again() -> None:
    now = Time()
    presses = Presses(now)
    presses.press(text=False, running=False)
    now.at += 2.1
    assert not presses.armed
    assert presses.press(text=False, running=False) == "warn"


def test_text_goes_first_then_the_turn_then_the_program() -> None:
    presses = Presses(Time())
    assert presses.press(text=True, running=True) == "clear"
    assert presses.press(text=False, running=True) == "cancel"
    assert presses.press(text=False, running=True) == "leave"


def test_clearing_text_is_no_first_press() -> None:
    presses = Presses(Time())
    presses.press(text=False, running=False)
    assert presses.press(text=True, running=False) == "clear"
    assert presses.press(text=False, running=False) == "warn"


def test_a_press_that_stopped_a_turn_counts_at_the_prompt() -> None:
    presses = Presses(Time())
    assert presses.press(text=False, running=True) == "cancel"
    assert presses.press(text=False, running=False) == "leave"


def test_a_new_turn_makes_the_next_press_a_first_one() -> None:
    presses = Presses(Time())
    presses.press(text=False, running=True)
    presses.disarm()
    assert presses.press(text=False, running=True) == "cancel"

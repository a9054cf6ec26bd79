from __future__ import annotations

from collections.abc import Iterator

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.keys import Keys

from agentmem.terminal.keyboard import Keyboard


@pytest.fixture
def pipe() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe:
        yield pipe
        get_typeahead(pipe)


def type_ahead(pipe: PipeInput, text: str) -> Keyboard:
    keyboard = Keyboard(pipe)
    pipe.send_text(text)
    keyboard.ahead(keyboard.read_now())
    return keyboard


def test_keys_are_read_without_the_terminals_own_answers(pipe: PipeInput) -> None:
    keyboard = Keyboard(pipe)
    assert keyboard.read_now() == []
    pipe.send_text("a\x1b[3;1R\x03")
    assert [key.key for key in keyboard.read()] == ["a", Keys.ControlC]
    assert keyboard.last_ahead < 0
    assert keyboard.fileno() == pipe.fileno()


def test_esc_alone_is_a_key_and_an_arrow_is_none(pipe: PipeInput) -> None:
    keyboard = Keyboard(pipe)
    pipe.send_text("\x1b")
    assert [key.key for key in keyboard.read()] == [Keys.Escape]
    pipe.send_text("\x1b[A")
    assert [key.key for key in keyboard.read()] == [Keys.Up]


def test_what_was_typed_ahead_reads_as_text(pipe: PipeInput) -> None:
    keyboard = type_ahead(pipe, "fix\x7fx it\rand \x1b[200~two\nlines\x1b[201~\x1b[A")
    assert keyboard.last_ahead > 0
    assert keyboard.typed == "fix it⏎ and two lines"
    assert keyboard.unsent
    keyboard.clear_unsent()
    assert (keyboard.typed, keyboard.unsent) == ("fix it⏎ ", False)


def test_it_is_handed_over_in_order_and_once(pipe: PipeInput) -> None:
    keyboard = type_ahead(pipe, "a\rb")
    keyboard.hand_over()
    assert [key.key for key in get_typeahead(pipe)] == ["a", Keys.ControlM, "b"]
    keyboard.hand_over()
    assert get_typeahead(pipe) == []


def test_after_a_stop_nothing_is_sent_by_itself(pipe: PipeInput) -> None:
    keyboard = type_ahead(pipe, "a\rb\r\r")
    keyboard.unsend()
    keyboard.hand_over()
    assert [key.key for key in get_typeahead(pipe)] == ["a", Keys.ControlJ, "b"]


def test_a_terminal_that_is_gone_is_told(pipe: PipeInput) -> None:
    keyboard = Keyboard(pipe)
    pipe.close()
    assert keyboard.read() == []
    assert keyboard.gone

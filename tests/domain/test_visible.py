from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.visible import settled, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("日本語 🎉 é", "日本語 🎉 é"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;b3du\x07", "␛]52;c;b3du␇"),
        ("a\rb\x08c\x00\x7f", "a␍b␈c␀␡"),
        ("\x9b2J\x9d0;t\x9c", "\\x9b2J\\x9d0;t\\x9c"),
        ("rm \u202etxt.exe\u2066", "rm <U+202E>txt.exe<U+2066>"),
        ("a\u2028b\u200bc\U000e0041", "a<U+2028>b<U+200B>c<U+E0041>"),
        ("half \ud83d", "half \ufffd"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_signs_stand_for_what_would_steer_or_hide(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10%\r20%\r100%\ndone\n", "100%\ndone\n"),
        ("dos\r\nlines\r\n", "dos\nlines\n"),
        ("\x1b[1;32mok\x1b[0m\x1b[K é\n", "ok é\n"),
        ("half\r", "half"),
        ("\x1b[2Jgone", "␛[2Jgone"),
    ],
)
def test_output_is_what_a_terminal_would_leave(text: str, shown: str) -> None:
    assert settled(text) == shown


@given(st.text())
def test_nothing_steers_a_terminal(text: str) -> None:
    for shown in (visible(text), settled(text)):
        kinds = {unicodedata.category(letter) for letter in shown if letter not in "\t\n"}
        assert not kinds & {"Cc", "Cs"}
        shown.encode()


@given(st.text())
def test_visible_twice_is_visible_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize("text", ["\r" * 10**6 + "é", "x" * 10**6 + "é", "\x1b[" + "1;" * 10**6, "\x1b[1" * 300_000])
def test_long_hostile_text_is_cheap(text: str) -> None:
    begin = time.process_time()
    settled(text)
    assert time.process_time() - begin < 2

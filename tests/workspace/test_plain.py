from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.workspace.plain import Plain, plain


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", Plain("")),
        (b"one\n\ttwo\n", Plain("one\n\ttwo\n")),
        ("é 🙂\n".encode(), Plain("é 🙂\n")),
        ("\ufffd\n".encode(), Plain("\ufffd\n")),
        (b"dos\r\nlines\r\n", Plain("dos\r\nlines\r\n")),
        (b"a\xff\xfeb\n", Plain("a\ufffd\ufffdb\n", undecodable=True)),
        (b"a\0\x07b\x7f", Plain("a\ufffd\ufffdb\ufffd", undecodable=True)),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b(B", Plain("red link", reduced=True)),
        (b"cut \x1b[3", Plain("cut ", reduced=True)),
        (b"10%\r20%\r100%\ndone\n", Plain("100%\ndone\n", reduced=True)),
        (b"50%\r", Plain("50%", reduced=True)),
        (b"a\rb\r\nc", Plain("b\r\nc", reduced=True)),
        (b"N\bNA\bA_\bx \b\b\b\b\by", Plain("y", reduced=True)),
    ],
)
def test_bytes_become_text(data: bytes, wanted: Plain) -> None:
    assert plain(data) == wanted


@given(st.binary(max_size=200))
def test_text_is_always_valid_and_without_controls(data: bytes) -> None:
    text = plain(data).text
    text.encode()
    assert not [letter for letter in text if (ord(letter) < 32 or 127 <= ord(letter) < 160) and letter not in "\t\n\r"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=50))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text.encode()) == Plain(text)

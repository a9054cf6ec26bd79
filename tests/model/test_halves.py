from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmem.model.halves import Halves, clean, clean_all

ANY = st.text(st.characters(exclude_categories=()))


def test_clean() -> None:
    assert clean("plain") == "plain"
    assert clean("é😀") == "é😀"
    assert clean("a\ud83d\ude00b\ud83dc\udc80") == "a😀b\ufffdc\ufffd"


def test_clean_all() -> None:
    assert clean_all({"\ud800": ["\udc00x", {"a": 1.5, "b": None, "c": True}]}) == {
        "\ufffd": ["\ufffdx", {"a": 1.5, "b": None, "c": True}]
    }


@given(st.lists(ANY))
def test_pieces_show_what_the_whole_would(pieces: list[str]) -> None:
    halves = Halves()
    shown = "".join(halves.add(piece) for piece in pieces)
    assert halves.end() == clean("".join(pieces))
    assert halves.end().removesuffix("\ufffd") == shown.removesuffix("\ufffd")
    shown.encode()


def test_half_waits() -> None:
    halves = Halves()
    assert [halves.add("a\ud83d"), halves.add(""), halves.add("\ude00b"), halves.end()] == ["a", "", "😀b", "a😀b"]

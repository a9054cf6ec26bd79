from __future__ import annotations

import pytest

from agentmem.memory.write.clause import LONGEST, Word, fold, words


def edges(text: str) -> list[tuple[str, str]]:
    return [(word.edge, word.text) for word in words(text) if not word.glue]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use X, Y and Z.", [("", "use"), ("", "x"), (",", "y"), ("&", "z")]),
        ("Note: use tabs", [("", "note"), (":", "use"), ("", "tabs")]),
        ("tabs (in Go) – ok", [("", "tabs"), ("(", "in"), ("", "go"), (",", "ok")]),
        ("a1 (b) c", [("", "a1"), ("(", "b"), (")", "c")]),
        ("it was red", [("", "was"), ("", "red")]),
        ("red because blue", [("", "red"), (",", "because"), ("", "blue")]),
        ("请记住：测试，完成。", [("", "请记住"), (":", "测试"), (",", "完成")]),
        ("10.0.0.5:80, x=1", [("", "10.0.0.5:80"), (",", "x=1")]),
        ("red so we rest", [("", "red"), ("", "rest")]),
        ("red so slow", [("", "red"), ("", "so"), ("", "slow")]),
        ("", []),
    ],
)
def test_a_clause_may_begin_where_a_sign_says_so(text: str, expected: list[tuple[str, str]]) -> None:
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Don't", "do not"),
        ("I can’t, cannot, won't", "i can not, can not, will not"),
        ("I'm, we're, I've", "i am, we are, i have"),
        ("I've got it", "i have it"),
        ("I'd like, I'd rather", "i would like, i would rather"),
        ("I'd gone", "i'd gone"),
        ("My name's Ana, Bob's name", "my name is ana, bob's name"),
        ("it's the user's", "it's the user's"),
    ],
)
def test_short_forms_are_written_out(short: str, full: str) -> None:
    assert fold(short) == full


def test_glue_is_kept_and_marked() -> None:
    assert words("We are and") == [Word("we", "", True), Word("are", "", True), Word("and", "&", True)]


def test_a_sentence_of_a_documents_length_is_none() -> None:
    assert len(words("red " * LONGEST)) == LONGEST
    assert words("red " * (LONGEST + 1)) == []

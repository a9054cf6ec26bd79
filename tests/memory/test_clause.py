from __future__ import annotations

import pytest

from agentmem.memory.write.clause import LONGEST, Word, words


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
        ("", []),
    ],
)
def test_a_clause_may_begin_where_a_sign_says_so(text: str, expected: list[tuple[str, str]]) -> None:
    assert edges(text) == expected


def test_glue_is_kept_and_marked() -> None:
    assert words("We are and") == [Word("we", "", True), Word("are", "", True), Word("and", "&", True)]


def test_a_sentence_of_a_documents_length_is_none() -> None:
    assert len(words("red " * LONGEST)) == LONGEST
    assert words("red " * (LONGEST + 1)) == []

from __future__ import annotations

import pytest

from agentmem.memory.write import wording
from agentmem.memory.write.together import together


@pytest.mark.parametrize(
    ("claim", "said", "expected"),
    [
        ("postgres", ["we use postgres"], True),
        ("use postgres 15 tests in tests/unit", ["we use postgres 15", "tests are in tests/unit"], True),
        ("use pytest for tests", ["for tests we use pytest"], True),
        ("delete database", ["delete logs", "keep database"], False),
        ("delete logs keep database", ["delete logs", "keep database"], True),
        ("a1 b2", ["a1 then b2"], True),
        ("port 1 port 2", ["port 1, port 2"], True),
        ("port 2 port 1", ["port 1, port 2"], True),
        ("red 2 blue 1", ["red 1, blue 2"], False),
        ("red 2", ["red 1, blue 2"], False),
        ("blue 2", ["red 1, blue 2"], True),
        ("blue 2", ["red 1, blue 2", "blue 2"], True),
        ("red blue", ["red 1, blue 2"], True),
        ("", ["x"], True),
    ],
)
def test_words_count_where_they_were_said_together(claim: str, said: list[str], expected: bool) -> None:
    sentences = [(text, frozenset(wording.words(text))) for text in said]
    assert together(wording.words(claim), sentences) is expected

from __future__ import annotations

import pytest

from agentmem.memory.write.clause import words
from agentmem.memory.write.utterance import Utterance


@pytest.mark.parametrize(
    ("said", "claim", "expected"),
    [
        ("use red and blue", "use red", {2}),
        ("use red and blue", "use blue", {2}),
        ("never use any red", "never use red", {3}),
        ("use any red", "use red", set()),
        ("use red everywhere but blue", "use red everywhere", set()),
        ("use red but blue is fine", "use red", {2}),
        ("red is in x and is made with y", "red made with y", {4}),
        ("I am Ana, Bob and I rest", "i bob", set()),
        ("I rest in x so we win", "i rest in x", {4}),
        ("mail it so we rest", "rest", set()),
        ("the build, we rest", "we rest", set()),
        ("the build is red, we rest", "we rest", {2}),
        ("Bob owns x and I own y", "i own y", {3}),
        ("", "red", set()),
    ],
)
def test_where_a_claims_clauses_may_end(said: str, claim: str, expected: set[int]) -> None:
    one = Utterance(words(said))
    assert one.ends(claim.split(), 0) == expected
    assert one.ends(claim.split(), 0) == expected  # what is known by then changes nothing

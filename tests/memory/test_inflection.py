from __future__ import annotations

import pytest

from agentmem.memory.write.inflection import base, beside


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("prefers", "prefer"),
        ("uses", "use"),
        ("closes", "close"),
        ("tries", "try"),
        ("ties", "tie"),
        ("goes", "go"),
        ("pushes", "push"),
        ("watches", "watch"),
        ("fixes", "fix"),
        ("passes", "pass"),
        ("has", "have"),
        ("does", "do"),
        ("squash-merges", "squash-merge"),
        ("is", None),
        ("prefer", None),
        ("pass", None),
        ("status", None),
        ("s3s", None),
        ("größes", None),
    ],
)
def test_a_verb_as_one_says_it_of_oneself(verb: str, expected: str | None) -> None:
    assert base(verb) == expected


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("lint before committing", "commit lint", ["lint before you commit"]),
        ("lint before you commit", "committing lint", ["lint before committing"]),
        ("test when writing it", "write written wrist", ["test when you write it"]),
        ("lint before committing", "commits committed committer commission", []),
        ("lint without committing", "commit", []),
        ("lint before lunch", "lunch", []),
    ],
)
def test_what_is_done_at_another_time_has_two_forms(text: str, said: str, expected: list[str]) -> None:
    assert list(beside(text, frozenset(said.split()))) == expected

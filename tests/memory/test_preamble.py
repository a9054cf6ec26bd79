from __future__ import annotations

import pytest

from agentmem.memory.write import preamble
from agentmem.memory.write.clause import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please remember that we use tabs", "we use tabs"),
        ("Hey, just so you know, we use tabs", "we use tabs"),
        ("don't forget: we use tabs", "we use tabs"),
        ("No, we use tabs", "we use tabs"),
        ("no tabs", "no tabs"),
        ("keep x < 5", "keep x < 5"),
        ("store logs in S3", "store logs in S3"),
        ("update the docs", "update the docs"),
        ("always use tabs", "always use tabs"),
        ("请记住我们使用pnpm", "我们使用pnpm"),
        ("thanks", "thanks"),
    ],
)
def test_asking_is_no_part_of_what_is_said(text: str, expected: str) -> None:
    assert preamble.stripped(text) == expected


@pytest.mark.parametrize("text", ["", "the", "you should", "I want you to", "make sure you", "please always", "ok so"])
def test_what_may_stand_before(text: str) -> None:
    assert preamble.asks_along(words(text))


@pytest.mark.parametrize("text", ["should", "are you sure", "Bob", "make sure the", "why", "some", "check that"])
def test_what_may_not_stand_before(text: str) -> None:
    assert not preamble.asks_along(words(text))


@pytest.mark.parametrize(
    ("text", "edge", "expected"),
    [
        ("alice owns search", ",", True),
        ("theoretically", ",", False),
        ("in production", ",", False),
        ("Bob claims that", ",", False),
        ("our rules", ":", True),
        ("facts about the shop", ":", True),
        ("Bob", ":", False),
        ("Bob's rules", ":", False),
        ("bad rules", ":", False),
        ("the commit message is", ":", False),
        ("please note", ":", True),
        ("the", ",", True),
    ],
)
def test_a_clause_before(text: str, edge: str, expected: bool) -> None:
    assert preamble.before(words(text), edge) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("because it is fast", True),
        ("and bob owns billing", True),
        ("it was 10 MB before", True),
        ("in the sandbox", False),
        ("but I'm wondering how", True),
        ("which is why I hope so", True),
        ("so can you mend it", True),
        ("but Bob doubts it", False),
        ("or in redis", False),
        ("Bob claims", False),
        ("never mind", False),
        ("", True),
    ],
)
def test_a_clause_behind(text: str, expected: bool) -> None:
    assert preamble.behind(words(text)) is expected


@pytest.mark.parametrize(
    ("text", "edge", "expected"),
    [
        ("my setup", ":", True),
        ("some background", ":", True),
        ("our form", ":", False),
        ("team B", ":", False),
        ("user story, as a buyer", ",", False),
        ("I am Ana", ",", True),
        ("add this testimonial", ",", False),
        ("the build is slow", ",", True),
        ("Bob owns billing", "&", True),
        ("I doubt it", ",", False),
        ("please remember", ":", True),
    ],
)
def test_what_introduces_somebodys_own_words(text: str, edge: str, expected: bool) -> None:
    assert preamble.introduces(words(text), edge) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("isort is off", True), ("I doubt it", True), ("vim", False), ("the old one", False)],
)
def test_what_is_no_exception_behind_but(text: str, expected: bool) -> None:
    assert preamble.contrasts(words(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can you remember that it is red?", True),
        ("Ok, could you please note that x", True),
        ("Do you remember it?", False),
    ],
)
def test_a_request_in_the_form_of_a_question(text: str, expected: bool) -> None:
    assert preamble.requested(text) is expected

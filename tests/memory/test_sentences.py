"""The sentences that decide or bind."""

from __future__ import annotations

import pytest

from agentmem.memory.read.sentences import binding, decided, sentences


@pytest.mark.parametrize(
    ("text", "person", "agent"),
    [
        ("We use Postgres 15 instead of SQLite.", True, True),
        ("Never touch vendor/.", True, False),
        ("should be 8 px", True, False),
        ("I decided to keep the cache.", True, True),
        ("Should we use Postgres instead?", False, False),
        ("Let me use grep instead of find.", True, False),
        ("The file has three parts.", False, False),
        ("never", False, False),
        ("我们决定使用数据库。", True, True),
        ("不要修改它。", True, False),
        ("今天天气很好。", False, False),
    ],
)
def test_who_decides_what(text: str, person: bool, agent: bool) -> None:
    assert (decided(text, person=True), decided(text, person=False)) == ([text] * person, [text] * agent)


def test_a_line_is_kept_whole_with_its_reason_and_without_its_bullet() -> None:
    assert decided("Plan:\n- Use A for tests. It is faster.\n- Fine.", person=True) == [
        "Use A for tests. It is faster."
    ]


def test_a_long_line_is_kept_by_sentences() -> None:
    text = "It rains. " * 40 + "Always run make lint first. " + "It rains."
    assert binding(text) == ["Always run make lint first."]


def test_code_decides_nothing() -> None:
    assert list(sentences("one line\n```\nnever say never\n```\ntwo lines")) == ["one line", "two lines"]

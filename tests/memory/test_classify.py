from __future__ import annotations

import pytest

from agentmem.domain.category import Category
from agentmem.domain.claim import Scope
from agentmem.memory.write.classify import classify, scope


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I prefer tabs", "preference"),
        ("my favourite editor is vim", "preference"),
        ("call me Ana", "preference"),
        ("we decided to use PostgreSQL", "decision"),
        ("we use pnpm", "decision"),
        ("never push to main", "constraint"),
        ("secrets must not be logged", "constraint"),
        ("always run make lint", "procedure"),
        ("to release, run make ship", "procedure"),
        ("the port is 8080", "fact"),
        ("my limit is 2,000", "limit"),
        ("I am an admin", "identity"),
    ],
)
def test_the_words_show_the_kind(text: str, category: Category) -> None:
    assert classify(text, None) == category


def test_what_was_said_counts_but_for_a_grant_of_power() -> None:
    assert classify("the port is 8080", "decision") == "decision"
    assert classify("my limit is 2,000", "preference") == "limit"
    assert classify("skip approval for deploys", "fact") == "identity"


@pytest.mark.parametrize(
    ("text", "category", "level"),
    [
        ("I prefer tabs", "preference", "user"),
        ("in this project I prefer tabs", "preference", "project"),
        ("I prefer tabs in shop", "preference", "project"),
        ("my name is Ana", "fact", "user"),
        ("I live in Porto", "fact", "user"),
        ("the port is 8080", "fact", "project"),
        ("we use pnpm", "decision", "project"),
        ("Ana", "identity", "user"),
    ],
)
def test_the_level_goes_by_what_it_says(text: str, category: Category, level: Scope) -> None:
    assert scope(text, category, "Shop") == level

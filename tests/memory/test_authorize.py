from __future__ import annotations

from typing import get_args

import pytest

from agentmem.domain.category import CATEGORIES, Category
from agentmem.domain.claim import PRINCIPALS
from agentmem.memory.write.authorize import Route, Ruling, Speaker, authorize, route, speaker_of
from agentmem.memory.write.screening import Finding

POWER: tuple[Category, ...] = ("limit", "identity")


@pytest.mark.parametrize(
    ("speaker", "plain", "power"),
    [
        ("typed", ("commit", 1.0), ("commit", 1.0)),
        ("asked", ("commit", 1.0), ("queue", 0.7)),
        ("asserted", ("commit", 0.9), ("queue", 0.7)),
        ("harness", ("commit", 0.8), ("queue", 0.5)),
        ("agent", ("queue", 0.6), ("queue", 0.5)),
        ("dream", ("queue", 0.6), ("queue", 0.5)),
        ("tool", ("queue", 0.5), ("queue", 0.4)),
        ("project", ("queue", 0.5), ("queue", 0.4)),
        ("import", ("queue", 0.5), ("queue", 0.4)),
    ],
)
def test_the_table(speaker: Speaker, plain: tuple[Route, float], power: tuple[Route, float]) -> None:
    for category in CATEGORIES:
        found = authorize(speaker, category, None, "because")
        assert (found.route, found.confidence) == (power if category in POWER else plain)


@pytest.mark.parametrize("speaker", get_args(Speaker))
def test_a_grant_of_power_is_never_committed(speaker: Speaker) -> None:
    for category in CATEGORIES:
        assert authorize(speaker, category, Finding("authority", "it grants"), "x").route == "queue"


@pytest.mark.parametrize("speaker", get_args(Speaker))
def test_a_question_is_dropped_whoever_asks(speaker: Speaker) -> None:
    assert authorize(speaker, "fact", Finding("question", "it asks"), "x") == Ruling(0.0, "discard", "it asks")


@pytest.mark.parametrize(
    ("speaker", "expected"),
    [("typed", "commit"), ("asked", "commit"), ("asserted", "discard"), ("agent", "discard"), ("tool", "discard")],
)
def test_what_only_matters_now_is_kept_only_where_it_was_asked_for(speaker: Speaker, expected: Route) -> None:
    assert authorize(speaker, "fact", Finding("current", "now"), "x").route == expected


@pytest.mark.parametrize(
    ("speaker", "expected"),
    [("typed", "queue"), ("asserted", "queue"), ("agent", "discard"), ("tool", "discard"), ("import", "discard")],
)
def test_an_attack_is_dropped_and_in_the_persons_mouth_it_waits(speaker: Speaker, expected: Route) -> None:
    assert authorize(speaker, "fact", Finding("override", "it attacks"), "x").route == expected


def test_a_standing_order_is_the_persons_to_give() -> None:
    order = Finding("order", "it is a standing order")
    assert authorize("asserted", "constraint", order, "said so") == Ruling(0.9, "commit", "said so")
    assert authorize("tool", "constraint", order, "a tool's") == Ruling(0.5, "queue", "a tool's")


def test_where_a_confidence_leads() -> None:
    assert [route(value) for value in (1.0, 0.8, 0.79, 0.3, 0.29, 0.0)] == [
        "commit",
        "commit",
        "queue",
        "queue",
        "discard",
        "discard",
    ]


def test_every_principal_has_a_row() -> None:
    assert [speaker_of(one, typed=False, asked=False) for one in PRINCIPALS] == [
        "asserted",
        "asserted",
        "agent",
        "tool",
        "project",
        "import",
        "dream",
    ]
    assert speaker_of("user", typed=True, asked=False) == "typed"
    assert speaker_of("user", typed=False, asked=True) == "asked"
    assert speaker_of("agent", typed=False, asked=True, harness=True) == "harness"

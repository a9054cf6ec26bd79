"""What may stand in a config file: each key sets a field, is shown, and takes only what has its form."""

from __future__ import annotations

from dataclasses import fields

import pytest

from agentmem.config import Config
from agentmem.configkeys import KEYS


def test_every_key_sets_a_field_of_its_own_and_is_shown() -> None:
    named = [field for field, _ in KEYS.values()]
    assert len(named) == len(set(named))
    assert set(named) == {field.name for field in fields(Config)} - {"sources", "notices"}
    assert set(KEYS) == set(Config().values())


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", [None, object(), -1, "", [1], {1: 1}])
def test_what_has_no_form_of_a_value_is_refused(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"^\w"):
        KEYS[key][1](value)


@pytest.mark.parametrize(
    ("key", "given", "taken"),
    [
        ("model", " openai/gpt-5 ", "openai/gpt-5"),
        ("max_cost", 2, 2.0),
        ("compaction.trigger", 0.95, 0.95),
        ("reset.compactions", 0, 0),
        ("reset.models", ["a/b"], ("a/b",)),
        ("recall.auto", False, False),
        ("recall.knowledge", ["docs/"], ("docs/",)),
        ("recall.form", "plain", "plain"),
    ],
)
def test_what_has_it_is_taken(key: str, given: object, taken: object) -> None:
    assert KEYS[key][1](given) == taken

"""The form of a config file: YAML, each key once, no more than can be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.configfile import ConfigError, dotted, short

FILE = Path("/p/config.yaml")


def test_groups_become_dotted_keys() -> None:
    data = b"model: openai/gpt-5\npermission: {mode: plan}\nkeys: {openai: sk-1}\n1: one\n"
    assert dotted(FILE, data) == {
        "model": "openai/gpt-5",
        "permission.mode": "plan",
        "keys": {"openai": "sk-1"},
        "1": "one",
    }


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf# only a comment\n", b"---\n"])
def test_a_file_without_a_value_sets_nothing(data: bytes) -> None:
    assert dotted(FILE, data) == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [1\n", ":2: no valid YAML"),
        ("- a\n", "wants `key: value` lines"),
        ("permission: plan\n", "`permission` wants a mapping, e.g. permission: {mode: plan}, got 'plan'"),
        ("permission:\n", "`permission` wants a mapping, e.g. permission: {mode: plan}, got None"),
        ("permission: [plan]\n", "`permission` wants a mapping, e.g. permission: {mode: plan}, got ['plan']"),
        (
            "compaction: half\n",
            "`compaction` wants a mapping, e.g. compaction: {trigger: 0.5, target: 0.35}, got 'half'",
        ),
        ("model: a\nwindow: 5\nmodel: b\n", ":3: no valid YAML: `model` is there twice"),
        ("permission: {mode: plan, mode: auto}\n", ":1: no valid YAML: `mode` is there twice"),
        ("a: &a {x: 1}\nb: {<<: [*a, *a]}\n", ":2: no valid YAML: `<<` is not taken here"),
        ("model: 2020-99-99\n", "no valid YAML: month must be in 1..12"),
    ],
)
def test_a_wrong_form_is_an_error_that_names_the_file(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as failure:
        dotted(FILE, text.encode())
    assert str(failure.value).startswith(str(FILE))
    assert told in str(failure.value)


def test_a_file_that_is_no_text_is_an_error() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        dotted(FILE, b"model: \xff\xfe")


def test_a_file_nested_without_end_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no valid YAML"):
        dotted(FILE, b"model: " + b"[" * 100_000)


def test_a_value_that_aliases_blow_up_is_told_in_short() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    told = short(dotted(FILE, "\n".join([*rows, "model: *a11", ""]).encode())["model"])
    assert told.startswith("[[")
    assert len(told) < 1_000

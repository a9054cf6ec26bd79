"""A command line as it was typed: options that may stand without a value."""

from __future__ import annotations

import pytest

from agentmem.cli.typed import with_values


@pytest.mark.parametrize(
    ("words", "filled"),
    [
        (["-r"], ["-r", ""]),
        (["-r", "-p", "x"], ["-r", "", "-p", "x"]),
        (["-r", "--model=a/b"], ["-r", "", "--model=a/b"]),
        (["-p", "-r"], ["-p", "", "-r", ""]),
        (["-r", "2026"], ["-r", "2026"]),
        (["-r", "--fork"], ["-r", "", "--fork"]),
        (["sessions", "show", "x"], ["sessions", "show", "x"]),
    ],
)
def test_what_stands_without_a_value_gets_an_empty_one(words: list[str], filled: list[str]) -> None:
    assert with_values(words) == filled

"""The help of every command shows how it is used, each example on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from agentmem.cli.root import cli


def commands(command: object, path: str) -> Iterator[str]:
    for name, one in getattr(command, "commands", {}).items():
        own = f"{path} {name}".strip()
        if not one.hidden:  # git calls that one, no person does
            yield own
        yield from commands(one, own)


EVERY = list(commands(typer.main.get_command(cli), ""))


@pytest.mark.parametrize("path", EVERY)
def test_help_has_an_example_on_a_line_of_its_own(path: str) -> None:
    rows = [row.strip() for row in CliRunner().invoke(cli, [*path.split(), "-h"]).output.split("\n")]
    shown = [row for row in rows if "Example" in row]
    assert shown, path
    assert [row for row in shown if not row.startswith("Example") or row.count("Example:") > 1] == []


def test_every_group_is_looked_at() -> None:
    assert {"review approve", "memory blame", "skills allow", "sessions show", "features verify"} <= set(EVERY)

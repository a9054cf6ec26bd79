"""How long ``agentmem --help`` takes against the help of a Typer app of two commands."""

from __future__ import annotations

import sys

from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import FLOORS, agentmem, milliseconds

RUNS = 11


def measure(runs: int) -> list[Line]:
    """Whole processes, in milliseconds."""
    ours, floor = in_turns(
        runs,
        lambda: milliseconds([agentmem(), "--help"]),
        lambda: milliseconds([sys.executable, str(FLOORS / "two_commands.py"), "--help"]),
    )
    return [Line("`agentmem --help`", "ms", 1.3, ours, "help of a two-command Typer app", floor)]


if __name__ == "__main__":
    sys.exit(main("help", measure, RUNS))

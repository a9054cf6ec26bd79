"""How long ``agentmem --version`` takes against a Python that does nothing."""

from __future__ import annotations

import sys

from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import agentmem, milliseconds

RUNS = 21


def measure(runs: int) -> list[Line]:
    """Whole processes, in milliseconds."""
    ours, floor = in_turns(
        runs,
        lambda: milliseconds([agentmem(), "--version"]),
        lambda: milliseconds([sys.executable, "-c", "pass"]),
    )
    return [Line("`agentmem --version`", "ms", 2.0, ours, "`python -c pass`", floor)]


if __name__ == "__main__":
    sys.exit(main("version", measure, RUNS))

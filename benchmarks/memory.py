"""Peak memory of a turn of 50 and of 410 tool calls, against the same loop as a bare script."""

from __future__ import annotations

import sys

from benchmarks.command import main
from benchmarks.line import Line
from benchmarks.turns import FEW, MANY, Turn, measured

RUNS = 7


def measure(runs: int) -> list[Line]:
    """Peak resident memory of the whole process in MiB."""
    turns = measured(runs)

    def peaks(of: tuple[Turn, ...]) -> tuple[float, ...]:
        return tuple(turn.peak for turn in of)

    few, many = peaks(turns.few), peaks(turns.many)
    floor = "the same loop as a bare script"
    return [
        Line(f"peak memory of {FEW} calls", "MiB", 2.2, few, floor, peaks(turns.bare_few)),
        Line(f"peak memory of {MANY} calls", "MiB", 2.2, many, floor, peaks(turns.bare_many)),
        Line(f"peak memory of {MANY} calls", "MiB", 1.1, many, f"peak memory of {FEW} calls", few),
    ]


if __name__ == "__main__":
    sys.exit(main("memory", measure, RUNS))

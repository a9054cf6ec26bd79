"""What a tool call costs: from a reply's end to the next request, against the same loop as a bare script."""

from __future__ import annotations

import sys
from statistics import median

from benchmarks.command import main
from benchmarks.line import Line
from benchmarks.turns import measured

RUNS = 7


def measure(runs: int) -> list[Line]:
    """Gaps in milliseconds: one bash ``echo`` and one fsync each."""
    turns = measured(runs)
    ours = tuple(median(turn.gaps[:50]) for turn in turns.few)
    bare = tuple(median(turn.gaps[:50]) for turn in turns.bare_few)
    early, late = (tuple(turn.around(call) for turn in turns.many) for call in (20, 400))
    bare_early, bare_late = (median(turn.around(call) for turn in turns.bare_many) for call in (20, 400))
    return [
        Line("gap of a tool call, 50 in a turn", "ms", 2.0, ours, "the same loop as a bare script", bare),
        Line(
            "gap at call 400",
            "ms",
            1.2,
            late,
            "gap at call 20",
            early,
            f"the bare script: {bare_late / bare_early:.2f} × ({bare_early:.1f} to {bare_late:.1f} ms)",
        ),
    ]


if __name__ == "__main__":
    sys.exit(main("tool_calls", measure, RUNS))

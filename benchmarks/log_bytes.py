"""How many bytes of log a tool call costs beyond its content."""

from __future__ import annotations

import sys

from benchmarks.command import main
from benchmarks.line import Line
from benchmarks.model_server import serving
from benchmarks.turns import FEW, agentmem_turn

RUNS = 7


def measure(runs: int) -> list[Line]:
    """Bytes a call, over a turn of 50 calls of one bash ``echo``."""
    with serving() as server:
        sizes = tuple(agentmem_turn(server, FEW).log_overhead for _ in range(runs))
    return [Line("log of a tool call beyond its content", "B", 600, sizes)]


if __name__ == "__main__":
    sys.exit(main("log_bytes", measure, RUNS))

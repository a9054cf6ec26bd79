"""How large the first request is in a workspace without instruction files."""

from __future__ import annotations

import sys

from benchmarks.command import main
from benchmarks.line import Line
from benchmarks.model_server import serving
from benchmarks.turns import agentmem_turn

RUNS = 7


def measure(runs: int) -> list[Line]:
    """Bytes of the request's body: system text, tools and the user message."""
    with serving() as server:
        sizes = tuple(float(agentmem_turn(server, 0).first_body) for _ in range(runs))
    return [Line("body of the first request", "B", 8192, sizes)]


if __name__ == "__main__":
    sys.exit(main("first_bytes", measure, RUNS))

"""How long ``agentmem -p`` takes from its start to its first request, against a bare script that asks once."""

from __future__ import annotations

import sys
import uuid

from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.model_server import ModelServer, serving
from benchmarks.process import FLOORS, agentmem, run, workspace

RUNS = 11


def until_request(server: ModelServer, argv: list[str]) -> float:
    """From the start of a process to the arrival of its first whole request, in milliseconds."""
    name = uuid.uuid4().hex
    with workspace() as place:
        start, _ = run([*argv, "--api-base", server.api_base(name, 0)], place)
    return (server.records(name)[0][0] - start) * 1000


def measure(runs: int) -> list[Line]:
    """Moments of the server, in milliseconds since the start of the process."""
    ours = [agentmem(), "-p", "hi", "--model", "openai/bench", "--output", "json"]
    bare = [sys.executable, str(FLOORS / "one_call.py"), "-p", "hi", "--model", "bench"]
    with serving() as server:
        samples, floor = in_turns(runs, lambda: until_request(server, ours), lambda: until_request(server, bare))
    what = "`agentmem -p` from start to first request"
    return [Line(what, "ms", 3.0, samples, "bare script: arguments, one streaming call", floor)]


if __name__ == "__main__":
    sys.exit(main("first_request", measure, RUNS))

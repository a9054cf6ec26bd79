"""Turns: the same turn of many bash calls, by agentmem and by a bare script, seen from the model server."""

from __future__ import annotations

import functools
import itertools
import json
import sys
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.model_server import ModelServer, Record, serving
from benchmarks.process import FLOORS, Failed, Workspace, agentmem, with_peak, workspace

FEW, MANY = 50, 410
TASK = "Run the commands."


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn cost. `gaps[n]` is the time from the end of reply n+1 to the arrival of the next request, in ms."""

    gaps: tuple[float, ...]
    peak: float
    first_body: int
    log_overhead: float

    def around(self, call: int) -> float:
        """Median gap of the 21 calls around `call`, in ms."""
        return median(self.gaps[max(0, call - 11) : call + 10])


@dataclass(frozen=True, slots=True)
class Turns:
    """The same turns, measured round by round: agentmem and the bare script, of few and of many calls."""

    few: tuple[Turn, ...]
    many: tuple[Turn, ...]
    bare_few: tuple[Turn, ...]
    bare_many: tuple[Turn, ...]


def gaps(records: list[Record]) -> tuple[float, ...]:
    """From the end of each reply to the arrival of the next request, in ms."""
    return tuple((after[0] - before[1]) * 1000 for before, after in itertools.pairwise(records))


def agentmem_argv(api_base: str, text: str) -> list[str]:
    """The command as a script would start it, allowed to run commands, with a limit that is never reached."""
    options = ["--model", "openai/bench", "--api-base", api_base, "--permission", "full", "--max-turns", "1000"]
    return [agentmem(), "-p", text, *options, "--output", "json"]


def agentmem_turn(server: ModelServer, calls: int) -> Turn:
    """One turn of agentmem in a fresh workspace."""
    return _turn(server, calls, lambda base, place: agentmem_argv(base, TASK))


def bare_turn(server: ModelServer, calls: int) -> Turn:
    """The same turn of the bare script."""

    def argv(base: str, place: Workspace) -> list[str]:
        options = ["--model", "bench", "--api-base", base, "--log", str(place.cwd / "log.jsonl")]
        return [sys.executable, str(FLOORS / "loop.py"), "-p", TASK, *options]

    return _turn(server, calls, argv)


def _turn(server: ModelServer, calls: int, argv: Callable[[str, Workspace], list[str]]) -> Turn:
    name = uuid.uuid4().hex
    with workspace() as place:
        peak = with_peak(argv(server.api_base(name, calls), place), place)
        records = server.records(name)
        if len(records) != calls + 1:
            raise Failed(f"a turn of {calls} calls made {len(records)} requests instead of {calls + 1}")
        logs = list((place.cwd / ".agent" / "sessions").glob("*.jsonl"))
        overhead = log_overhead(logs[0].read_bytes().split(b"\n"), calls) if logs and calls else 0.0
    return Turn(gaps(records), peak, records[0][2], overhead)


def log_overhead(lines: Iterable[bytes], calls: int) -> float:
    """Bytes of log a tool call beyond its content, over the lines after the user message up to the last result.

    Content is what the model wrote and what the tool gave: texts and arguments. All else counts: ids, times, usage,
    quotes, names, entries of other types, line ends.
    """
    extra = counted = 0
    begun = False
    for line in lines:
        if not line:
            continue
        entry = json.loads(line)
        if not begun:
            begun = entry.get("role") == "user"
            continue
        extra += len(line) + 1 - content_bytes(entry)
        if entry.get("role") == "tool":
            counted = extra
    return counted / calls


def content_bytes(entry: dict[str, Any]) -> int:
    """Bytes of the texts and arguments in a message entry; 0 for other types."""
    content = entry.get("content") if entry.get("type") == "message" else None
    if isinstance(content, str):
        return len(content.encode())
    total = 0
    for part in content if isinstance(content, list) else ():
        total += len(part.get("text", "").encode())
        if part.get("type") == "tool_call":
            total += len(json.dumps(part["arguments"], separators=(",", ":")).encode())
    return total


@functools.cache
def measured(runs: int) -> Turns:
    """Each turn `runs` times, in turns; the first round warms up only. Rows that need the same turns share them."""
    rounds: list[tuple[Turn, Turn, Turn, Turn]] = []
    with serving() as server:
        for number in range(runs + 1):
            kinds = [(agentmem_turn, FEW), (agentmem_turn, MANY), (bare_turn, FEW), (bare_turn, MANY)]
            order = range(4) if number % 2 else range(3, -1, -1)
            got = {index: kinds[index][0](server, kinds[index][1]) for index in order}
            if number:
                rounds.append((got[0], got[1], got[2], got[3]))
    few, many, bare_few, bare_many = zip(*rounds, strict=True)
    return Turns(few, many, bare_few, bare_many)

"""The command line that every benchmark shares: measure, print a table or JSON, exit 1 when over budget."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from benchmarks.line import Line, machine, table, today

Measure = Callable[[int], list[Line]]


def main(name: str, measure: Measure, runs: int) -> int:
    """Run one benchmark; `runs` is how often each side is measured unless --runs says otherwise."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=sys.modules["__main__"].__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--runs", type=int, default=runs, help=f"how often each side is measured ({runs})")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    lines = measure(arguments.runs)
    if arguments.json:
        document = {
            "benchmark": name,
            "date": today(),
            "machine": machine(),
            "passed": all(line.passed for line in lines),
            "lines": [line.to_json() for line in lines],
        }
        print(json.dumps(document, indent=1))
    else:
        print(table(lines), end="")
        for line in lines:
            if line.detail:
                print(f"{line.what}: {line.detail}")
    return 0 if all(line.passed for line in lines) else 1

"""Run every benchmark and write benchmarks/RESULTS.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import agentmem
from benchmarks import (
    checkpoint,
    compaction,
    first_bytes,
    first_request,
    gate,
    help,
    log_bytes,
    memory,
    one_compaction,
    prompt_ready,
    redaction,
    resume,
    retrieval,
    screened,
    session_list,
    skills,
    tool_calls,
    version,
)
from benchmarks.line import Line, machine, table, today
from benchmarks.process import Failed

ROWS = (
    version,
    help,
    first_request,
    prompt_ready,
    tool_calls,
    memory,
    one_compaction,
    first_bytes,
    log_bytes,
    checkpoint,
    compaction,
    resume,
    session_list,
    skills,
    redaction,
    gate,
    screened,
    retrieval,
)
RESULTS = Path(__file__).with_name("RESULTS.md")


def page(lines: Sequence[Line], failures: Sequence[str]) -> str:
    """The results as a page."""
    at = machine()
    where = f"{at['cpu']}, {at['cores']} cores, {at['memory_mib']} MiB, {at['system']}, Python {at['python']}"
    runs = min((len(line.samples) for line in lines), default=0)
    details = [f"- {line.what}: {line.detail}" for line in lines if line.detail]
    notes = [*details, *(f"- not measured: {failure}" for failure in failures)]
    return (
        "# Measured\n\n"
        f"agentmem {agentmem.__version__}, {today()}, on {where}. `make bench` writes this page.\n"
        f"Each figure is the median of {runs} runs or more, taken in turns with its floor; what is started is the\n"
        "installed command, as a whole process.\n\n" + table(lines) + ("\n" + "\n".join(notes) + "\n" if notes else "")
    )


def main() -> int:
    """Measure all; 1 when something is over its budget or could not be measured."""
    lines: list[Line] = []
    failures: list[str] = []
    for row in ROWS:
        name = row.__name__.rpartition(".")[2]
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            lines += row.measure(row.RUNS)
        except Failed as error:
            failures.append(f"{name} ({str(error).splitlines()[0]})")
            print(error, file=sys.stderr)
    RESULTS.write_text(page(lines, failures), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"), end="")
    return 0 if all(line.passed for line in lines) and not failures else 1


if __name__ == "__main__":
    sys.exit(main())

"""A line: one measured figure, the floor it is held against, and its budget."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAST_RUNS = 7


@dataclass(frozen=True, slots=True)
class Line:
    """`samples` and `floor_samples` are in `unit`. With a floor the ratio of the medians is held against `budget`,
    without one the median itself."""

    what: str
    unit: str
    budget: float
    samples: tuple[float, ...]
    floor: str = ""
    floor_samples: tuple[float, ...] = ()
    detail: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return statistics.median(self.samples)

    @property
    def floor_value(self) -> float | None:
        """The floor's median, None without a floor."""
        return statistics.median(self.floor_samples) if self.floor_samples else None

    @property
    def ratio(self) -> float | None:
        """Median over the floor's median, None without a floor."""
        return self.value / self.floor_value if self.floor_value else None

    @property
    def passed(self) -> bool:
        """True within the budget."""
        return (self.value if self.ratio is None else self.ratio) <= self.budget

    def to_json(self) -> dict[str, Any]:
        """Everything measured; figures in `unit`, rounded to what they are worth."""
        return {
            "what": self.what,
            "unit": self.unit,
            "value": round(self.value, 3),
            "floor": self.floor or None,
            "floor_value": None if self.floor_value is None else round(self.floor_value, 3),
            "ratio": None if self.ratio is None else round(self.ratio, 3),
            "budget": self.budget,
            "passed": self.passed,
            "runs": len(self.samples),
            "detail": self.detail or None,
            "samples": [round(sample, 3) for sample in self.samples],
            "floor_samples": [round(sample, 3) for sample in self.floor_samples],
        }


def in_turns(runs: int, one: Callable[[], float], other: Callable[[], float]) -> tuple[tuple[float, ...], ...]:
    """Measure two things `runs` times each, in turns, the order swapped every time; the first round warms up only."""
    ones, others = [], []
    for number in range(runs + 1):
        if number % 2:
            other_sample, one_sample = other(), one()
        else:
            one_sample, other_sample = one(), other()
        if number:
            ones.append(one_sample)
            others.append(other_sample)
    return tuple(ones), tuple(others)


def figure(value: float, unit: str) -> str:
    """A figure for people: three digits that count, and its unit."""
    digits = 0 if value >= 100 or unit == "B" else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def cells(line: Line) -> tuple[str, ...]:
    """What, measured, floor, floor measured, ratio, budget, verdict."""
    floor = "–" if line.floor_value is None else figure(line.floor_value, line.unit)
    ratio = "–" if line.ratio is None else f"{line.ratio:.2f} ×"
    budget = figure(line.budget, line.unit) if line.ratio is None else f"{line.budget:g} ×"
    return (
        line.what,
        figure(line.value, line.unit),
        line.floor or "–",
        floor,
        ratio,
        budget,
        "ok" if line.passed else "OVER",
    )


HEAD = ("what", "measured", "floor", "floor measured", "ratio", "at most", "")


def table(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    rows = [HEAD, tuple("---" for _ in HEAD), *(cells(line) for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def machine() -> dict[str, str | int]:
    """Processor, cores, memory in MiB, operating system and Python: what a figure was measured on."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for row in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if row.startswith("model name"):
                return row.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def today() -> str:
    """The date in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime())

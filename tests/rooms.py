"""Rooms: a pytest plugin that tells the branch coverage of each room of agentmem, from coverage's JSON report."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

REPORT = ".coverage.json"


def room(path: str) -> str:
    """The room of a source file: ``agentmem/memory/read/recall.py`` is ``memory/read``, ``agentmem/cli.py`` ``cli``."""
    parts = Path(path).with_suffix("").parts
    inside = parts[parts.index("agentmem") + 1 :]
    if len(inside) == 1:
        return inside[0]
    return "/".join(inside[: 2 if inside[0] == "memory" and len(inside) > 2 else 1])


def coverage_by_room(files: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, float, int]]:
    """(room, per cent of statements and branches run, statements) by name; `files` is that key of coverage's JSON."""
    hit: dict[str, int] = defaultdict(int)
    all_: dict[str, int] = defaultdict(int)
    statements: dict[str, int] = defaultdict(int)
    for path, file in files.items():
        summary, name = file["summary"], room(path)
        hit[name] += summary["covered_lines"] + summary["covered_branches"]
        all_[name] += summary["num_statements"] + summary["num_branches"]
        statements[name] += summary["num_statements"]
    return [(name, 100 * hit[name] / all_[name] if all_[name] else 100.0, statements[name]) for name in sorted(all_)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print one line a room when this run wrote a coverage report."""
    report = config.rootpath / REPORT
    if not report.is_file() or not config.pluginmanager.hasplugin("_cov"):
        return
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    terminalreporter.section("coverage by room (statements and branches)")
    for name, per_cent, statements in coverage_by_room(files):
        if statements:
            terminalreporter.write_line(f"{name:<20} {per_cent:6.1f} %  of {statements:>5} statements")

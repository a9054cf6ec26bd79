"""The coverage table: which room a file belongs to, and how its numbers add up."""

from __future__ import annotations

from rooms import coverage_by_room, room


def test_a_file_belongs_to_the_room_it_stands_in() -> None:
    paths = ["agentmem/cli.py", "agentmem/tools/bash.py", "agentmem/memory/memory.py", "agentmem/memory/read/recall.py"]
    assert [room(path) for path in paths] == ["cli", "tools", "memory", "memory/read"]


def test_statements_and_branches_count_alike() -> None:
    def file(statements: int, hit: int, branches: int, taken: int) -> dict[str, dict[str, int]]:
        return {
            "summary": {
                "num_statements": statements,
                "covered_lines": hit,
                "num_branches": branches,
                "covered_branches": taken,
            }
        }

    files = {"agentmem/tools/ls.py": file(6, 6, 4, 1), "agentmem/tools/read.py": file(8, 5, 2, 0)}
    assert coverage_by_room(files) == [("tools", 60.0, 14)]

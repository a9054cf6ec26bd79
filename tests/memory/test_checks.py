"""Which commands are checks, and how a check ended."""

from __future__ import annotations

import pytest

from agentmem.memory.read.checks import check_of, outcome


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q tests", "test"),
        ("cd a && npm test -- x 2>&1 | tail -5", "test"),
        ("python -m unittest", "test"),
        ("mix test test/a_test.exs", "test"),
        ("./node_modules/.bin/jest", "test"),
        ("npm run check", "lint"),
        ("ruff check .", "lint"),
        ("npx tsc --noEmit", "lint"),
        ("mix compile 2>&1 | head", "build"),
        ("make", "build"),
        ("npx tsc", "build"),
        ("cargo build --release", "build"),
        ("grep -rn pytest .", None),
        ("git commit -m 'npm test'", None),
        ("cat pytest.ini", None),
        ("echo make test", None),
        ("pip install ruff", None),
        ("ls tests", None),
        ("mypy-something", None),
    ],
)
def test_what_a_command_checks(command: str, expected: str | None) -> None:
    assert check_of(command) == expected


@pytest.mark.parametrize(
    ("command", "exit", "error", "output", "expected"),
    [
        ("pytest", 0, False, "", "passed"),
        ("pytest", 1, True, "", "failed"),
        ("pytest", None, True, "", "failed"),
        ("pytest | tail -3", 0, False, "3 failed, 2 passed", "failed"),
        ("pytest | tail -3", 0, False, "5 passed in 2 s", "passed"),
        ("pytest | tail -3", 0, False, "collected", "unknown"),
        ("pytest | grep x", 1, True, "", "unknown"),
        ("mix test | tail", 0, False, "397 tests, 0 failures", "passed"),
        ("pytest || true", 0, False, "2 failed", "failed"),
        ("pytest; ls", 0, False, "a.py", "unknown"),
        ("set -o pipefail; pytest | tail", 1, True, "", "failed"),
        ("tsc | head", 0, False, "a.ts(1,1): error TS2322: no", "failed"),
    ],
)
def test_how_a_check_ended(command: str, exit: int | None, error: bool, output: str, expected: str) -> None:
    assert outcome(command, exit, error, output) == expected

"""What test runners print: pytest, unittest, Django, cargo, go and node."""

from __future__ import annotations

import pytest

from agentmem.workspace.runners import silent

PYTEST = "collected 2 items\n\ntest_a.py ..     [100%]\n\n===== 2 passed in 0.09s =====\n"
CARGO = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
NO_CARGO = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"


@pytest.mark.parametrize(
    ("check", "printed", "runner"),
    [
        ("pytest", PYTEST, None),
        ("pytest -q", ".      [100%]\n1 passed in 0.01s\n", None),
        ("pytest -qq", ".      [100%]\n", None),
        ("pytest", "\x1b[32m=== \x1b[32m\x1b[1m1 passed\x1b[0m\x1b[32m in 0.01s ===\x1b[0m\n", None),
        ("cd x && .venv/bin/pytest -x", "=== test session starts ===\n", "pytest"),
        ("python -m pytest tests", "", "pytest"),
        ("pytest --co -q", "test_a.py::test_a\n\n1 test collected in 0.00s\n", "pytest"),
        ("pytest -q > out.txt", "", None),
        ("pytest -q | tail -1", "", None),
        ("python tests/pytest_like.py", "", None),
        ("grep -q pytest-cov setup.cfg", "", None),
        ("python -m unittest", "..\n-----\nRan 2 tests in 0.000s\n\nOK\n", None),
        ("python -m unittest", "\n-----\nRan 0 tests in 0.000s\n\nOK\n", "unittest"),
        ("python manage.py test shop", "Found 0 test(s).\nRan 0 tests in 0.000s\n\nOK\n", "manage.py test"),
        ("cargo test", NO_CARGO + CARGO, None),
        ("cargo test search", NO_CARGO + NO_CARGO, "cargo test"),
        ("go test ./...", "?   \tshop\t[no test files]\nok  \tshop/search\t0.003s\n", None),
        ("go test ./...", "?   \tshop\t[no test files]\n", "go test"),
        ("node --test", "ℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\n", None),
        ("node --test", "# tests 0\n# suites 0\n# pass 0\n# fail 0\n", "node --test"),
        ("make test", "", None),
        ("true", "", None),
    ],
)
def test_a_runner_that_does_not_say_that_it_ran_tests(check: str, printed: str, runner: str | None) -> None:
    assert silent(check, printed) == runner

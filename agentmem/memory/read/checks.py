"""Checks: which commands test, lint or build, and whether what they printed says that it went well."""

from __future__ import annotations

import re
from typing import Literal

CheckKind = Literal["test", "lint", "build"]
Outcome = Literal["passed", "failed", "unknown"]

_RUN = r"(?:npm|pnpm|yarn|bun)(?: run)? "
_KINDS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    (
        "test",
        re.compile(
            rf"(?:^|[\s/])(?:py\.?test|jest|vitest|rspec|phpunit|ctest|tox|nox|(?:mix|cargo|go|dotnet|bun|deno|gradle|mvn|"
            rf"swift|rails|make|just|uv run) (?:test|check)\b|{_RUN}test|-m (?:pytest|unittest)|node --test)(?![\w-])"
        ),
    ),
    (
        "lint",
        re.compile(
            rf"(?:^|[\s/])(?:ruff(?: check)?|eslint|mypy|pyright|flake8|pylint|biome|shellcheck|golangci-lint|rubocop|"
            rf"stylelint|cargo clippy|mix (?:credo|dialyzer|format --check\S*)|prettier --check|black --check|"
            rf"tsc --noEmit|make lint|go vet|{_RUN}(?:lint|check|typecheck|type-check))(?![\w-])"
        ),
    ),
    (
        "build",
        re.compile(
            rf"(?:^|[\s/])(?:(?:cargo|go|docker|swift|dotnet|vite|gradle|make|mix) build|mix compile|mvn package|"
            rf"cmake --build|tsc|make(?= *$)|{_RUN}build)(?![\w-])"
        ),
    ),
)
_STAGE = re.compile(r"\|\||&&|;|\|(?!&)|\n")
_FAILED = re.compile(
    r"\b[1-9]\d*,? (?:failed|failures?|failing|errors?)\b|^(?:FAIL|FAILED|ERROR)\b|\berror(?: TS\d+|\[E\d+\])?: |"
    r"\bBUILD FAILED\b|^npm (?:ERR!|error)|\*\* \(\w*Error\)|^make: \*\*\*",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:passed|passing)\b|\b0 (?:failures|failed|errors)\b|\bAll checks passed\b|\bfound no issues\b|"
    r"\bno issues found\b|\bBUILD SUCCESS|^ok\b|\btest result: ok\b",
    re.MULTILINE,
)
_LOOKED = 20_000  # characters of output at each end


def check_of(command: str) -> CheckKind | None:
    """What a command checks, None where it is no check. What only looks for the word (``grep pytest``) is none."""
    for stage in _STAGE.split(command[:2_000]):
        plain = stage.strip()
        if plain.startswith(("grep", "rg", "echo", "cat", "git", "sed", "ls", "find", "which", "pip", "head", "tail")):
            continue
        for kind, pattern in _KINDS:
            if pattern.search(plain):
                return kind
    return None


def outcome(command: str, exit_: int | None, error: bool, output: str) -> Outcome:
    """How a check ended. The exit code of a pipe is that of its last part: then only what was printed can tell."""
    piped = "|" in command.replace("||", "") and "pipefail" not in command
    if not piped and (error or exit_ not in (None, 0)):
        return "failed"
    if not piped and "||" not in command and ";" not in command:
        return "passed"
    shown = output if len(output) <= 2 * _LOOKED else output[:_LOOKED] + "\n" + output[-_LOOKED:]
    if _FAILED.search(shown):
        return "failed"
    return "passed" if _PASSED.search(shown) else "unknown"

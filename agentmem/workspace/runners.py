"""Runners: whether a test runner that a check calls by name says that it ran tests and came to its end.

A program under test that leaves the process in its first line (`os._exit(0)`) ends a run with 0 before a test was
begun, and some runners end with 0 where they found none. What a runner prints then lacks its last word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Runner:
    name: str
    called: re.Pattern[str]
    says: re.Pattern[str]


_WORD = r"(?:^|[\s;&(/])"
_RUNNERS = (
    _Runner(
        "pytest",
        re.compile(rf"{_WORD}(?:pytest|py\.test)(?=$|[\s;&)])"),
        re.compile(r"\b[1-9]\d* (?:passed|xfailed|xpassed|skipped)\b|\[100%\]"),
    ),
    _Runner("unittest", re.compile(r"\s-m\s+unittest(?=$|[\s;&)])"), re.compile(r"^Ran [1-9]\d* tests? in ", re.M)),
    _Runner("manage.py test", re.compile(r"\bmanage\.py\s+test\b"), re.compile(r"^Ran [1-9]\d* tests? in ", re.M)),
    _Runner(
        "cargo test", re.compile(rf"{_WORD}cargo\s+test\b"), re.compile(r"^test result: ok\. [1-9]\d* passed", re.M)
    ),
    _Runner("go test", re.compile(rf"{_WORD}go\s+test\b"), re.compile(r"^(?:ok\s|PASS$)", re.M)),
    _Runner(
        "node --test", re.compile(rf"{_WORD}node\s+(?:\S+\s+)*?--test\b"), re.compile(r"^(?:#|ℹ) pass [1-9]", re.M)
    ),
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_UNSEEN = re.compile(r"[|>`]|\$\(")


def silent(check: str, printed: str) -> str | None:
    """The runner that `check` calls and that did not say in what was `printed` that it ran tests to the end; None where
    all did, where none is known, and where their output went elsewhere (a pipe, a file)."""
    if _UNSEEN.search(check):
        return None
    plain = _COLOUR.sub("", printed)
    return next((one.name for one in _RUNNERS if one.called.search(check) and not one.says.search(plain)), None)

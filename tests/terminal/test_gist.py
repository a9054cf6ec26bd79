from __future__ import annotations

import pytest

from agentmem.domain.message import Usage
from agentmem.terminal.gist import bill, counted, first_line, gist, spell, tokens


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("bash", {"command": "make test\nmake lint", "timeout": 5}, "make test\nmake lint"),
        ("read", {"path": "a.py", "offset": 200}, "a.py:200"),
        ("edit", {"path": "a.py", "old": "x"}, "a.py"),
        ("ls", {}, "."),
        ("grep", {"pattern": "TODO", "path": "src"}, "TODO  in src"),
        ("find", {"pattern": "*.py"}, "*.py"),
        ("remember", {"text": "pg 15", "category": "fact"}, "pg 15"),
        ("verify", {"id": "F2", "n": [1]}, '{"id": "F2", "n": [1]}'),
        ("bash", {"command": 7}, '{"command": 7}'),
        ("task", {}, ""),
        ("bash", {"command": "echo \x1b[2J"}, "echo ␛[2J"),
    ],
)
def test_what_a_call_is_about(tool: str, arguments: dict[str, object], text: str) -> None:
    assert gist(tool, arguments) == text


def test_numbers_for_people() -> None:
    assert [counted(number, "line") for number in (0, 1, 1204)] == ["0 lines", "1 line", "1,204 lines"]
    assert [spell(seconds) for seconds in (0, 0.0042, 0.9994, 0.9996, 1.24, 9.949, 9.96, 99.4, 99.6, 185)] == [
        "0 ms", "4 ms", "999 ms", "1.0 s", "1.2 s", "9.9 s", "10 s", "99 s", "1 min 40 s", "3 min 5 s",
    ]  # fmt: skip
    assert [tokens(number) for number in (0, 999, 1000, 12_345, 999_949, 999_950, 1_250_000)] == [
        "0", "999", "1k", "12.3k", "999.9k", "1M", "1.2M",
    ]  # fmt: skip


def test_first_line_and_how_many_more() -> None:
    assert first_line("one") == "one"
    assert first_line("\none\ntwo\nthree\n") == "one … +2 lines"


def test_a_bill_leaves_out_what_is_not_known() -> None:
    assert bill(Usage(12_300, 420, 8_100), 0.01234) == "12.3k in (8.1k cached) · 420 out · $0.0123"
    assert bill(Usage(5, 1), None) == "5 in · 1 out"

from __future__ import annotations

import pytest

from agentmem.workspace.ignore import Ignore


def verdict(lines: str, path: str) -> bool | None:
    return Ignore(lines.encode()).verdict(path.rstrip("/").split("/"), path.endswith("/"))


@pytest.mark.parametrize(
    ("lines", "path", "wanted"),
    [
        ("*.log", "a.log", True),
        ("*.log", "x/a.log", True),
        ("*.log", "a.txt", None),
        ("*.log\n!keep.log", "x/keep.log", False),
        ("!keep.log\n*.log", "keep.log", True),
        ("build/", "build", None),
        ("build/", "x/build/", True),
        ("/build", "build", True),
        ("/build", "x/build", None),
        ("a/b", "a/b", True),
        ("a/b", "x/a/b", None),
        ("a/**/b", "a/x/y/b", True),
        ("**/b/", "x/b/", True),
        ("a/**", "a/", None),
        ("a/**", "a/b", True),
        ("*\n!*/\n!*.py", "src/", False),
        ("*\n!*/\n!*.py", "src/a.txt", True),
        ("*\n!*/\n!*.py", "src/a.py", False),
        ("# a\n\n   \n", "# a", None),
        ("\\#a\n\\!b", "#a", True),
        ("\\#a\n\\!b", "!b", True),
        ("a  ", "a", True),
        ("a\\  ", "a ", True),
        ("a\r\nb\r\n", "b", True),
        ("\ufeffa\nb", "a", True),
        ("[\na\\\nx", "x", True),
        ("/", "a", None),
        ("!", "a", None),
        ("{a,b}", "a", None),
        ("[[:alpha:]]", "x", True),
        ("?", "é", None),
        ("??", "é", True),
        ("é", "é", True),
    ],
)
def test_verdicts(lines: str, path: str, wanted: bool | None) -> None:
    assert verdict(lines, path) is wanted


def test_a_file_without_rules_is_false() -> None:
    assert not Ignore(b"# only words\n\n")
    assert Ignore(b"x")


def test_undecodable_names_are_matched_by_their_bytes() -> None:
    assert Ignore(b"caf\xe9").verdict(["caf\udce9"], False) is True

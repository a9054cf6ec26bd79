"""What the keys of a skill mean, in the forms that are met."""

from __future__ import annotations

from typing import Any

import pytest

from agentmem.domain.skill import Skill


def skill(**fields: Any) -> Skill:
    return Skill("x", "x", "D.", "/x/SKILL.md", fields={key.replace("_", "-"): value for key, value in fields.items()})


@pytest.mark.parametrize(
    ("written", "patterns"),
    [
        ("Bash, Read", ("Bash", "Read")),
        ("Bash Read", ("Bash", "Read")),
        ("Bash\nRead", ("Bash", "Read")),
        ("Read", ("Read",)),
        ('"Bash, Read"', ("Bash", "Read")),
        ("Bash(git:*), Read", ("Bash(git:*)", "Read")),
        ("Bash(a:*) Read(*.csv)", ("Bash(a:*)", "Read(*.csv)")),
        ("Bash(git add *, git rm *), Read", ("Bash(git add *, git rm *)", "Read")),
        ("Bash(echo (a b)) Read", ("Bash(echo (a b))", "Read")),
        (["Bash(git log *)", "Read"], ("Bash(git log *)", "Read")),
        (["Bash Read", {"a": "b"}, None], ("Bash", "Read")),
        ([], ()),
        ("", ()),
        (None, ()),
        ({"Bash": "true"}, ()),
        ("Bash(git:*, Read", ()),
        ("Bash (git:*)", ()),
        ("Bash git:*) Read", ()),
    ],
)
def test_the_forms_of_allowed_tools(written: Any, patterns: tuple[str, ...]) -> None:
    assert skill(allowed_tools=written).tools == patterns


def test_the_keys_of_allowed_tools() -> None:
    fields = {"tools": "Read", "allowed_tools": "Bash"}
    assert Skill("x", "x", "D.", "/x", fields=fields).tools == ("Bash",)
    assert Skill("x", "x", "D.", "/x", fields={"tools": ["Read", "Grep"]}).tools == ("Read", "Grep")
    assert Skill("x", "x", "D.", "/x").tools == ()


@pytest.mark.parametrize("value", [{"a": "b"}, None, [], [{"a": "b"}], ""])
def test_a_key_that_holds_no_texts(value: Any) -> None:
    assert skill(paths=value).texts("paths", "globs") == ()

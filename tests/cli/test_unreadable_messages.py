"""A message that says nothing is shown by nobody, in whichever form a session is looked at; and it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentmem.cli.typed import run
from agentmem.domain.places import Places
from agentmem.memory import memory

NOTHING: list[Any] = [5, None, {"x": 1}, True, "", "  \n", [], [5], [{"type": "zzz"}], [{"type": "text", "text": 7}]]
MALFORMED = [5, None, {"x": 1}, True]


def write(places: Places, role: str, content: Any) -> None:
    rows: list[dict[str, Any]] = [{"type": "session", "id": "s1", "version": 1, "at": "", "cwd": str(places.root)}]
    said = [("a1", "user", "hello"), ("a2", role, content), ("a3", "user", "goodbye")]
    rows += [
        {"type": "message", "id": own, "parent_id": up, "at": "", "role": who, "content": what}
        for (own, who, what), up in zip(said, (None, "a1", "a2"), strict=True)
    ]
    places.sessions.mkdir(exist_ok=True)
    (places.sessions / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["sessions", *words]) == 0
    return capsys.readouterr().out


def without(places: Places, capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [
        "\n".join(line for line in shown(capsys, *words).split("\n") if "Entries: " not in line)
        for words in (
            ("tree", "s1"),
            ("show", "s1"),
            ("export", "s1", "--format", "markdown"),
            ("rewind", "s1", "--list"),
        )
    ]


@pytest.mark.parametrize("role", ["user", "assistant", "wizard"])
@pytest.mark.parametrize("content", NOTHING, ids=repr)
def test_it_is_shown_by_nobody(here: Places, role: str, content: Any, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, role, content)
    first = without(here, capsys)
    rows = (here.sessions / "s1.jsonl").read_text().split("\n")
    (here.sessions / "s1.jsonl").write_text("\n".join((*rows[:2], rows[3].replace('"a2"', '"a1"'), "")))
    assert first == without(here, capsys)


@pytest.mark.parametrize("content", MALFORMED, ids=repr)
def test_one_that_no_reader_can_read_is_told(here: Places, content: Any) -> None:
    write(here, "user", content)
    assert memory.read_session(here, "s1").notices == (
        ".agent/sessions/s1.jsonl: line 3 kept, but not readable (a message whose content is neither text nor a list)",
    )


def test_an_unknown_role_is_told_too(here: Places) -> None:
    write(here, "wizard", "abra")
    assert memory.read_session(here, "s1").notices == (
        ".agent/sessions/s1.jsonl: line 3 kept, but not readable (a message of an unknown role)",
    )

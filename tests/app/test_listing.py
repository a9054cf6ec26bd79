from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentmem.app.consent import NobodyToAsk, NotAgreed, NotThePerson, agree, require_person
from agentmem.app.listing import offer, table, to_json
from agentmem.memory.memory import SessionHead

NOW = 1796040131.0


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "w"
    (folder / ".agent" / "sessions").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, own: str, said: str, age: float, **header: Any) -> Path:
    path = folder / ".agent" / "sessions" / f"{own}.jsonl"
    rows = [
        {"type": "session", "id": own, "at": "", "cwd": str(folder), **header},
        {"type": "message", "id": "a", "parent_id": None, "role": "user", "content": said, "origin": "person"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(path, (NOW - age, NOW - age))
    return path


def env(folder: Path) -> dict[str, str]:
    return {"AGENTMEM_HOME": str(folder.parent / "home")}


def test_the_last_session_is_offered_in_a_line(work: Path) -> None:
    assert offer(env(work), NOW) is None
    write(work, "s1", "fix the\x1b[2J bug " + "x" * 90, 7200)
    assert offer(env(work), NOW) == (
        f"last session here: fix the␛[2J bug {'x' * 31}… (2 h ago): agentmem -c continues it"
    )
    write(work, "s2", "hi", 1)
    assert offer(env(work), NOW) == "last session here: hi (now): agentmem -c continues it"


def test_a_session_that_runs_or_says_nothing_is_not_offered(work: Path) -> None:
    path = write(work, "s1", "hi", 60)
    path.with_suffix(".lock").write_text(json.dumps({"pid": os.getpid(), "at": "2026-11-30T09:02:11Z"}))
    assert offer(env(work), NOW) is None
    path.with_suffix(".lock").write_text(json.dumps({"pid": 2**30, "at": ""}))
    assert offer(env(work), NOW) is not None
    write(work, "s2", "", 1)
    assert offer(env(work), NOW) is None


def test_a_moved_project_finds_its_sessions(work: Path) -> None:
    write(work, "s1", "hi", 60, cwd="/gone/w")
    write(work, "s2", "elsewhere", 1, cwd=str(work.parent))
    assert offer(env(work), NOW) == "last session here: hi (1 min ago): agentmem -c continues it"


def test_the_table(work: Path) -> None:
    heads = [
        SessionHead("2026-11-30T09-02-11-4f2a91", "", str(work), "fix \x1b[31m it", "done", NOW - 4000, 1_234_567),
        SessionHead("s2", "", str(work / "sub"), "x" * 200, "", NOW, 12, "the bug"),
        SessionHead("s3", "", str(Path.home() / "p"), "", "", NOW, 12, parent="s2"),
    ]
    assert table(heads, NOW) == "\n".join(
        [
            "2026-11-30T09-02-11-4f2a91  1 h  1.2 MB  .    fix ␛[31m it",
            f"s2                          now    12 B  sub  the bug · {'x' * 50}",
            "s3                          now    12 B  ~/p  (of s2)",
        ]
    )
    assert max(map(len, table(heads, NOW, 80).split("\n"))) == 80
    assert table([], NOW) == "no sessions here yet; start one with `agentmem`"


def test_the_document() -> None:
    assert to_json([SessionHead("s1", "at", "/w", "hi", "yes", 5.0, 12, "n", None, "s0")]) == [
        {
            "id": "s1",
            "name": "n",
            "at": "at",
            "cwd": "/w",
            "preview": "hi",
            "last": "yes",
            "changed": 5.0,
            "bytes": 12,
            "parent_session": None,
            "forked_from": "s0",
            "reset_from": None,
        }
    ]


def test_an_agent_is_no_person() -> None:
    require_person({}, "delete a session")
    with pytest.raises(NotThePerson, match="only a person may delete a session"):
        require_person({"AGENTMEM_AGENT": "1"}, "delete a session")


@pytest.mark.parametrize("typed", ["y", "Yes\n", " Y "])
def test_a_yes_is_a_yes(typed: str) -> None:
    asked: list[str] = []
    agree("Sure?", lambda question: asked.append(question) or typed)
    assert len(asked) == 1 and asked[0].startswith("Sure?")


@pytest.mark.parametrize("typed", ["", "n", "\n", "yep", "j"])
def test_anything_else_is_a_no(typed: str) -> None:
    with pytest.raises(NotAgreed):
        agree("Sure?", lambda question: typed)


def test_nobody_to_ask() -> None:
    with pytest.raises(NobodyToAsk, match="Sure\\? Without a terminal this needs --yes"):
        agree("Sure?", None)

    def end(question: str) -> str:
        raise EOFError

    with pytest.raises(NotAgreed):
        agree("Sure?", end)

"""`agentmem sessions …` as a person or a script runs it, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pexpect
import pytest
import talking

from agentmem.domain.clock import Clock
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory import memory

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "agentmem"]


def environment(places: Places, **more: str) -> dict[str, str]:
    return {
        **{key: value for key, value in os.environ.items() if key.startswith("COV")},
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(places.home),
        "AGENTMEM_HOME": str(places.home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        **more,
    }


def run(places: Places, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        cwd=cwd or places.cwd,
        env=environment(places, **env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def script(places: Places, *replies: dict[str, Any]) -> list[str]:
    file = places.home / "model.jsonl"
    file.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return ["--model", f"scripted:{file}", "--permission", "full"]


def talked(places: Places, said: Sequence[tuple[str, str]], name: str = "") -> str:
    return talking.talked(places, said, name).id


TWO = (("one", "ONE"), ("two", "TWO"))


def test_show_is_text_for_a_pipe_and_entries_for_a_program(places: Places) -> None:
    own = talked(places, TWO, "the bug")
    shown = run(places, "sessions", "show", "the bug")
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert lines[0] == f"session {own} · the bug"
    assert [line for line in lines if line in ("one", "ONE", "two", "TWO")] == ["one", "ONE", "two", "TWO"]
    document = json.loads(run(places, "sessions", "show", own[:-1], "--json").stdout)
    assert document["session"]["id"] == own
    log = [json.loads(line) for line in (places.sessions / f"{own}.jsonl").read_text().splitlines()]
    assert document["entries"] == log[1:]
    first = log[1]["id"]
    cut = json.loads(run(places, "sessions", "show", own, "--at", first, "--json").stdout)
    assert [entry["id"] for entry in cut["entries"]] == [first]


def test_a_reader_that_goes_away_is_no_error(places: Places) -> None:
    own = talked(places, [("line\n" * 60_000, "ONE")])
    piped = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m agentmem sessions show {own} | head -1"],
        cwd=places.cwd,
        env=environment(places),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (piped.stdout, piped.stderr) == (f"session {own}\n", "")


def test_tree_draws_the_branches(places: Places) -> None:
    own = talked(places, TWO)
    session = memory.resume_session(places, Clock(), own)
    answer = session.tree().entries[3].id
    session.label("good", of=answer)
    session.move(answer, "again")
    session.record_user([Text("three\x1b[2J", "person")])
    session.close()
    drawn = run(places, "sessions", "tree", own).stdout.splitlines()
    assert [line[12:] for line in drawn[1:]] == [
        " * you   one",
        " * agent ONE  [good]",
        "   ├─ you   two",
        "   │  agent TWO",
        " * └─ you   three␛[2J  ← here",
    ]
    assert drawn[0] == f"session {own}"
    document = json.loads(run(places, "sessions", "tree", own, "--json").stdout)
    assert document["leaf"] == session.leaf
    labelled = [entry for entry in document["entries"] if entry["label"]]
    assert [(entry["id"], entry["label"], entry["on_path"]) for entry in labelled] == [(answer, "good", True)]


def test_fork_prints_the_new_id_and_nothing_else(places: Places) -> None:
    own = talked(places, TWO)
    entry = memory.read_session(places, own).entries[3].id
    forked = run(places, "sessions", "fork", own, "--at", entry[:9])
    fork = forked.stdout.removesuffix("\n")
    assert forked.returncode == 0
    assert memory.read_session(places, fork).entries[-1].id == entry
    missing = run(places, "sessions", "fork", own, "--at", "zzz")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "'zzz' is no entry of session" in missing.stderr
    assert len(list(places.sessions.iterdir())) == 2


def test_rename_and_list(places: Places) -> None:
    own = talked(places, TWO)
    assert run(places, "sessions", "rename", own, "  the\n bug ").stdout == f"session {own} is called 'the bug'\n"
    document = json.loads(run(places, "sessions", "list", "--json").stdout)
    assert [(one["id"], one["name"], one["cwd"]) for one in document] == [(own, "the bug", str(places.cwd))]
    table = run(places, "sessions").stdout
    assert table.startswith(own)
    assert table.endswith("the bug · one\n")
    missing = run(places, "sessions", "rename", "nope", "x")
    assert missing.returncode == 1
    assert f"there is no session 'nope' (did you mean {own}?)" in missing.stderr


def test_list_leaves_sub_sessions_out_unless_all_are_asked_for(places: Places) -> None:
    own = talked(places, TWO)
    header = {"type": "session", "id": "sub", "at": "", "cwd": "", "parent_session": own}
    (places.sessions / "sub.jsonl").write_text(json.dumps(header) + "\n")
    assert [one["id"] for one in json.loads(run(places, "sessions", "--json").stdout)] == [own]
    every = json.loads(run(places, "sessions", "list", "--all", "--json").stdout)
    assert {one["id"]: one["parent_session"] for one in every} == {own: None, "sub": own}


def test_delete_needs_a_yes(places: Places) -> None:
    own = talked(places, TWO)
    log = places.sessions / f"{own}.jsonl"
    before = log.read_bytes()
    piped = run(places, "sessions", "delete", own)
    assert (piped.returncode, piped.stdout) == (2, "")
    assert "needs --yes" in piped.stderr
    agent = run(places, "sessions", "delete", own, "--yes", AGENTMEM_AGENT="1")
    assert (agent.returncode, agent.stdout) == (3, "")
    assert "only a person may delete a session" in agent.stderr
    assert log.read_bytes() == before
    gone = run(places, "sessions", "delete", own, "--yes")
    assert (gone.returncode, gone.stdout) == (0, f"removed .agent/sessions/{own}.jsonl\n")
    assert list(places.sessions.iterdir()) == []


def test_delete_asks_on_a_terminal(places: Places) -> None:
    own = talked(places, TWO)
    for answer, code in (("n", 1), ("", 1), ("y", 0)):
        child = pexpect.spawn(
            sys.executable,
            ["-m", "agentmem", "sessions", "delete", own],
            cwd=str(places.cwd),
            env={**os.environ, **environment(places)},
            timeout=30,
            encoding="utf-8",
        )
        child.expect_exact(f"Delete session {own}")
        child.expect_exact("[y/N] ")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == code
        assert (places.sessions / f"{own}.jsonl").exists() == (code == 1)


def test_a_session_in_use_is_left_alone_and_its_holder_named(places: Places) -> None:
    own = talked(places, TWO, "the bug")
    before = (places.sessions / f"{own}.jsonl").read_bytes()
    held = memory.resume_session(places, Clock(), own)
    busy = f"session {own} is in use by process {os.getpid()}, since 20"
    model = script(places, {"text": "from the fork"})
    for words in (["sessions", "delete", own, "--yes"], ["sessions", "rename", own, "x"], ["-c", "-p", "hi", *model]):
        refused = run(places, *words)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert busy in refused.stderr
    assert "add --fork to go on in a fork of it" in run(places, "-r", own, "-p", "hi", *model).stderr
    forked = run(places, "-c", "--fork", "-p", "three", *model)
    assert (forked.returncode, forked.stdout) == (0, "from the fork\n")
    assert (places.sessions / f"{own}.jsonl").read_bytes() == before
    (fork,) = [head for head in memory.list_sessions(places) if head.id != own]
    assert (fork.origin, fork.name, fork.last) == (own, "the bug (fork)", "from the fork")
    shown = run(places, "sessions", "show", own)
    assert shown.returncode == 0
    held.close()


def test_resuming_nothing_in_particular_needs_a_terminal(places: Places) -> None:
    own = talked(places, TWO, "the bug")
    for words in (["-r"], ["-r", "-p", "hi"], ["--resume", "--model", "scripted:x"]):
        refused = run(places, *words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert f"-r needs a session here: agentmem -r SESSION\n{own}  " in refused.stderr


def test_fork_alone_is_a_usage_error(places: Places) -> None:
    refused = run(places, "--fork", "-p", "hi")
    assert refused.returncode == 2
    assert "--fork goes with -c or -r" in refused.stderr


def test_a_moved_project_is_found_again(tmp_path: Path) -> None:
    old, home = tmp_path / "old", tmp_path / "home"
    old.mkdir()
    home.mkdir()
    own = talked(Places(old, old, home, old / ".agent"), TWO)
    new = old.rename(tmp_path / "new")
    places = Places(new, new, home, new / ".agent")
    model = script(places, {"text": "THREE"})
    for words in (["-r", own], ["-c"]):
        gone = run(places, *words, "-p", "three", *model)
        assert (gone.returncode, gone.stdout) == (0, "THREE\n")
        assert f"was started in {old}, which is not there any more; it goes on in {new}" in gone.stderr


@pytest.mark.parametrize("first", ['{"type":"summary","title":"x"}', "not json", '{"role":"user"}', ""])
def test_any_first_line_and_lost_parents_are_shown(places: Places, first: str) -> None:
    places.sessions.mkdir(parents=True)
    rows = [
        {"type": "message", "id": "a", "parent_id": None, "role": "user", "content": "one"},
        {"type": "message", "id": "b", "parent_id": "never", "role": "assistant", "content": "ONE"},
    ]
    text = first + "\n" + "".join(json.dumps(row) + "\n" for row in rows)
    (places.sessions / "odd.jsonl").write_text(text)
    shown = run(places, "sessions", "show", "odd")
    assert shown.returncode == 0
    assert [line for line in shown.stdout.splitlines() if line in ("one", "ONE")] == ["one", "ONE"]
    assert "joined to the entry before (its parent is not there)" in shown.stderr
    assert (places.sessions / "odd.jsonl").read_text() == text

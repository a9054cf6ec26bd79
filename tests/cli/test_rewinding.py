from __future__ import annotations

import json

import pytest
from commanding import Shell

from agentmem.domain.places import Places

SCRIPT = [
    {"tool_calls": [{"name": "write", "arguments": {"path": "n.txt", "content": "n\n"}}]},
    {"tool_calls": [{"name": "bash", "arguments": {"command": "echo more >> b.txt; echo x > new.csv"}}]},
    {"text": "done"},
]


@pytest.fixture
def shell(places: Places) -> Shell:
    (places.root / "b.txt").write_text("b\n")
    return Shell(places, SCRIPT)


def files(shell: Shell) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(shell.root.iterdir()) if path.is_file()}


AFTER = {"b.txt": "b\nmore\n", "n.txt": "n\n", "new.csv": "x\n"}


def test_show_do_and_take_back(shell: Shell) -> None:
    own = shell.play("write it")
    listed = shell.run("sessions", "rewind", own, "--list").stdout
    assert listed.split()[:3] == ["1", "1", "file"]
    [row] = json.loads(shell.run("sessions", "rewind", own, "--list", "--json").stdout)
    assert (row["number"], row["files"], row["text"]) == (1, 1, "write it")
    shown = shell.run("sessions", "rewind", own, "--dry-run").stdout
    assert shown == (
        "conversation and files back to before: write it\n"
        "files the agent wrote, put back:\n"
        "  remove     n.txt\n"
        "changed by others too; these stay as they are unless you say `all`:\n"
        "  restore    b.txt  (changed, not by write or edit)\n"
        "also changed, and never touched:\n"
        "  new.csv  (new)\n"
    )
    asked = shell.run("sessions", "rewind", own)
    assert (asked.returncode, files(shell)) == (2, AFTER)
    assert "Without a terminal this needs --yes" in asked.stderr
    done = shell.run("sessions", "rewind", own, "--to", row["id"][:6], "--files", "--yes")
    stays = "1 file stays: changed by others too (`all` puts them back)\n"
    assert (done.stdout, done.returncode) == ("removed n.txt\n" + stays, 0)
    assert "  restore    b.txt  (changed, not by write or edit)\n" in done.stderr
    assert files(shell) == {"b.txt": "b\nmore\n", "new.csv": "x\n"}
    undone = shell.run("sessions", "rewind", own, "--undo", "--yes", "--json")
    assert json.loads(undone.stdout) == {
        "files": [{"path": "n.txt", "does": "bring back"}],
        "failed": [],
        "moved": False,
        "draft": None,
        "held": [],
        "stays": [],
    }
    assert files(shell) == AFTER
    every = shell.run("sessions", "rewind", own, "--all", "--yes")
    assert every.stdout == (
        "removed n.txt\nrestored b.txt\n"
        "the conversation goes on from there; what came after stays in the log\nwhat you had said: write it\n"
    )
    assert files(shell) == {"b.txt": "b\n", "new.csv": "x\n"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--files", "--conversation"), 2, "exclude each other"),
        (("--undo", "--to", "1"), 2, "goes with no other choice"),
        (("--to", "7777777777777", "--yes"), 1, "no one message of yours called '7777777777777'"),
        (("--undo", "--yes"), 1, "there was no rewind"),
    ],
)
def test_what_cannot_be_is_said(shell: Shell, words: tuple[str, ...], code: int, said: str) -> None:
    ran = shell.run("sessions", "rewind", shell.play("write it"), *words)
    assert (ran.returncode, files(shell)) == (code, AFTER)
    assert said in ran.stderr


def test_an_agents_command_may_not_rewind(shell: Shell) -> None:
    ran = shell.run("sessions", "rewind", shell.play("write it"), "--yes", AGENTMEM_AGENT="1")
    assert (ran.returncode, files(shell)) == (3, AFTER)
    assert "only a person may rewind a session" in ran.stderr


def test_a_deleted_sessions_checkpoints_are_let_go(shell: Shell) -> None:
    own = shell.play("write it")
    refs = shell.root / ".agent" / "checkpoints.git" / "refs" / "agentmem"
    assert [path.name for path in refs.glob("*/*")] == [own]
    assert shell.run("sessions", "delete", own, "--yes").returncode == 0
    assert list(refs.glob("*/*")) == []

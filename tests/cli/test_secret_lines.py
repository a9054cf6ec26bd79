"""A secret that stands in the person's own memory files: told where it is, and kept nowhere else."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmem.domain.places import Places
from tests.commanding import Shell, run
from tests.gitting import repository

AWS = "AKIAIOSFODNN7EXAMPLQ"
KEY = ("MIIEowIBAAKCAQEAx1y2z3QWERTYUIOPasdfghjklzxcvbnm12345", "7890abcdMIIEowIBAAKCAQEAx1y2z3QWERTYUIOPasdfghjk")
DSN = "s3cr3tpw99x"
SPOKEN = "correcthorsebattery"
WRAPPED = "swordfishery"
DAY, SKILLED, KNOWN = "moonlitharbour", "quietorchard", "redvelvetcake"
INSTRUCTED = "ghp_012345678901234567890123456789abcdef"
ALL = (AWS, *KEY, DSN, SPOKEN, WRAPPED, DAY, INSTRUCTED, SKILLED, KNOWN)
LINES = f"""
- the deploy key is {AWS}
- we use pnpm
- DATABASE: postgres://app:{DSN}@db.example.com/app
- the staging password is {SPOKEN}
- the wifi password
  is {WRAPPED}

-----BEGIN RSA PRIVATE KEY-----
{KEY[0]}
{KEY[1]}
-----END RSA PRIVATE KEY-----
- tests run with make test
"""


@pytest.fixture
def shell(places: Places) -> Shell:
    repository(places.root)
    called = [
        {"tool_calls": [{"name": "recall", "arguments": {"query": "deploy key password database"}}]},
        {"tool_calls": [{"name": "skill", "arguments": {"name": "deploying"}}]},
        {"text": "All done."},
    ]
    shell = Shell(places, called)
    assert run(places, "init").returncode == 0
    return shell


def owned(places: Places, person: tuple[Path, ...]) -> Iterator[tuple[Path, bytes]]:
    """Every byte that is kept, git's objects inflated; not the files that the person wrote."""
    for top in (places.root, places.home):
        for path in sorted(top.rglob("*")):
            if path.is_file() and path not in person and places.root / ".git" not in path.parents:
                data = path.read_bytes()
                yield path, data
                if "objects" in path.parts:
                    yield path, zlib.decompress(data)


def leaks(places: Places, person: tuple[Path, ...]) -> list[tuple[str, str]]:
    return [(path.name, one) for path, data in owned(places, person) for one in ALL if one.encode() in data]


def test_no_byte_of_a_secret_is_kept_anywhere_but_in_the_file(shell: Shell) -> None:
    places = shell.places
    memory, day = places.root / "MEMORY.md", places.root / "memory" / "2026-11-28.md"
    agent, skill = places.root / "AGENT.md", places.root / "skills" / "deploying" / "SKILL.md"
    known = places.root / "docs" / "deploy.md"
    with memory.open("a") as file:
        file.write(LINES)
    day.write_text(f"## 09:14 Deploy day\nThe deploy password is {DAY}.\n")
    with agent.open("a") as file:
        file.write(f"\nUse the token {INSTRUCTED} to deploy.\n")
    skill.parent.mkdir()
    skill.write_text(f"---\nname: deploying\ndescription: How to deploy.\n---\nThe admin password is {SKILLED}.\n")
    known.parent.mkdir()
    known.write_text(f"# Deploy\nThe database password is {KNOWN}.\n")
    (places.root / ".agent" / "config.yaml").write_text("memory: {knowledge: [docs]}\n")
    person = (memory, day, agent, skill, known)
    before = {path: path.read_bytes() for path in person}

    session = shell.play("what is the deploy key, and the database password?")
    said = [shell.run("recall", "deploy key password database"), shell.run("memory", "check")]
    said += [shell.run("recall", "password", "--json"), shell.run("memory", "check", "--json")]
    said += [shell.run("memory", *words) for words in (("list",), ("list", "--json"), ("log",), ("diff",))]
    said += [shell.run("memory", "blame", f"MEMORY.md:{number}") for number in (6, 8, 9)]
    said += [shell.run("doctor"), shell.run("prompt", session), shell.run("skills", "list", "--json")]

    assert [one for ran in said for one in ALL if one in ran.stdout + ran.stderr] == []
    assert leaks(places, person) == []
    assert {path: path.read_bytes() for path in person} == before
    ledger = [json.loads(row)["text"] for row in (places.root / "memory" / "ledger.jsonl").read_text().splitlines()]
    assert ledger == ["we use pnpm", "tests run with make test"]
    assert "we use pnpm" in shell.run("prompt", session).stdout


def test_each_look_names_the_line_and_never_the_secret(shell: Shell) -> None:
    with (shell.root / "MEMORY.md").open("a") as file:
        file.write(LINES)
    first = [row for row in shell.run("memory", "list").stderr.splitlines() if "secret" in row]
    why = "no model is shown it and it is not remembered; take it out, and where it was committed change it"
    assert first == [
        f"MEMORY.md:6 holds a secret (aws key): {why}",
        f"MEMORY.md:8 holds a secret (password): {why}",
        f"MEMORY.md:9 holds a secret (password): {why}",
        f"MEMORY.md:11 holds a secret (password): {why}",
        f"MEMORY.md:13 holds a secret (private key): {why}",
    ]
    again = shell.run("memory", "list")
    assert [row for row in again.stderr.splitlines() if row] == first
    found = json.loads(shell.run("memory", "check", "--json").stdout)["found"]
    assert [one["where"] for one in found if one["kind"] == "secret"] == [f"MEMORY.md:{n}" for n in (6, 8, 9, 11, 13)]
    assert "MEMORY.md:6 holds a secret (aws key)" in shell.run("doctor").stdout


def test_a_session_tells_of_it_once(shell: Shell) -> None:
    with (shell.root / "MEMORY.md").open("a") as file:
        file.write(LINES)
    ran = shell.run("-p", "what is the deploy key?", "--model", shell.model, "--permission", "full")
    assert ran.stderr.count("MEMORY.md:6 holds a secret") == 1


def test_a_line_without_its_secret_is_adopted_like_any_other(shell: Shell) -> None:
    memory = shell.root / "MEMORY.md"
    text = memory.read_text()
    memory.write_text(f"{text}- the staging password is {SPOKEN}\n- we use pnpm\n")
    shell.run("memory", "list")
    memory.write_text(f"{text}- the staging password is in the vault\n- we use pnpm\n")
    ran = shell.run("memory", "list")
    assert ran.stderr == "MEMORY.md: 1 added by hand\n+the staging password is in the vault\n"
    rows = [json.loads(row) for row in (shell.root / "memory" / "ledger.jsonl").read_text().splitlines()]
    assert [(row["op"], row["text"]) for row in rows] == [
        ("ADD", "we use pnpm"),
        ("ADD", "the staging password is in the vault"),
    ]
    assert shell.run("memory", "list").stderr == ""


def test_a_line_that_takes_a_secret_on_is_no_belief_any_more(shell: Shell) -> None:
    memory = shell.root / "MEMORY.md"
    shell.run("remember", "--project", "the staging host is stage.example.com")
    (old,) = [row for row in memory.read_text().splitlines() if "stage.example" in row]
    own = old.rsplit("^", 1)[1]
    memory.write_text(memory.read_text().replace(old, f"- the staging password is {SPOKEN} ^{own}"))
    shell.run("memory", "list")
    rows = [json.loads(row) for row in (shell.root / "memory" / "ledger.jsonl").read_text().splitlines()]
    assert [(row["op"], row["fact"]) for row in rows] == [("ADD", own), ("EXPIRE", own)]
    memory.write_text(memory.read_text().replace(SPOKEN, "in the vault"))
    shell.run("memory", "list")
    listed = json.loads(shell.run("memory", "list", "--json").stdout)
    assert [(row["text"], row["fact"], row["secret"]) for row in listed] == [
        ("the staging password is in the vault", own, False)
    ]
    assert leaks(shell.places, (memory,)) == []


def test_an_earlier_version_comes_back_with_the_secret_that_is_still_there(shell: Shell) -> None:
    memory = shell.root / "MEMORY.md"
    begun = memory.read_text()
    memory.write_text(f"{begun}- the staging password is {SPOKEN}\n- we use pnpm\n")
    shell.run("memory", "list")
    with_pnpm = memory.read_bytes()
    commit = json.loads(shell.run("memory", "log", "--json").stdout)[0]["commit"]
    memory.write_text(memory.read_text().replace("pnpm", "yarn"))
    shell.run("memory", "list")
    ran = shell.run("memory", "restore", commit)
    assert (ran.returncode, SPOKEN in ran.stdout) == (0, False)
    assert memory.read_bytes() == with_pnpm
    assert leaks(shell.places, (memory,)) == []
    assert "by hand" not in shell.run("memory", "list").stderr


def test_what_is_remembered_beside_a_secret_keeps_it_out_of_the_history(shell: Shell) -> None:
    memory = shell.root / "MEMORY.md"
    with memory.open("a") as file:
        file.write(LINES)
    ran = shell.run("remember", "--project", "the staging password rotates every month")
    assert ran.returncode == 0
    assert SPOKEN in memory.read_text()
    assert leaks(shell.places, (memory,)) == []
    assert "by hand" not in shell.run("memory", "list").stderr


@pytest.mark.parametrize("by", ["id", "phrase"])
def test_the_words_are_forgotten_where_the_file_has_them(shell: Shell, by: str) -> None:
    memory = shell.root / "MEMORY.md"
    with memory.open("a") as file:
        file.write(f"- the staging password is {SPOKEN}\n- we use pnpm\n")
    listed = json.loads(shell.run("memory", "list", "--json").stdout)
    (own,) = [row["fact"] for row in listed if row["secret"]]
    ran = shell.run("forget", own if by == "id" else SPOKEN, "--yes")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (SPOKEN in memory.read_text(), "we use pnpm" in memory.read_text()) == (False, True)
    assert "secret" not in shell.run("memory", "list").stderr

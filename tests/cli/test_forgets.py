from __future__ import annotations

import json

import pytest
from commanding import Shell

from agentmem.domain.places import Places

SCRIPT = [
    {"tool_calls": [{"name": "write", "arguments": {"path": "n.txt", "content": "Elm Road 7\n"}}]},
    {"tool_calls": [{"name": "remember", "arguments": {"text": "The build server is Otto"}}]},
    {"text": "wrote elm road 7"},
]


@pytest.fixture
def shell(places: Places) -> Shell:
    return Shell(places, SCRIPT)


def test_words_are_forgotten_with_a_receipt_and_the_request_says_so(shell: Shell) -> None:
    session = shell.play("write ELM ROAD 7")
    asked = shell.run("forget", "elm road 7")
    assert (asked.returncode, asked.stdout) == (2, "") and "needs --yes" in asked.stderr
    done = shell.run("forget", "elm road 7", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("forgotten: ") and "none of them holds it" in done.stdout
    assert "elm" not in done.stdout.casefold()
    ran = shell.run("prompt", session)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "holds what was forgotten" in ran.stderr and "hash" not in ran.stderr
    again = shell.run("forget", "Elm  ROAD 7", "--yes", "--json")
    assert (again.returncode, json.loads(again.stdout)["done"]) == (0, True)
    assert shell.run("-c", "-p", "and on?", "--model", shell.model).returncode == 0
    assert '"wrong": true' not in shell.run("doctor", "--json").stdout
    assert (shell.root / "n.txt").read_text() == "Elm Road 7\n"


def test_nothing_found_fails_and_an_agent_may_not(shell: Shell) -> None:
    ran = shell.run("forget", "no such words", "--yes", "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["count"], told["done"], told["left"]) == (1, 0, False, None)
    assert shell.run("forget", "x", "--yes", AGENTMEM_AGENT="1").returncode == 3
    assert shell.run("forget", " ", "--yes").returncode == 2


def test_short_words_need_the_count_of_their_places(shell: Shell) -> None:
    shell.play("write ELM ROAD 7")
    count = json.loads(shell.run("forget", "zz", "--yes", "--json").stdout)["count"]
    assert count == 0
    refused = shell.run("forget", "elm", "--yes")
    assert refused.returncode == 2 and "--yes --count " in refused.stderr
    number = refused.stderr.rsplit("--count ", 1)[1].split()[0]
    wrong = shell.run("forget", "elm", "--yes", "--count", "1")
    assert wrong.returncode == 1 and f"it stands in {number} places" in wrong.stderr
    assert shell.run("forget", "elm", "--yes", "--count", number).returncode == 0


def test_what_waits_is_reviewed_from_the_shell(shell: Shell) -> None:
    shell.play("write ELM ROAD 7")
    listed = shell.run("review")
    assert "The build server is Otto" in listed.stdout and "+- The build server is Otto" in listed.stdout
    (item,) = json.loads(shell.run("review", "--json").stdout)
    assert (item["text"], item["would"]["outcome"]) == ("The build server is Otto", "added")
    own = item["id"]
    for words in (("approve", own), ("reject", own), ("edit", own, "x")):
        assert shell.run("review", *words, AGENTMEM_AGENT="1").returncode == 3
    assert shell.run("review", "approve", "q-none").returncode == 1
    assert shell.run("review", "edit", own).returncode == 2
    secret = shell.run("review", "edit", own, "ghp_0123456789abcdefghijABCDEFGHIJ012345")
    assert secret.returncode == 3 and "secret" in secret.stderr
    done = shell.run("review", "approve", own[:8], "--why", "seen", "--json")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "added")
    assert "Otto" in (shell.root / "MEMORY.md").read_text()
    gone = shell.run("review", "reject", own)
    assert gone.returncode == 1 and "approved already" in gone.stderr
    assert shell.run("review", "--list").stdout == "nothing waits for you\n"


def test_a_claim_is_turned_down_from_the_shell(shell: Shell) -> None:
    shell.play("write ELM ROAD 7")
    (item,) = json.loads(shell.run("review", "--json").stdout)
    assert shell.run("review", "reject", item["id"]).stdout == f"turned down: {item['id']}\n"
    assert json.loads(shell.run("review", "--json").stdout) == []

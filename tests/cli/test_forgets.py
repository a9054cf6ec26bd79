from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = [
    {"tool_calls": [{"name": "write", "arguments": {"path": "n.txt", "content": "Elm Road 7\n"}}]},
    {"tool_calls": [{"name": "remember", "arguments": {"text": "The build server is Otto"}}]},
    {"text": "wrote elm road 7"},
]


class Shell:
    """agentmem in a project, as a person runs it in a shell."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "w"
        self.root.mkdir()
        (folder / "s.jsonl").write_text("".join(json.dumps(one) + "\n" for one in SCRIPT))
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "AGENTMEM_HOME": str(folder / "home")}
        self.env["PYTHONPATH"] = str(ROOT)
        self.env |= {key: value for key, value in os.environ.items() if key.startswith("COVERAGE")}

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (sys.executable, "-m", "agentmem", *words),
            cwd=self.root,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def play(self) -> str:
        script = f"scripted:{self.root.parent / 's.jsonl'}"
        ran = self.run("-p", "write ELM ROAD 7", "--model", script, "--permission", "full")
        assert (ran.stdout, ran.returncode) == ("wrote elm road 7\n", 0), ran.stderr
        return next((self.root / ".agent" / "sessions").glob("*.jsonl")).stem


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_words_are_forgotten_with_a_receipt_and_the_request_says_so(shell: Shell) -> None:
    session = shell.play()
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
    assert shell.run("-c", "-p", "and on?", "--model", f"scripted:{shell.root.parent / 's.jsonl'}").returncode == 0
    assert '"wrong": true' not in shell.run("doctor", "--json").stdout
    assert (shell.root / "n.txt").read_text() == "Elm Road 7\n"


def test_nothing_found_fails_and_an_agent_may_not(shell: Shell) -> None:
    ran = shell.run("forget", "no such words", "--yes", "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["count"], told["done"], told["left"]) == (1, 0, False, None)
    assert shell.run("forget", "x", "--yes", env={"AGENTMEM_AGENT": "1"}).returncode == 3
    assert shell.run("forget", " ", "--yes").returncode == 2


def test_short_words_need_the_count_of_their_places(shell: Shell) -> None:
    shell.play()
    count = json.loads(shell.run("forget", "zz", "--yes", "--json").stdout)["count"]
    assert count == 0
    refused = shell.run("forget", "elm", "--yes")
    assert refused.returncode == 2 and "--yes --count " in refused.stderr
    number = refused.stderr.rsplit("--count ", 1)[1].split()[0]
    wrong = shell.run("forget", "elm", "--yes", "--count", "1")
    assert wrong.returncode == 1 and f"it stands in {number} places" in wrong.stderr
    assert shell.run("forget", "elm", "--yes", "--count", number).returncode == 0


def test_what_waits_is_reviewed_from_the_shell(shell: Shell) -> None:
    shell.play()
    listed = shell.run("review")
    assert "The build server is Otto" in listed.stdout and "+- The build server is Otto" in listed.stdout
    (item,) = json.loads(shell.run("review", "--json").stdout)
    assert (item["text"], item["would"]["outcome"]) == ("The build server is Otto", "added")
    own = item["id"]
    for words in (("approve", own), ("reject", own), ("edit", own, "x")):
        assert shell.run("review", *words, env={"AGENTMEM_AGENT": "1"}).returncode == 3
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
    shell.play()
    (item,) = json.loads(shell.run("review", "--json").stdout)
    assert shell.run("review", "reject", item["id"]).stdout == f"turned down: {item['id']}\n"
    assert json.loads(shell.run("review", "--json").stdout) == []

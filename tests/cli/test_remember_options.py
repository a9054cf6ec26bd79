from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmem.cli.typed import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "w"
    (root / ".agent").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("AGENTMEM_HOME", str(tmp_path / "home"))
    for name in ("AGENTMEM_AGENT", "AGENTMEM_TASK"):
        monkeypatch.delenv(name, raising=False)
    return root


def test_the_level_is_said_or_goes_by_the_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["remember", "the port is 8080", "--user"]) == 0
    assert run(["remember", "I like tabs", "--project"]) == 0
    assert run(["remember", "I like short answers"]) == 0
    out = capsys.readouterr().out.splitlines()
    home = project.parent / "home" / "MEMORY.md"
    told = [line.rpartition(" in ")[2] for line in out if line.startswith("remembered: ")]
    assert told == [str(home), "MEMORY.md", str(home)]
    assert "I like tabs" in (project / "MEMORY.md").read_text()
    assert run(["remember", "x y", "--user", "--project"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_new_value_is_told_with_what_it_replaced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["remember", "the port is 8080"])
    first = (project / "MEMORY.md").read_text().split()[-1].removeprefix("^")
    capsys.readouterr()
    assert run(["remember", "the port is 9090", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["outcome"], document["replaced"], document["category"]) == ("updated", first, "fact")
    assert document["diff"] == f"-- the port is 8080 ^{first}\n+- the port is 9090 ^{document['id']}"
    run(["remember", "the port is 9191"])
    told = capsys.readouterr().out
    assert f", in place of {document['id']}, which is closed · undo: put the old line back in MEMORY.md" in told


def test_a_cap_of_the_config_is_heeded(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".agent" / "config.yaml").write_text("memory: {blocks: {Facts: 30}}\n")
    assert run(["remember", "the port is 8080"]) == 0
    assert run(["remember", "the host is h1 and h2"]) == 3
    assert "Facts is capped at 30 characters, 19 of 30 are used and this takes 24" in capsys.readouterr().err


def test_what_the_disk_refuses_is_a_failure_and_no_refusal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "MEMORY.md").mkdir()
    assert run(["remember", "the port is 8080"]) == 1
    assert "not remembered: it could not be written: " in capsys.readouterr().err

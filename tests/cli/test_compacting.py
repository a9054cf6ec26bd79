"""agentmem compact, expand and strike, as a person types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def am(
    folder: Path, *arguments: str, code: int = 0, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "agentmem", *arguments],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "AGENTMEM_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            **(env or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one session: a file read six times over, and talk about it."""
    folder = tmp_path_factory.mktemp("compacting")
    for number in range(6):
        (folder / f"f{number}.txt").write_text(f"port_{number} = 80{number}\n" * 150)
    script = [
        *({"tool_calls": [{"name": "read", "arguments": {"path": f"f{number}.txt"}}]} for number in range(6)),
        {"text": "We decided to use port 8001 for staging. " + "The files say so. " * 60},
    ]
    lines = "".join(json.dumps(one) + "\n" for one in script)
    (folder / "script.jsonl").write_text(lines)
    am(
        folder,
        "-p",
        "read them all; never touch vendor/",
        "--model",
        f"scripted:{folder / 'script.jsonl'}",
        "--permission",
        "full",
    )
    return folder


def session(folder: Path) -> str:
    return next((folder / ".agent" / "sessions").glob("*.jsonl")).stem


def log(folder: Path) -> list[dict[str, object]]:
    text = (folder / ".agent" / "sessions" / f"{session(folder)}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_dry_run_a_compaction_and_the_way_back(folder: Path) -> None:
    before = log(folder)
    dry = am(folder, "compact", "--dry-run", "--no-model")
    assert "nothing was changed" in dry.stdout
    assert "collapse: read f0.txt" in dry.stdout
    assert json.loads(am(folder, "compact", "--dry-run", "--no-model", "--json").stdout)["dry_run"] is True
    assert log(folder) == before
    done = json.loads(am(folder, "compact", session(folder)[:20], "--no-model", "--json").stdout)
    assert [one["form"] for one in done["done"]] == ["collapse"]
    assert done["used"] < done["done"][0]["before"]
    own = done["done"][0]["entry"]
    shown = am(folder, "sessions", "show", session(folder)).stdout
    assert "why: the person asked for it" in shown
    assert f"back: agentmem expand {session(folder)} {own}" in shown
    assert "compacted: " in am(folder, "sessions", "tree", session(folder)).stdout
    one = next(target for line in log(folder) if line["id"] == own for target in line["targets"])  # type: ignore[attr-defined]
    back = am(folder, "expand", session(folder), one["entry"][:9])
    assert back.stdout.count("port_0 = 800") == 150
    assert "1 message stands in the prompt again" in back.stderr
    whole = json.loads(am(folder, "expand", session(folder), own, "--json").stdout)
    assert len(whole["messages"]) >= 1
    again = am(folder, "expand", session(folder), own, code=1)
    assert "is nothing that was taken out of the prompt" in again.stderr


def test_a_line_is_struck(folder: Path) -> None:
    own = next(str(line["id"]) for line in log(folder) if "port_3 = 803" in str(line.get("content")))
    told = am(folder, "strike", session(folder), own)
    assert "struck 1 line: no later prompt shows it" in told.stderr
    assert "is struck already" in am(folder, "strike", session(folder), own, code=1).stderr
    assert json.loads(am(folder, "strike", session(folder), "nonsense", "--json", code=1).stdout)["error"]


def test_an_agent_may_not_do_it(folder: Path) -> None:
    told = am(folder, "strike", session(folder), "x", code=3, env={"AGENTMEM_AGENT": "1"})
    assert "only a person may strike a line" in told.stderr


def test_without_a_session_it_says_so(tmp_path: Path) -> None:
    assert "there is no session" in am(tmp_path, "compact", "--no-model", code=1).stderr

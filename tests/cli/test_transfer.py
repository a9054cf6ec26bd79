"""`agentmem sessions import` and `export` as commands: what they print, where, and how they end."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPLY = '{"text":"Understood."}\n'


def claude(*texts: str) -> bytes:
    lines, last = [], None
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        content: Any = [{"type": "text", "text": text}] if number % 2 else text
        about = {"sessionId": "s", "version": "2.1.39", "cwd": "/", "timestamp": f"2026-02-12T16:00:0{number}Z"}
        message = {"role": role, "content": content}
        record = {"type": role, "uuid": f"u{number}", "parentUuid": last, **about, "message": message}
        lines.append(json.dumps(record).encode())
        last = f"u{number}"
    return b"\n".join(lines) + b"\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    (folder / ".agent").mkdir(parents=True)
    return folder


def run(work: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "AGENTMEM_HOME": str(work.parent / "home"), "HOME": str(work.parent)}
    env["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    return subprocess.run([sys.executable, "-m", "agentmem", *words], cwd=work, env=env, capture_output=True, **more)


def test_in_listed_resumed_and_out_again(work: Path) -> None:
    (work / "log.jsonl").write_bytes(claude("Hi <there>", "Hello", "damaged next") + b"{cut\n")
    done = run(work, "sessions", "import", "log.jsonl")
    assert done.returncode == 0
    said = done.stdout.decode().split("\n")
    own = said[1].split()[0]
    assert said == [
        str(work / "log.jsonl"),
        f"  {own}  claude-code 2.1.39",
        "  read      4 lines, 3 records: 2 user, 1 assistant",
        "  written   2 user, 1 assistant; 0 calls, 0 results, 0 stood in for; 0 compactions; 0 kept, never sent",
        "  skipped   line 4: cut short or no JSON",
        "",
    ]
    again = run(work, "sessions", "import", "log.jsonl")
    assert again.returncode == 0
    assert f"imported already as {own}; nothing was written" in again.stdout.decode()
    assert [one["preview"] for one in json.loads(run(work, "sessions", "--json").stdout)] == ["Hi <there>"]
    (work / "model.jsonl").write_text(REPLY)
    resumed = run(work, "-r", own, "-p", "go on", "--model", "scripted:model.jsonl")
    assert (resumed.returncode, resumed.stdout) == (0, b"Understood.\n")

    log = (work / ".agent" / "sessions" / f"{own}.jsonl").read_bytes()
    assert run(work, "sessions", "export", own[:22]).stdout == log
    page = run(work, "sessions", "export", own, "--format", "markdown").stdout.decode()
    assert page.count("\n> ") == 4
    assert "> Hi <there>\n" in page
    assert page.endswith("\nUnderstood.\n")
    filed = run(work, "sessions", "export", own, "--format", "markdown", "-o", "page.md")
    assert (filed.returncode, filed.stdout) == (0, b"")
    assert (work / "page.md").read_text() == page
    assert stat.S_IMODE((work / "page.md").stat().st_mode) == 0o600


def test_json_is_one_document_and_a_directory_is_walked(work: Path) -> None:
    folder = work / "theirs"
    (folder / "s" / "subagents").mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(claude("Hi", "Hello"))
    side = claude("find it", "found").replace(b'"uuid"', b'"isSidechain": true, "agentId": "a", "uuid"')
    (folder / "s" / "subagents" / "agent-a.jsonl").write_bytes(side)
    (folder / "other.jsonl").write_text('{"not":"a log"}\n')
    (folder / "notes.txt").write_text("Hi")
    done = run(work, "sessions", "import", "theirs", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    other, main, sub = json.loads(done.stdout)
    assert (other["state"], other["reason"]) == ("refused", "no log of Claude Code, pi or Codex")
    assert (main["state"], main["messages"], main["skipped"]) == ("imported", {"user": 1, "assistant": 1}, [])
    assert Path(sub["file"]).name == "agent-a.jsonl"
    listed = json.loads(run(work, "sessions", "list", "--all", "--json").stdout)
    assert {one["id"]: one["parent_session"] for one in listed} == {
        main["session"]: None,
        sub["session"]: main["session"],
    }
    # A session brings its sub-agents along.
    named = json.loads(run(work, "sessions", "import", "theirs/s.jsonl", "--json").stdout)
    assert [one["state"] for one in named] == ["known", "known"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("import", "gone.jsonl"), 1, "not imported: No such file or directory"),
        (("import", "empty"), 1, "there is no log in what was named"),
        (("import", "good.jsonl", "gone.jsonl"), 1, "not imported"),
        (("import", "good.jsonl", "--format", "vim"), 2, "one of auto, claude-code, pi, codex"),
        (("export", "nope"), 1, "there is no session 'nope'"),
        (("export", "nope", "--format", "pdf"), 2, "one of jsonl, markdown"),
    ],
)
def test_failures_say_why(work: Path, words: tuple[str, ...], code: int, said: str) -> None:
    (work / "empty").mkdir()
    (work / "good.jsonl").write_bytes(claude("Hi"))
    done = run(work, "sessions", *words)
    assert done.returncode == code
    assert said in done.stderr.decode()


def test_an_export_that_cannot_be_written_leaves_the_old_one(work: Path) -> None:
    (work / "log.jsonl").write_bytes(claude("Hi", "Hello"))
    own = json.loads(run(work, "sessions", "import", "log.jsonl", "--json").stdout)[0]["session"]
    done = run(work, "sessions", "export", own, "-o", "gone/x.jsonl")
    assert done.returncode == 1
    assert done.stderr.decode() == "agentmem: gone/x.jsonl cannot be written: No such file or directory\n"
    assert run(work, "sessions", "export", own, "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    (work / "kept.md").write_text("old")
    (work / "link.md").symlink_to("kept.md")
    assert run(work, "sessions", "export", own, "-o", "link.md").returncode == 0
    assert (work / "kept.md").read_bytes() == (work / ".agent" / "sessions" / f"{own}.jsonl").read_bytes()
    assert (work / "link.md").is_symlink()
    assert not [one for one in work.iterdir() if one.name.endswith(".new")]


def test_an_export_of_a_damaged_log_holds_what_can_be_read(work: Path) -> None:
    (work / "log.jsonl").write_bytes(claude("Hi", "Hello"))
    own = json.loads(run(work, "sessions", "import", "log.jsonl", "--json").stdout)[0]["session"]
    log = work / ".agent" / "sessions" / f"{own}.jsonl"
    sound = log.read_bytes()
    first, second, third = sound.split(b"\n")[:3]
    log.write_bytes(first + b"\n\0\0\0" + second + b"\n{torn\n[1]\n" + third + b'{"type":"x","id":"y"}\n{"type":"mess')
    assert run(work, "sessions", "export", own).stdout == sound + b'{"type":"x","id":"y"}\n'

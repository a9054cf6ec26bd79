"""A disk that is full or read-only, and two writers: the turn ends with a clear error, what was written stays sound."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from crashing import SCRIPT, Place, finish, place, start

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory import memory


def limited(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run(at: Place, *more: str, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    script = at.root.parent / "script.jsonl"
    argv = [sys.executable, "-m", "agentmem", "-p", "do it", "--model", f"scripted:{script}", "--permission", "full"]
    return subprocess.run(
        [*argv, *more], cwd=at.root, env=at.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        preexec_fn=before,
    )  # fmt: skip


def sound(at: Place) -> int:
    """How many entries the one log holds; a resume reads each of its whole lines."""
    if not at.logs:
        return 0
    (path,) = at.logs
    places = Places(at.root, at.root, at.root / "home", at.root / ".agent")
    session = memory.resume_session(places, Clock(), path.stem)
    session.close()
    whole = [line for line in path.read_bytes().split(b"\n") if line.endswith(b"}") and _is_json(line)]
    assert len(session.entries) == max(0, len(whole) - 1)
    return len(session.entries)


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@pytest.mark.parametrize("room", [0, 150, 700, 2_000, 6_000])
def test_a_full_disk_ends_the_turn_and_says_so(tmp_path: Path, room: int) -> None:
    """A limit of the size of files stands for the full disk: what goes beyond it is written in part or not."""
    at = place(tmp_path)
    ended = run(at, before=limited(room))
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, False), ended.stderr
    assert "could not be written: File too large; free some space, then resume the session" in ended.stderr
    before = sound(at)
    if before:
        (tmp_path / "script.jsonl").write_text('{"text": "goes on"}\n')
        again = run(at, "-c")
        assert (again.returncode, again.stdout) == (0, "goes on\n"), again.stderr
        assert sound(at) > before


@pytest.mark.skipif(os.getuid() != 0 or sys.platform != "linux", reason="a small file system of its own needs root")
def test_a_small_file_system_that_fills_up(tmp_path: Path) -> None:
    at = place(tmp_path)
    agent = at.root / ".agent"
    agent.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96k,mode=700", "tmpfs", str(agent)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (agent / "filler").write_bytes(b"x" * 74_000)
        ended = run(at)
        assert (ended.returncode, "Traceback" in ended.stderr) == (1, False), ended.stderr
        assert "No space left on device; free some space" in ended.stderr
        before = sound(at)
        (agent / "filler").unlink()
        (tmp_path / "script.jsonl").write_text('{"text": "goes on"}\n')
        assert run(at, "-c").stdout == ("goes on\n" if before else "")
        assert sound(at) >= before
    finally:
        subprocess.run(["umount", "-l", str(agent)], check=True)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    at = place(tmp_path)
    if os.getuid() == 0:
        (at.root / ".agent").mkdir()
        (at.root / ".agent" / "sessions").write_text("a file in the way, for root writes everywhere else")
        said = "could not be written: Not a directory"
    else:
        (at.root / ".agent").mkdir(0o500)
        said = "could not be written: Permission denied; make it writable for you"
    ended = run(at, "--output", "json")
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, False), ended.stderr
    assert said in json.loads(ended.stdout)["error"]


def test_the_same_session_twice_is_refused_and_told_how_to_go_on(tmp_path: Path) -> None:
    at = place(tmp_path)
    slow = [{**SCRIPT[0], "tool_calls": [{"name": "bash", "arguments": {"command": "sleep 30"}}]}]
    (tmp_path / "script.jsonl").write_text(json.dumps(slow[0]) + "\n")
    first = start(at)
    try:
        assert first.stdout is not None
        while json.loads(first.stdout.readline())["type"] != "tool_started":
            pass
        (log,) = at.logs
        before = log.read_bytes()
        refused = run(at, "-r", log.stem)
        assert refused.returncode == 1
        assert f"session {log.stem} is in use by process {first.pid}, since 2" in refused.stderr
        assert f"`agentmem -r {log.stem} --fork`" in refused.stderr
        assert log.read_bytes().startswith(before)
        assert log.read_bytes().count(b'"role":"user"') == 1
        (tmp_path / "script.jsonl").write_text('{"text": "in a copy"}\n')
        fork = run(at, "-r", log.stem, "--fork")
        assert (fork.returncode, fork.stdout, len(at.logs)) == (0, "in a copy\n", 2), fork.stderr
        (tmp_path / "script.jsonl").write_text('{"text": "a session of its own"}\n')
        assert run(at).stdout == "a session of its own\n"  # two on one directory use two sessions
        assert len(at.logs) == 3
    finally:
        finish(first, 0)

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.memory.stores import lines, log
from agentmem.memory.stores.log import LogWriteError, LogWriter, SessionBusy

HEADER = Header("s1", "2026-11-30T12:02:11Z", "/w", "0.1.0")


def entry(own: str, parent: str | None = None, **body: object) -> Entry:
    return Entry("message", own, parent, "2026-11-30T12:02:11Z", body)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w" / ".agent" / "sessions" / "s1.jsonl"


def reopened(path: Path, data: bytes, clock: Clock) -> LogWriter:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return LogWriter.open(path, clock)


def test_a_log_is_a_header_and_one_line_an_entry(path: Path, clock: Clock) -> None:
    writer = LogWriter.create(path, HEADER, clock)
    assert path.read_bytes() == b""
    writer.append(entry("a", role="user", content="é"))
    writer.append(entry("b", "a", role="assistant", content="x\ny"))
    writer.sync()
    writer.close()
    writer.close()
    assert path.read_text() == (
        '{"type":"session","id":"s1","version":1,"at":"2026-11-30T12:02:11Z","cwd":"/w","parent_session":null,'
        '"agentmem":"0.1.0"}\n'
        '{"type":"message","id":"a","parent_id":null,"at":"2026-11-30T12:02:11Z","role":"user","content":"é"}\n'
        '{"type":"message","id":"b","parent_id":"a","at":"2026-11-30T12:02:11Z","role":"assistant","content":"x\\ny"}\n'
    )


def test_everything_is_private_and_stays_out_of_git(path: Path, clock: Clock) -> None:
    old = os.umask(0)
    try:
        LogWriter.create(path, HEADER, clock).append(entry("a"))
    finally:
        os.umask(old)
    agent = path.parent.parent
    modes = {one.name: one.stat().st_mode & 0o777 for one in (agent, *agent.rglob("*"))}
    assert modes == {".agent": 0o700, "sessions": 0o700, "s1.jsonl": 0o600, "s1.lock": 0o600, ".gitignore": 0o600}


def test_git_sees_only_config_and_handoff(path: Path, clock: Clock) -> None:
    LogWriter.create(path, HEADER, clock).append(entry("a"))
    agent = path.parent.parent
    (agent / "handoff").mkdir()
    (agent / "handoff" / "brief.md").write_text("x")
    (agent / "config.yaml").write_text("x")
    git = ["git", "-C", str(agent.parent), "-c", "core.fsmonitor=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    said = subprocess.run([*git, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True).stdout
    assert said.split() == ["??", ".agent/config.yaml", "??", ".agent/handoff/brief.md"]


@pytest.mark.parametrize("tail", [b'{"type":"message","role":"assist', b'{"x":"caf\xc3', b"   ", b"\0" * 9])
def test_a_torn_tail_is_never_glued_to_the_next_record(path: Path, clock: Clock, tail: bytes) -> None:
    good = b'{"type":"message","id":"a","parent_id":null}\n'
    writer = reopened(path, good + tail, clock)
    writer.append(entry("b", "a"))
    writer.append(entry("c", "b"))
    after = path.read_bytes()
    assert after.startswith(good + tail + b"\n")
    assert [value["id"] for _, value in lines.read(path)[0]] == ["a", "b", "c"]


def test_a_whole_tail_without_its_newline_is_completed(path: Path, clock: Clock) -> None:
    reopened(path, b'{"type":"message","id":"a"}', clock).append(entry("b", "a"))
    assert path.read_bytes().split(b"\n")[0] == b'{"type":"message","id":"a"}'
    assert [value["id"] for _, value in lines.read(path)[0]] == ["a", "b"]


def test_opening_a_log_changes_nothing_in_it(path: Path, clock: Clock) -> None:
    data = b'{"type":"message","id":"a"}\n{"torn'
    reopened(path, data, clock).close()
    assert path.read_bytes() == data


def test_what_is_no_json_is_written_as_the_text_it_comes_back_as(path: Path, clock: Clock) -> None:
    writer = LogWriter.create(path, HEADER, clock)
    kept = writer.append(entry("a", content="half \ud83d", number=float("nan")))
    assert kept.body == {"content": "half \ufffd", "number": "nan"}
    path.read_bytes().decode("utf-8")
    assert lines.read(path)[0][1][1] == kept.to_json()


def test_a_second_writer_is_told_who_holds_the_session(path: Path, clock: Clock) -> None:
    first = LogWriter.create(path, HEADER, clock)
    with pytest.raises(SessionBusy) as busy:
        LogWriter.open(path, clock)
    assert str(busy.value) == (
        f"session s1 is in use by process {os.getpid()}, since 2026-11-30T12:02:11Z; wait for it, or go on in a copy: "
        "`agentmem -r s1 --fork`"
    )
    first.close()
    LogWriter.open(path, clock).close()


def test_another_process_holds_the_session_until_it_dies(path: Path, clock: Clock) -> None:
    LogWriter.create(path, HEADER, clock).close()
    code = (
        "import sys, pathlib\n"
        "from agentmem.domain.clock import Clock\n"
        "from agentmem.memory.stores.log import LogWriter\n"
        "w = LogWriter.open(pathlib.Path(sys.argv[1]), Clock()); print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(SessionBusy) as busy:
            LogWriter.open(path, clock)
        assert busy.value.pid == child.pid
        child.kill()
        child.wait()
    # Its note is still there, and says nothing any more.
    assert json.loads(path.with_suffix(".lock").read_text())["pid"] == child.pid
    LogWriter.open(path, clock).close()


def test_a_holder_without_a_note_is_another_process(path: Path, clock: Clock) -> None:
    first = LogWriter.create(path, HEADER, clock)
    path.with_suffix(".lock").write_text("no json")
    with pytest.raises(SessionBusy, match="in use by another process"):
        LogWriter.open(path, clock)
    first.close()


def test_a_full_disk_is_told_and_what_was_written_stays_sound(path: Path) -> None:
    code = """
import pathlib, resource, sys
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.memory.stores.log import LogWriteError, LogWriter
path = pathlib.Path(sys.argv[1])
def entry(own, text): return Entry("message", own, None, "t", {"content": text})
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
try: writer = LogWriter.create(path, Header("s1", "t", "/w", "0"), Clock())
except LogWriteError: print("no log")
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
path.unlink(missing_ok=True)
writer = LogWriter.create(path, Header("s1", "t", "/w", "0"), Clock())
writer.append(entry("a", "first"))
size = path.stat().st_size
for room in range(0, 120, 7):
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, hard))
    try: writer.append(entry(f"b{room}", "x" * 200))
    except LogWriteError as error: print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
writer.append(entry("c", "last"))
"""
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    told = ran.stdout.splitlines()
    assert told[0] == "no log"
    assert len(told) == 19
    cause = "File too large; free some space, then resume the session"
    assert set(told[1:]) == {f"the session log {path} could not be written: {cause}"}
    found, faults = lines.read(path)
    assert [value["id"] for _, value in found] == ["s1", "a", "c"]
    assert {fault.what for fault in faults} == {"cut short or no JSON"}


def test_a_record_that_only_lacks_its_newline_is_recorded(path: Path, clock: Clock) -> None:
    code = """
import pathlib, resource, sys
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.memory.stores import lines
from agentmem.memory.stores.log import LogWriter
path = pathlib.Path(sys.argv[1])
writer = LogWriter.open(path, Clock())
one = Entry("message", "b", "a", "t", {})
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + len(lines.dump(one.to_json())) - 1,) * 2)
writer.append(one)
"""
    reopened(path, b'{"type":"message","id":"a"}\n', clock).close()
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    LogWriter.open(path, clock).append(entry("c", "b"))
    assert [value["id"] for _, value in lines.read(path)[0]] == ["a", "b", "c"]


def test_a_place_that_takes_no_log_is_named(path: Path, clock: Clock) -> None:
    path.parent.parent.parent.mkdir()
    path.parent.parent.write_text("a file")
    with pytest.raises(LogWriteError, match="could not be written: Not a directory"):
        LogWriter.create(path, HEADER, clock)
    with pytest.raises(LogWriteError, match="could not be written: Not a directory"):
        LogWriter.open(path, clock)


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_a_read_only_log_is_named(path: Path, clock: Clock) -> None:
    reopened(path, b"", clock).close()
    path.chmod(0o400)
    with pytest.raises(LogWriteError, match="Permission denied; make it writable for you"):
        LogWriter.open(path, clock)


def test_a_log_that_was_deleted_is_told_at_the_next_sync(path: Path, clock: Clock) -> None:
    writer = LogWriter.create(path, HEADER, clock)
    writer.append(entry("a"))
    writer.sync()
    path.unlink()
    writer.append(entry("b"))
    with pytest.raises(LogWriteError, match="the file was deleted while the session was open"):
        writer.sync()
    writer.close()
    with pytest.raises(LogWriteError, match="the session is closed"):
        writer.sync()
    with pytest.raises(LogWriteError, match="the session is closed"):
        writer.append(entry("c"))


def test_head_and_tail_never_overlap(path: Path, clock: Clock) -> None:
    reopened(path, b"0123456789", clock).close()
    assert log.head_and_tail(path, 4, 3)[:2] == (b"0123", b"789")
    assert log.head_and_tail(path, 8, 5)[:2] == (b"01234567", b"89")
    assert log.head_and_tail(path, 20, 5)[:2] == (b"0123456789", b"")

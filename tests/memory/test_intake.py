"""An import is whole or nothing, comes in once, never touches its source, and needs memory for the skeleton alone."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doors import QUICK, ROWS, Row
from sources import Claude, prompt, sent, take_in, text, told, use, write

from agentmem.domain.clock import Clock
from agentmem.domain.message import ToolCall
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.memory import LogWriteError
from agentmem.memory.read.replay import NO_USER
from agentmem.memory.stores.staged import Staged
from agentmem.memory.write.foreign.draft import stamp

UNKNOWN = "no log of Claude Code, pi or Codex"
OWN = "a log of agentmem itself: copied into .agent/sessions/ it is a session as it is"
LOGS = ("claude-code-1.0-sidechain.jsonl", "claude-code-2.1.jsonl", "pi-v1-large.jsonl")


def small(session: str = "s1") -> list[Any]:
    log = Claude(session)
    return [log.user("Hi"), log.reply("m1", use("c1")), log.result("c1"), log.reply("m2", text("Done."))]


def files(places: Places) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(places.sessions.iterdir())}


@pytest.fixture
def data(shared: Path) -> Path:
    folder = shared / "data" / "sessions"
    if not folder.is_dir():
        pytest.skip(f"needs the sessions in {folder}")
    return folder


def test_a_second_import_changes_nothing_also_from_another_place(places: Places, clock: Clock, tmp_path: Path) -> None:
    first = take_in(places, clock, small())
    before = files(places)
    again = take_in(places, clock, small())
    copied = memory.import_log(write(tmp_path / "copy.jsonl", small()), places, clock, "1")
    assert (again.state, again.session) == (copied.state, copied.session) == ("known", first.session)
    assert files(places) == before
    resumed = memory.resume_session(places, clock, first.session)
    resumed.record_interrupt("user")
    resumed.close()
    grown = files(places)
    assert grown != before
    assert take_in(places, clock, small()).state == "known"
    assert files(places) == grown


def test_one_file_gives_the_same_log_anywhere(places: Places, clock: Clock, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", small())
    first = memory.import_log(path, places, clock, "0")
    other = Places(root=tmp_path / "o", cwd=tmp_path / "o", home=places.home, shared=tmp_path / "o" / ".agent")
    (tmp_path / "o").mkdir()
    second = memory.import_log(path, other, clock, "0")
    assert files(places) == files(other)
    assert first == second


def test_another_content_is_another_session(places: Places, clock: Clock) -> None:
    one, two = take_in(places, clock, small()), take_in(places, clock, small()[:3], "b.jsonl")
    assert one.session != two.session
    assert one.session[:19] == two.session[:19] == "2026-02-12T16-00-01"


def test_the_source_is_not_touched_and_the_log_is_private(places: Places, clock: Clock, tmp_path: Path) -> None:
    path = write(tmp_path / "theirs.jsonl", small())
    path.chmod(0o444)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    intake = memory.import_log(path, places, clock, "0")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    log = places.sessions / f"{intake.session}.jsonl"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(places.sessions.stat().st_mode) == 0o700
    assert (places.shared / ".gitignore").exists()
    # Lists sort it by what was said last, not by when it came in.
    assert log.stat().st_mtime == 1770912004.0
    header = json.loads(log.read_bytes().split(b"\n")[0])
    assert header["source"] == {
        "tool": "claude-code",
        "version": "2.1.39",
        "session": "s1",
        "file": str(path),
        "sha256": header["source"]["sha256"],
    }
    assert (header["cwd"], header["agentmem"], header["parent_session"]) == ("/", "0", None)


def test_a_time_to_come_sorts_as_now(places: Places, clock: Clock) -> None:
    lines = [{**one, "timestamp": "2999-01-01T00:00:00Z"} for one in small()]
    log = places.sessions / f"{take_in(places, clock, lines).session}.jsonl"
    assert log.stat().st_mtime == clock.now()


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], UNKNOWN),
        ([b"\x89PNG\r\n\x1a\n\0\0\0"], UNKNOWN),
        ([{"type": "session", "id": "x", "at": "2026-01-01T00:00:00Z", "agentmem": "0"}], OWN),
        ([{"type": "summary", "summary": "T", "leafUuid": "x"}], "there is no conversation in it"),
        ([{"type": "session", "id": "x", "timestamp": "2026-01-01T00:00:00Z"}], "there is no conversation in it"),
    ],
)  # fmt: skip
def test_what_is_no_log_is_refused_and_leaves_nothing(
    places: Places, clock: Clock, lines: list[Any], reason: str
) -> None:
    intake = take_in(places, clock, lines)
    assert (intake.state, intake.reason) == ("refused", reason)
    assert not places.sessions.exists() or files(places) == {}


def test_what_cannot_be_read_is_refused(places: Places, clock: Clock, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("gone", "No such file or directory"), ("pipe", "it is no file"), ("", "it is no file")):
        intake = memory.import_log(tmp_path / name, places, clock, "0")
        assert (intake.state, intake.reason) == ("refused", reason)


def test_a_format_can_be_named(places: Places, clock: Clock) -> None:
    path = write(places.root / "x.jsonl", [{"type": "message", "role": "user", "content": [{"text": "Hi"}]}])
    assert memory.import_log(path, places, clock, "0", "codex").messages == {"user": 1}
    assert memory.import_log(path, places, clock, "0", "pi").state == "known"


def test_a_folder_that_cannot_be_written(places: Places, clock: Clock) -> None:
    places.shared.write_text("a file where .agent belongs")
    with pytest.raises(LogWriteError, match="Not a directory"):
        take_in(places, clock, small())


@pytest.mark.parametrize("limit", [0, 300, 1500])
def test_a_full_disk_leaves_nothing(places: Places, tmp_path: Path, limit: int) -> None:
    """The import stops at the limit, wherever it is just writing."""
    log = Claude()
    path = write(tmp_path / "s.jsonl", [log.user("x" * 100) for _ in range(50)])
    run = f"""
import resource, signal
from pathlib import Path
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory import memory
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
root = Path({str(places.root)!r})
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    memory.import_log(Path({str(path)!r}), Places(root, root, root, root / ".agent"), Clock(), "0")
except memory.LogWriteError as error:
    print(error.cause)
"""
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("File too large; free some space")
    assert not places.sessions.is_dir() or list(places.sessions.iterdir()) == []


def test_a_place_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    staged = Staged(path)
    assert (staged.put({"a": 1}), staged.put({"b": 2})) == (0, 8)
    path.write_text("theirs")
    assert staged.publish(None) is False
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("s.jsonl", "theirs")]


def test_what_a_killed_import_left_is_swept(tmp_path: Path) -> None:
    for name in (".s.jsonl.999999999.new", ".s.jsonl.x.new", f".s.jsonl.{os.getppid()}.new", ".t.jsonl.999999999.new"):
        (tmp_path / name).touch()
    staged = Staged(tmp_path / "s.jsonl")
    staged.put({"a": 1})
    assert staged.publish(1.0) is True
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        f".s.jsonl.{os.getppid()}.new",
        ".t.jsonl.999999999.new",
        "s.jsonl",
    ]


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-02-12T16:02:25.284Z", "2026-02-12T16:02:25.284Z"),
        ("2026-02-12T16:02:25+02:00", "2026-02-12T14:02:25Z"),
        ("2026-02-12T16:02:25", "2026-02-12T16:02:25Z"),
        (1763681581544, "2025-11-20T23:33:01.544Z"),
        (1e30, ""),
        ("0001-01-01T00:00:00+05:00", ""),
        ("soon", ""),
        (True, ""),
        (None, ""),
    ],
)
def test_times(value: object, time: str) -> None:
    assert stamp(value) == time


def independent(path: Path) -> Counter[str]:
    """Messages, calls and results of a Claude Code or pi log, counted with nothing of ours."""
    count: Counter[str] = Counter()
    replies = set()
    for raw in path.read_text().split("\n"):
        record = json.loads(raw) if raw else {}
        message = record.get("message") if record.get("type") in ("user", "assistant", "message") else None
        if message is None:
            continue
        count["messages"] += 1
        blocks = message["content"] if isinstance(message["content"], list) else []
        kinds = [block["type"] for block in blocks]
        count["calls"] += kinds.count("tool_use") + kinds.count("toolCall")
        count["results"] += kinds.count("tool_result") + (message["role"] == "toolResult")
        if message["role"] == "assistant":
            replies.add(message.get("id", len(replies)))
            count["empty"] += not blocks
    count["replies"] = len(replies) - count.pop("empty", 0)
    return count


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        (LOGS[0], {"messages": 437, "calls": 167, "results": 167, "replies": 170, "stand_ins": 0, "compactions": 0}),
        (LOGS[1], {"messages": 408, "calls": 150, "results": 150, "replies": 139, "stand_ins": 0, "compactions": 1}),
        (LOGS[2], {"messages": 914, "calls": 391, "results": 373, "replies": 439, "stand_ins": 18, "compactions": 0}),
    ],
)
def test_the_files_come_in_whole(places: Places, clock: Clock, data: Path, name: str, counts: dict[str, int]) -> None:
    path = data / name
    found = independent(path)
    assert {key: found[key] for key in ("messages", "calls", "results", "replies")} == {
        key: counts[key] for key in ("messages", "calls", "results", "replies")
    }
    intake = memory.import_log(path, places, clock, "0")
    assert (intake.state, intake.skipped) == ("imported", ())
    assert intake.lines == path.read_bytes().count(b"\n")
    assert sum(intake.read.values()) == counts["messages"]
    assert intake.messages["assistant"] == counts["replies"]
    assert (intake.calls, intake.results) == (counts["calls"], counts["results"])
    assert (intake.stand_ins, intake.compactions) == (counts["stand_ins"], counts["compactions"])
    # What the report says is what stands in the logs.
    trees = [memory.read_session(places, own) for own in (intake.session, *intake.sub_sessions)]
    entries = [entry for tree in trees for entry in tree.entries]
    roles = Counter(told(entries))
    assert (roles["assistant"], roles["tool"]) == (counts["replies"], counts["results"] + counts["stand_ins"])
    assert sum(len(m.calls) for entry in entries if (m := entry.message())) == counts["calls"]
    assert {part.origin for entry in entries if (m := entry.message()) for part in m.parts} == {"import"}
    notices = [told for tree in trees for told in memory.read_session(places, tree.header.id).notices]
    assert [told for told in notices if "which is not there any more" not in told] == []


def answered(body: dict[str, Any]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Of each assistant message of a request body: the form, the calls in it, the results right after it."""
    messages = body["messages"]
    for at, one in enumerate(messages):
        if one["role"] != "assistant":
            continue
        if isinstance(one.get("content"), list):
            calls = [block["id"] for block in one["content"] if block["type"] == "tool_use"]
            after = messages[at + 1]["content"] if at + 1 < len(messages) else []
            results = [block["tool_use_id"] for block in after if isinstance(block, dict) and block.get("tool_use_id")]
            yield "messages", calls, results
        else:
            calls = [call["id"] for call in one.get("tool_calls", ())]
            after = messages[at + 1 : at + 1 + len(calls)]
            yield "chat", calls, [result.get("tool_call_id") for result in after]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("name", LOGS)
def test_a_request_after_a_resume_is_legal(places: Places, clock: Clock, data: Path, name: str, row: Row) -> None:
    intake = memory.import_log(data / name, places, clock, "0")
    door = row.open("http://127.0.0.1:1", QUICK)
    for own in (intake.session, *intake.sub_sessions):
        made = prompt(places, clock, own, "on")
        body = json.loads(door.body(made))
        found = list(answered(body))
        assert sum(len(calls) for _, calls, _ in found) == sum(len(one.calls) for one in made.messages)
        for form, calls, results in found:
            assert form == row.name
            assert sorted(calls) == sorted(results)
        names = {part.name for one in made.messages for part in one.parts if isinstance(part, ToolCall)}
        assert "" not in names
    door.close()


def test_the_compaction_of_the_data_is_honoured(places: Places, clock: Clock, data: Path) -> None:
    intake = memory.import_log(data / LOGS[1], places, clock, "0")
    messages = sent(places, clock, intake)
    assert "This session is being continued from a previous conversation" in messages[0]
    assert not any("Work on bead spotter-dov. Run bd show" in one for one in messages[1:])
    whole = memory.read_session(places, intake.session).branch()
    assert len(messages) < sum(entry.type == "message" for entry in whole) / 1.5
    assert NO_USER not in "".join(messages)


def test_memory_is_bounded_by_the_skeleton(places: Places, clock: Clock, tmp_path: Path) -> None:
    """Four times the file, by longer results, costs hardly more memory."""
    peaks = []
    for size in (20_000, 80_000):
        log = Claude()
        lines: list[Any] = [log.user("Hi")]
        for number in range(100):
            lines += [log.reply(f"m{number}", use(f"c{number}")), log.result(f"c{number}", "x" * size)]
        path = write(tmp_path / f"{size}.jsonl", lines)
        tracemalloc.start()
        assert memory.import_log(path, places, clock, "0").results == 100
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 3_000_000


def test_no_secret_comes_in(places: Places, clock: Clock) -> None:
    """Neither in what was said nor in calls, results, summaries and what is only kept; images stay as they are."""
    secret = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    log = Claude()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    lines = [
        log.user([text(f"use {secret}"), picture, {"type": "document", "title": secret}]),
        log.reply("m1", {"type": "thinking", "thinking": secret}, text(secret), use("c1", command=f"curl -H {secret}")),
        log.result("c1", f"token {secret}"),
        log.record("system", subtype="local_command", content=secret),
        log.record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u4"),
        log.user(f"They used {secret}.", isCompactSummary=True),
        {"type": "custom-title", "customTitle": f"with {secret}", "sessionId": "s1"},
    ]
    intake = take_in(places, clock, lines)
    assert (intake.calls, intake.compactions) == (1, 1)
    log_ = (places.sessions / f"{intake.session}.jsonl").read_text()
    assert secret not in log_
    assert log_.count("[redacted: ") >= 8
    assert '"data":"iVBO"' in log_
    assert take_in(places, clock, lines).state == "known"

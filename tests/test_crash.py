"""Promise 2: a kill loses at most the last line. A real session is killed at every write and at random moments.

`make test` kills 50 times, `make proof` over 500 times; the log is also cut at every byte.
"""

from __future__ import annotations

import hashlib
import json
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from crashing import Place, finish, place, start
from memory.histories import assert_legal

from agentmem.domain.clock import Clock
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory import memory

SOME, MANY = (48, 18), (400, 180)  # kills at writes (some are never reached), kills at random moments
PARTS = (0.0, 0.01, 0.5, 0.99, 1.0)


def whole(data: bytes) -> list[dict[str, Any]]:
    """The records of a log that a kill left behind: every line but the last one must be whole."""
    *lines, last = data.split(b"\n")
    records = [json.loads(line) for line in lines]
    try:
        return [*records, json.loads(last)]
    except ValueError:
        return records


def check(at: Place, events: list[dict[str, Any]]) -> None:
    """What was told before the kill stands in the log; it is read whole, and goes on soundly."""
    if not at.logs:
        assert not [event for event in events if event["type"] == "tool_ended"]
        return
    (path,) = at.logs
    before = path.read_bytes()
    records = whole(before)
    told = [event["call_id"] for event in events if event["type"] == "tool_ended"]
    kept = [one["call_id"] for one in records if one.get("role") == "tool"]
    assert kept[: len(told)] == told, "a result that was told is not in the log"
    places = Places(at.root, at.root, Path(at.env["AGENTMEM_HOME"]), at.root / ".agent")
    session = memory.resume_session(places, Clock(), path.stem)
    ids = [one["id"] for one in records if one["type"] != "session"]
    assert [entry.id for entry in session.entries] == ids
    session.begin_epoch((), 200_000)
    assert_legal(session.prompt().messages)
    said = session.record_user([Text("go on", "person")])
    session.sync()
    session.close()
    assert path.read_bytes().startswith(before), "something that was written has changed"
    again = memory.resume_session(places, Clock(), path.stem)
    assert [entry.id for entry in again.entries] == [*ids, said.id]
    again.close()
    for blob in (at.root / ".agent" / "blobs").glob("[!.]*"):
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name, "a blob is not whole"


def calls_of(folder: Path) -> int:
    """How many writes, fsyncs, renames and links a whole session makes."""
    events, said, code = finish(start(place(folder)))
    assert (code, events[-1]["type"]) == (0, "turn_ended"), said
    return int(said.rsplit("calls ", 1)[1])


def kill_at_writes(folder: Path, kills: int) -> int:
    total = calls_of(folder / "whole")
    points = [(call, part) for call in range(1, total + 1) for part in PARTS]
    chance = random.Random(11)
    chosen = points if kills >= len(points) else chance.sample(points, kills)
    while len(chosen) < kills:
        chosen = [*chosen, (chance.randint(1, total), chance.random())]
    killed = 0
    for number, (call, part) in enumerate(chosen):
        at = place(folder / str(number))
        events, said, code = finish(start(at, call, part))
        # A command's output comes in more pieces or fewer each time, so the last calls are not always reached.
        assert code == -signal.SIGKILL or (code == 0 and call > total - 8), said
        check(at, events)
        killed += code != 0
    return killed


def kill_at_random(folder: Path, kills: int) -> int:
    chance = random.Random(12)
    for number in range(kills):
        at = place(folder / str(number))
        events, _, _ = finish(start(at), chance.uniform(0.05, 0.6))
        check(at, events)
    return kills


def test_some_kills_lose_nothing(tmp_path: Path) -> None:
    assert kill_at_writes(tmp_path / "writes", SOME[0]) + kill_at_random(tmp_path / "random", SOME[1]) >= 50


@pytest.mark.proof
def test_many_kills_lose_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writes, moments = kill_at_writes(tmp_path / "writes", MANY[0]), kill_at_random(tmp_path / "random", MANY[1])
    with capsys.disabled():
        print(f"\nkilled {writes} times at a write and {moments} times at a random moment; nothing was lost")
    assert writes + moments >= 500


def test_a_log_cut_at_any_byte_is_read_up_to_there(tmp_path: Path) -> None:
    made = place(tmp_path / "whole")
    finish(start(made))
    (log,) = made.logs
    data = log.read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    around = {at + off for at in starts for off in range(-3, 4)} | set(range(0, len(data), 997))
    root = tmp_path / "cut"
    places = Places(root, root, tmp_path / "home", root / ".agent")
    places.sessions.mkdir(parents=True)
    path = places.sessions / "s.jsonl"
    for size in sorted(size for size in around if 0 <= size <= len(data)):
        path.write_bytes(data[:size])
        ids = [one["id"] for one in whole(data[:size]) if one["type"] != "session"]
        session = memory.resume_session(places, Clock(), "s")
        assert [entry.id for entry in session.entries] == ids
        said = session.record_user([Text("go on", "person")])
        session.close()
        assert path.read_bytes().startswith(data[:size])
        again = memory.resume_session(places, Clock(), "s")
        assert [entry.id for entry in again.entries] == [*ids, said.id]
        again.close()


def test_a_killed_session_goes_on_with_the_command(tmp_path: Path) -> None:
    at = place(tmp_path)
    child = start(at, calls_of(tmp_path / "whole") // 2, 0.5)
    _, _, code = finish(child)
    assert code == -signal.SIGKILL
    (path,) = at.logs
    with path.open("ab") as log:
        log.write(b'{"type":"message","id":"to')
    (tmp_path / "script.jsonl").write_text('{"text": "I see what happened."}\n')
    events, said, code = finish(start(at, 0, 0.0, "-c"))
    assert (code, events[-1]["text"]) == (0, "I see what happened."), said
    assert at.logs == [path]
    assert f".agent/sessions/{path.name}: line" in said  # the torn line is told

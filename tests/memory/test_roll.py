"""The roll of sessions: written as things happen, made anew from the logs, never in the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.session import Session
from agentmem.memory.stores import roll

AT = "2026-11-30T12:02:11Z"


def told(places: Places) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (places.shared / "sessions.jsonl").read_text().splitlines()]


def talked(places: Places, clock: Clock, name: str | None = None) -> Session:
    session = memory.new_session(places, clock, "0") if name is None else memory.resume_session(places, clock, name)
    session.record_user([Text("go", "person")])
    return session


def test_each_event_of_a_session_is_a_line(places: Places, clock: Clock) -> None:
    session = talked(places, clock)
    session.rename("the bug")
    session._record(lambda parent: Entry("reset", "r", parent, "t"))
    session.close()
    session.close()
    fork = memory.fork_session(places, clock, "0", session.id)
    talked(places, clock, session.id).close()
    cwd = str(places.cwd)
    assert told(places) == [
        {"at": AT, "event": "opened", "session": session.id, "cwd": cwd},
        {"at": AT, "event": "named", "session": session.id, "name": "the bug"},
        {"at": AT, "event": "reset", "session": session.id},
        {"at": AT, "event": "closed", "session": session.id, "entries": 1},
        {"at": AT, "event": "forked", "session": fork, "of": session.id},
        {"at": AT, "event": "opened", "session": session.id, "cwd": cwd},
        {"at": AT, "event": "closed", "session": session.id, "entries": 2},
    ]
    assert (places.shared / "sessions.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_lost_roll_is_made_anew_from_the_logs_when_the_next_session_ends(places: Places, clock: Clock) -> None:
    first = talked(places, clock)
    first.rename("the bug")
    first.close()
    fork = memory.fork_session(places, clock, "0", first.id)
    (places.shared / "sessions.jsonl").unlink()
    second = talked(places, clock)
    assert not (places.shared / "sessions.jsonl").exists()
    second.close()
    events = [(one["event"], one["session"]) for one in told(places)]
    assert sorted(events[:-1]) == sorted(
        [("opened", first.id), ("named", first.id), ("forked", fork), ("named", fork), ("opened", second.id)]
    )
    assert events[-1] == ("closed", second.id)
    assert [path.name for path in places.shared.iterdir() if path.name.endswith(".new")] == []


def test_a_torn_line_is_completed_first(tmp_path: Path) -> None:
    (tmp_path / "sessions.jsonl").write_bytes(b'{"torn')
    roll.append(tmp_path, roll.line(AT, "opened", "s"))
    assert (tmp_path / "sessions.jsonl").read_text() == f'{{"torn\n{{"at":"{AT}","event":"opened","session":"s"}}\n'


def test_a_roll_that_cannot_be_written_is_no_failure(places: Places, clock: Clock) -> None:
    (places.shared / "sessions.jsonl").mkdir(parents=True)
    session = talked(places, clock)
    session.rename("x")
    session.close()
    assert len(memory.resume_session(places, clock, session.id).entries) == 2
    roll.begin(places.shared / "nowhere", [])


def test_no_decision_reads_the_roll(places: Places, clock: Clock) -> None:
    session = talked(places, clock)
    session.close()
    (places.shared / "sessions.jsonl").write_bytes(b'{"event":"closed","session":"other"}\n\0\xff')
    assert memory.last_session(places) == session.id
    assert [one.id for one in memory.list_sessions(places)] == [session.id]

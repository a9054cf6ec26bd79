from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.memory import LogWriteError, SessionBusy, SessionMissing


def begun(places: Places, clock: Clock, text: str = "hi") -> str:
    session = memory.new_session(places, clock, "0")
    session.record_user([Text(text, "person")])
    session.close()
    return session.id


def at(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))


def test_a_new_session_has_a_name_that_is_free(places: Places, clock: Clock) -> None:
    (places.sessions).mkdir(parents=True)
    (places.sessions / "2026-11-30T12-02-11-000001.jsonl").touch()
    assert memory.new_session(places, clock, "0").id == "2026-11-30T12-02-11-000002"


def test_a_session_is_found_by_id_or_by_a_prefix_no_other_has(places: Places, clock: Clock) -> None:
    first, second = begun(places, clock), begun(places, clock)
    for name in (first, first):
        session = memory.resume_session(places, clock, name)
        assert session.id == first
        session.close()
    with pytest.raises(SessionMissing) as several:
        memory.resume_session(places, clock, "2026-11")
    assert several.value.near == (first, second)
    assert "begins more than one session" in str(several.value)


@pytest.mark.parametrize("name", ["2026-11-30T99", "nope", "", "../sessions/x", "/etc/passwd"])
def test_a_missing_session_names_those_near_it(places: Places, clock: Clock, name: str) -> None:
    own = begun(places, clock)
    with pytest.raises(SessionMissing) as missing:
        memory.resume_session(places, clock, name)
    assert missing.value.near == (own,)
    assert str(missing.value) == f"there is no session {name!r} (did you mean {own}?)"


def test_no_sessions_at_all(places: Places, clock: Clock) -> None:
    assert memory.list_sessions(places) == []
    assert memory.last_session(places) is None
    with pytest.raises(SessionMissing, match=r"there is no session 'x'$"):
        memory.resume_session(places, clock, "x")


def test_the_file_name_names_a_session_whatever_its_first_line_says(places: Places, clock: Clock) -> None:
    places.sessions.mkdir(parents=True)
    (places.sessions / "s9.jsonl").write_text('{"type":"summary","id":"q"}\n{"type":"session","id":"other"}\n')
    session = memory.resume_session(places, clock, "s9")
    assert (session.id, session.path) == ("s9", places.sessions / "s9.jsonl")
    session.close()


def test_a_session_in_use_is_refused(places: Places, clock: Clock) -> None:
    session = memory.new_session(places, clock, "0")
    session.record_user([Text("hi", "person")])
    with pytest.raises(SessionBusy, match=f"process {os.getpid()}"):
        memory.resume_session(places, clock, session.id)
    session.close()


def test_a_link_is_no_session(places: Places, clock: Clock, tmp_path: Path) -> None:
    places.sessions.mkdir(parents=True)
    (tmp_path / "other.jsonl").write_text('{"type":"session","cwd":"/"}\n')
    (places.sessions / "s1.jsonl").symlink_to(tmp_path / "other.jsonl")
    with pytest.raises(SessionMissing):
        memory.resume_session(places, clock, "s1")
    assert memory.list_sessions(places) == []


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_a_log_that_cannot_be_read_hides_no_other(places: Places, clock: Clock) -> None:
    shut, own = begun(places, clock), begun(places, clock)
    (places.sessions / f"{shut}.jsonl").chmod(0)
    at(places.sessions / f"{own}.jsonl", 1000)
    assert [head.id for head in memory.list_sessions(places)] == [own]
    assert memory.last_session(places) == own
    with pytest.raises(LogWriteError, match="Permission denied"):
        memory.resume_session(places, clock, shut)


def test_the_last_session_is_that_of_this_place(places: Places, clock: Clock) -> None:
    below = replace(places, cwd=places.root / "sub")
    elsewhere = replace(places, cwd=places.root.with_name("wide"), root=places.root.with_name("wide"))
    names = [begun(one, clock) for one in (places, below, elsewhere)]
    for seconds, name in enumerate(names, 1000):
        at(places.sessions / f"{name}.jsonl", seconds)
    assert memory.last_session(places) == names[1]
    assert memory.last_session(elsewhere) == names[2]
    at(places.sessions / f"{names[0]}.jsonl", 5000)
    assert memory.last_session(below) == names[0]


def test_sub_sessions_are_neither_last_nor_listed(places: Places, clock: Clock) -> None:
    own = begun(places, clock, "the parent")
    child = places.sessions / "2027.jsonl"
    child.write_text(f'{{"type":"session","id":"2027","cwd":"{places.root}","parent_session":"{own}"}}\n')
    assert memory.last_session(places) == own
    assert [head.id for head in memory.list_sessions(places)] == [own]


def test_remember_takes_the_persons_command_and_queues_an_agents(places: Places, clock: Clock) -> None:
    assert memory.remember(Desk(places, clock), Claim("Use tabs.", "decision"), by="agent").outcome == "queued"
    assert not places.memory_file.exists()
    assert memory.remember(Desk(places, clock), Claim("Use tabs.", "decision")).outcome == "added"
    assert places.memory_file.read_text() == "## Decisions\n- Use tabs. ^m000000000002\n"

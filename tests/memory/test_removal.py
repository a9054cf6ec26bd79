from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_moving import exchange, opened

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
from agentmem.memory.memory import LogWriteError, SessionBusy


def with_output(places: Places, clock: Clock, text: str = "one") -> str:
    """A closed session whose log names a kept output."""
    session = opened(places, clock)
    exchange(session, text, "ONE")
    call = ToolCall("t1", "bash", {})
    session.record_reply(Reply((call,), "tool_use"))
    session.record_result(call, ToolResult("cut", offload=session.outputs.keep(b"all of it", ".txt")), 1)
    session.close()
    return session.id


def sub_session(places: Places, parent: str, own: str) -> None:
    header = {"type": "session", "id": own, "at": "", "cwd": str(places.cwd), "parent_session": parent}
    (places.sessions / f"{own}.jsonl").write_text(json.dumps(header) + "\n")


def left(places: Places) -> list[str]:
    return sorted(
        str(path.relative_to(places.shared))
        for folder in (places.sessions, places.offload)
        for path in folder.rglob("*")
        if path.suffix != ".txt"
    )


def test_a_session_goes_with_its_outputs_and_its_sub_sessions(places: Places, clock: Clock) -> None:
    own, other = with_output(places, clock), with_output(places, clock)
    sub_session(places, own, "sub1")
    sub_session(places, "sub1", "sub2")
    sub_session(places, other, "sub3")
    (places.shared / "archive" / own).mkdir(parents=True)
    removed = memory.remove_session(places, clock, own)
    assert removed.kept == ()
    assert set(removed.paths) == {
        places.sessions / f"{own}.jsonl",
        places.sessions / "sub1.jsonl",
        places.sessions / "sub2.jsonl",
        places.offload / own,
        places.shared / "archive" / own,
    }
    assert not any(path.exists() for path in removed.paths)
    assert left(places) == [f"offload/{other}", f"sessions/{other}.jsonl", "sessions/sub3.jsonl"]


def test_a_running_session_stays_whole(places: Places, clock: Clock) -> None:
    own = with_output(places, clock)
    sub_session(places, own, "sub1")
    before = left(places)
    running = memory.resume_session(places, clock, "sub1")
    with pytest.raises(SessionBusy, match="sub1"):
        memory.remove_session(places, clock, own)
    assert [path for path in left(places) if not path.endswith(".lock")] == before
    running.close()


def test_outputs_that_a_fork_shows_stay_until_it_goes(places: Places, clock: Clock) -> None:
    own = with_output(places, clock)
    fork = memory.fork_session(places, clock, "0", own)
    second = memory.fork_session(places, clock, "0", fork)
    (kept,) = memory.remove_session(places, clock, own).kept
    assert str(places.offload / own) in kept
    assert "still shows" in kept
    assert memory.remove_session(places, clock, fork).kept != ()
    assert (places.offload / own).is_dir()
    removed = memory.remove_session(places, clock, second)
    assert set(removed.paths) == {places.sessions / f"{second}.jsonl", places.offload / own}
    assert left(places) == []


def test_a_link_in_place_of_an_output_folder_is_not_followed(places: Places, clock: Clock, tmp_path: Path) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    session.close()
    target = tmp_path / "precious"
    target.mkdir()
    (target / "file").touch()
    places.offload.mkdir()
    (places.offload / session.id).symlink_to(target)
    memory.remove_session(places, clock, session.id)
    assert (target / "file").exists()


def test_a_log_that_names_a_folder_elsewhere_removes_nothing_there(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "see offload/../sessions/x and offload/../../src/x", "offload/other/x")
    session.close()
    (places.root / "src").mkdir()
    keep = with_output(places, clock)
    (places.sessions / "other.jsonl").write_text("{}\n")
    (places.offload / "other").mkdir()
    removed = memory.remove_session(places, clock, session.id)
    assert removed.paths == (places.sessions / f"{session.id}.jsonl",)
    assert (places.sessions / f"{keep}.jsonl").exists()
    assert (places.root / "src").is_dir()
    assert (places.offload / "other").is_dir()


def test_what_cannot_be_removed_is_told(places: Places, clock: Clock) -> None:
    with pytest.raises(LogWriteError):
        memory.remove_session(places, clock, "nope")

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_moving import exchange, opened, records, texts

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.memory import EntryMissing, LogWriteError, SessionMissing


def read(places: Places, session: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (places.sessions / f"{session}.jsonl").read_text().splitlines()]


def test_a_fork_holds_the_path_under_the_same_ids_and_needs_nothing_else(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, first = exchange(session, "one", "ONE")
    exchange(session, "two", "TWO")
    session.move(first, "again")
    _, third = exchange(session, "three", "THREE")
    exchange(session, "four", "FOUR")
    before = session.path.read_bytes()
    fork = memory.fork_session(places, clock, "0.2", session.id, third)
    assert session.path.read_bytes() == before
    header, *entries = read(places, fork)
    assert (header["id"], header["forked_from"]) == (fork, {"session": session.id, "entry": third})
    assert (header["parent_session"], header["agentmem"]) == (None, "0.2")
    original = {record["id"]: record for record in records(session)}
    assert entries == [original[entry["id"]] for entry in entries]
    assert len({entry["id"] for entry in entries}) == len(entries)
    session.close()
    (places.sessions / f"{session.id}.jsonl").unlink()
    forked = opened(places, clock, fork)
    assert texts(forked) == ["one", "ONE", "three", "THREE"]
    assert forked.notices == ()
    forked.close()
    assert list(places.sessions.iterdir()) == [places.sessions / f"{fork}.jsonl"]


def test_the_request_of_a_fork_begins_as_the_others_did(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    before = session.prompt()
    fork = opened(places, clock, memory.fork_session(places, clock, "0", session.id))
    assert (fork.prompt().system, fork.prompt().messages) == (before.system, before.messages)
    fork.close()
    session.close()


def test_a_session_that_is_written_can_be_forked(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    with (places.sessions / f"{session.id}.jsonl").open("ab") as file:
        file.write(b'{"type":"message","id":"torn')
    fork = opened(places, clock, memory.fork_session(places, clock, "0", session.id))
    assert texts(fork) == ["one", "ONE"]
    fork.close()
    session.close()


def test_labels_come_along_and_names_stay_one_sessions(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, first = exchange(session, "one", "ONE")
    _, second = exchange(session, "two", "TWO")
    session.label("gone", of=first)
    session.label(None, of=first)
    session.label("kept", of=first)
    session.label("off the path", of=second)
    session.rename("bug")
    forks = [memory.fork_session(places, clock, "0", session.id, first) for _ in range(2)]
    forks.append(memory.fork_session(places, clock, "0", forks[0]))
    trees = [memory.read_session(places, fork) for fork in forks]
    assert [memory.name_of(tree.entries) for tree in trees] == ["bug (fork)", "bug (fork 2)", "bug (fork 3)"]
    assert [memory.labels_of(tree.entries) for tree in trees] == [{first: "kept"}] * 3
    assert memory.find_session(places, "BUG (fork)") == forks[0]
    session.close()


def test_a_label_that_was_taken_away_later_is_gone_in_the_fork(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    _, first = exchange(session, "one", "ONE")
    labelled = session.label("x", of=first)
    session.label(None, of=first)
    fork = memory.fork_session(places, clock, "0", session.id, labelled.id)
    assert memory.labels_of(memory.read_session(places, fork).entries) == {}
    session.close()


def test_parents_that_were_mended_stand_in_the_fork(places: Places, clock: Clock) -> None:
    places.sessions.mkdir(parents=True)
    rows: list[dict[str, Any]] = [
        {"type": "summary", "id": "x", "title": "metadata first"},
        {"type": "message", "id": "a", "parent_id": "never", "role": "user", "content": "hi"},
        {"type": "message", "id": "b", "parent_id": "lost", "role": "assistant", "content": "yes"},
        {"type": "message", "id": "b", "parent_id": "b", "role": "user", "content": "twice"},
    ]
    (places.sessions / "old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    fork = opened(places, clock, memory.fork_session(places, clock, "0", "old"))
    assert fork.notices == ()
    assert [(entry.id, entry.parent_id) for entry in fork.entries] == [
        ("x", None),
        ("a", "x"),
        ("b", "a"),
        ("b~2", "b"),
    ]
    assert [message.text for message in fork.prompt().messages] == ["hi", "yes", "twice"]
    fork.close()


def test_what_cannot_be_forked_leaves_nothing(places: Places, clock: Clock) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    session.close()
    with pytest.raises(EntryMissing):
        memory.fork_session(places, clock, "0", session.id, "nope")
    with pytest.raises(SessionMissing):
        memory.fork_session(places, clock, "0", "nope")
    (places.sessions / "empty.jsonl").touch()
    with pytest.raises(EntryMissing):
        memory.fork_session(places, clock, "0", "empty")
    names = {path.name for path in places.sessions.iterdir()}
    assert names == {f"{session.id}.jsonl", "empty.jsonl"}


def test_a_folder_that_cannot_be_written_is_told(places: Places, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(places, clock)
    exchange(session, "one", "ONE")
    session.close()
    own = session.id
    data = session.path.read_bytes()
    place = Places(places.root, places.cwd, places.home, places.root / "file")
    (places.root / "file").mkdir()
    (places.root / "file" / "sessions").mkdir()
    (places.root / "file" / "sessions" / f"{own}.jsonl").write_bytes(data)
    # A folder stands where the new log would be staged.
    count = memory.new_session(place, clock, "0").id
    number = int(count.rpartition("-")[2], 16) + 1
    blocked = Path(place.sessions) / f"{count.rpartition('-')[0]}-{number:06x}.jsonl"
    import os

    staged = blocked.with_name(f".{blocked.name}.{os.getpid()}.new")
    staged.mkdir()
    with pytest.raises(LogWriteError):
        memory.fork_session(place, clock, "0", own)
    assert not blocked.exists()

"""A session's log as it is written: an entry a line, from any thread, its lock given back once."""

from __future__ import annotations

import threading

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory.read.tree import Tree
from agentmem.memory.sessionlog import SessionLog
from agentmem.memory.stores.log import holder
from agentmem.memory.write.record import Scribe
from agentmem.memory.write.redact import sealed


@pytest.fixture
def scribe(places: Places, clock: Clock) -> Scribe:
    return Scribe(clock, sealed(places.home))


@pytest.fixture
def log(places: Places, clock: Clock, scribe: Scribe) -> SessionLog:
    return SessionLog(places, clock, Tree(Header("s", clock.stamp(), "/w", "0"), (), ()), scribe, None)


def say(log: SessionLog, scribe: Scribe, text: str) -> Entry:
    return log.record(lambda parent: scribe.user(parent, [Text(text, "person")], None))


def test_it_begins_with_the_first_record(log: SessionLog, scribe: Scribe) -> None:
    assert (log.begun, log.size, log.leaf, log.entries, log.tree().entries) == (False, 0, None, (), ())
    log.sync()
    log.close()
    assert not log.path.exists()
    one = say(log, scribe, "one")
    assert (log.begun, log.leaf, log.entries) == (True, one.id, (one,))
    assert log.size == log.path.stat().st_size
    assert [entry.id for entry in log.tree().entries] == [one.id]


def test_entries_of_many_threads_are_one_branch(log: SessionLog, scribe: Scribe) -> None:
    threads = [
        threading.Thread(target=lambda own=own: [say(log, scribe, f"{own} {n}") for n in range(20)]) for own in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.branch()) == 80
    assert [one.id for one in log.tree().branch()] == [one.id for one in log.entries]


def test_its_lock_is_given_back_once(log: SessionLog, scribe: Scribe) -> None:
    say(log, scribe, "one")
    assert holder(log.path) is not None
    log.close()
    log.close()
    assert holder(log.path) is None


def test_what_is_written_behind_a_move_hangs_on_its_target(log: SessionLog, scribe: Scribe) -> None:
    first = say(log, scribe, "one")
    log.label("start", first.id)
    say(log, scribe, "two")
    log.move("start", "another try")
    last = say(log, scribe, "three")
    assert [one.type for one in log.branch()] == ["message", "move", "message"]
    assert log.branch()[0].id == first.id and log.branch()[-1] == last
    log.rename(" a  name ")
    assert log.name == "a name"

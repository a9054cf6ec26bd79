"""How full the window is: counted where the provider counted it, else at the most."""

from __future__ import annotations

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text, Usage
from agentmem.domain.places import Places
from agentmem.memory.memory import Session, new_session


@pytest.fixture
def session(places: Places, clock: Clock) -> Session:
    return new_session(places, clock, "0")


def test_before_an_epoch_nothing_can_be_said(session: Session) -> None:
    assert session.fullness.last_usage is None
    for ask in (session.fullness.held, session.fullness.most_tokens, session.fullness.size_bound):
        with pytest.raises(RuntimeError):
            ask()


def test_a_prompt_is_never_larger_than_its_bound(session: Session) -> None:
    session.begin_epoch((), 100_000)
    fixed = sum(len(one.data) for one in session.sections)
    assert session.fullness.size_bound() == fixed
    session.record_user([Text("x" * 5_000, "person")])
    assert session.fullness.size_bound() == fixed + session.path.stat().st_size
    assert session.fullness.size_bound() > fixed + 5_000
    assert session.fullness.most_tokens() >= 5_000 // 4


def test_what_was_counted_holds_until_more_is_said(session: Session) -> None:
    session.begin_epoch((), 100_000)
    session.record_user([Text("hi", "person")])
    session.record_call("m", b"")
    session.record_reply(Reply((Text("hello", "agent"),), "end", Usage(120, 7)))
    assert session.fullness.last_usage == Usage(120, 7)
    held = session.fullness.held()
    assert (held.sections, held.tools) == (session.sections, ())
    session.record_user([Text("more", "person")])
    assert session.fullness.last_usage is None

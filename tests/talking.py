"""A session that was talked in, as its log holds it."""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text
from agentmem.domain.places import Places
from agentmem.memory.memory import Session, new_session


def talked(places: Places, said: Sequence[tuple[str, str]], name: str = "") -> Session:
    """A closed session with these questions and answers."""
    session = new_session(places, Clock(), "0")
    session.begin_epoch((), 100_000)
    for asked, answered in said:
        session.record_user([Text(asked, "person")])
        session.prompt()
        session.record_call("m", b"")
        session.record_reply(Reply((Text(answered, "agent"),), "end"))
    if name:
        session.rename(name)
    session.close()
    return session

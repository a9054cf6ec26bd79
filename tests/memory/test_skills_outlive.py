"""Bodies of skills outlive a compaction: the newest of each, shortened, in a resume as in the session."""

from __future__ import annotations

from agentmem.domain.clock import Clock
from agentmem.domain.message import Message, Reply, Text
from agentmem.domain.places import Places
from agentmem.domain.skill import Disclosed
from agentmem.memory import memory
from agentmem.memory.manage.compact.cutting import cut
from agentmem.memory.manage.compact.layout import Room
from agentmem.memory.manage.compact.narrative import Narrative
from agentmem.memory.memory import Session, shortening

FINE = Room(window=100, used=100, fixed=0, ratio=0.001)


def say(session: Session, text: str, *skills: tuple[str, str]) -> None:
    session.record_user([Text(text, "person")])
    for name, body in skills:
        block = f'<skill-body name="{name}">\n{body}\n</skill-body>'
        session.record_skill(Disclosed(name, f"/s/{name}/SKILL.md", "00", block, "slash", f"/{name}", "fetched"))
    session.prompt()
    session.record_call("m", b"{}")
    session.record_reply(Reply((Text(f"answer to {text}", "agent"),), "end"))


def compacted(session: Session, leave: int) -> None:
    work = shortening.begin_compaction(session, FINE)
    made = cut(work.found, FINE, 10**12, most=leave)
    assert made is not None
    leaving = work.leaving(made)
    assert leaving is not None
    work.snapshot(leaving, Narrative("window", "what went before", None), "a test")
    session.renew()


def shown(messages: tuple[Message, ...]) -> str:
    return "\n".join(message.text for message in messages)


def test_bodies_stay_where_their_messages_leave(places: Places) -> None:
    session = memory.new_session(places, Clock(), "0")
    session.begin_epoch((), 100_000)
    say(session, "first", ("a", "old a"), ("b", "the b"))
    say(session, "second", ("a", "new a"), ("long", "word " * 10_000))
    for number in range(6):
        say(session, f"more {number}")
    compacted(session, 8)
    text = shown(session.prompt().messages)
    assert "answer to first" not in text and "answer to second" not in text
    assert "old a" not in text and "new a" in text and "the b" in text and "fetched" not in text
    assert "[the rest of this skill is left out here: read /s/long/SKILL.md]" in text
    assert 19_000 < text.count("word") * 5 < 20_001
    assert text.index("the b") < text.index("new a") < text.index("more 5")
    before = session.prompt().messages
    session.sync()
    session.close()
    again = memory.resume_session(places, Clock(), session.id)
    again.begin_epoch((), 100_000)
    assert again.prompt().messages == before
    for number in range(6):
        say(again, f"later {number}", *([("b", "newer b")] if number == 0 else []))
    compacted(again, 12)
    text = shown(again.prompt().messages)
    assert "the b" not in text and text.count("newer b") == 1 and text.count("new a") == 1
    assert "left out here" in text
    again.close()

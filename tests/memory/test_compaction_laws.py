"""The laws of compaction: wherever a cut falls and whatever leaves, requests are legal, the last exchange is as it was,
a resume gives the same prompt, and expanding gives back the same bytes."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from histories import assert_legal
from hypothesis import given, settings
from hypothesis import strategies as st
from talks import Turn, opened, record, told, turns, unanswered

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.manage.compact.compaction import Compaction
from agentmem.memory.manage.compact.cutting import Cut, cut
from agentmem.memory.manage.compact.layout import Layout, Room
from agentmem.memory.manage.compact.narrative import Narrative
from agentmem.memory.manage.compact.pipeline import Aim
from agentmem.memory.memory import Session, shortening

# Every byte counts as many tokens, so that no cut is too small to be worth it.
FINE = Room(window=100, used=100, fixed=0, ratio=0.001)
NUMBERS = count(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws")


def fresh(folder: Path) -> tuple[Places, Clock]:
    root, home = folder / f"w{next(NUMBERS)}", folder / "home"
    root.mkdir()
    home.mkdir(exist_ok=True)
    numbers = count(1)
    clock = Clock(lambda: 1796040131.0, lambda: 0.0, lambda size: next(numbers).to_bytes(size, "big"))
    return Places(root=root, cwd=root, home=home, shared=root / ".agent"), clock


def every_cut(found: Layout) -> list[Cut]:
    made = (cut(found, FINE, 10**12, most=number) for number in range(1, len(found.units)))
    return list({one.first: one for one in made if one is not None}.values())


def last_exchange(session: Session) -> list[str]:
    """From the last message of the person on."""
    lines = told(session.prompt().messages)
    at = max(number for number, line in enumerate(lines) if line.startswith("user") and "ask " in line)
    return [lines[at].split("]\n\n")[-1].rpartition("ask ")[2], *lines[at + 1 :]]


def compaction(session: Session, room: Room = FINE) -> Compaction:
    return shortening.begin_compaction(session, room)


@settings(max_examples=max(8, settings.default.max_examples // 12))
@given(said=turns(), again=turns())
def test_at_every_cut(folder: Path, said: list[Turn], again: list[Turn]) -> None:
    places, clock = fresh(folder)
    base = opened(places, clock)
    record(base, said)
    base.sync()
    whole, last, open_calls = base.prompt(), last_exchange(base), unanswered(base.prompt().messages)
    cuts = every_cut(compaction(base).found)
    base.close()
    for made in cuts:
        own = memory_fork(places, clock, base.id)
        session = opened(places, clock, own)
        work = compaction(session)
        leaving = work.leaving(made)
        assert leaving is not None
        entry = work.snapshot(leaving, Narrative("window", "what went before", None), "a test")
        session.renew()
        shown = session.prompt()
        assert_legal(shown.messages)
        assert unanswered(shown.messages) <= open_calls
        assert last_exchange(session)[0] == last[0]
        kept = len(last_exchange(session))
        assert last_exchange(session)[1:] == last[len(last) - kept + 1 :]
        ids = {one.id for one in leaving.entries}
        assert {one.id for one in session.entries} & ids <= {one.id for one in leaving.pinned}
        session.close()
        resumed = opened(places, clock, own)
        assert resumed.prompt() == shown
        resumed.append("expand", {"of": entry.id}, resumed.leaf)
        assert resumed.prompt().messages == whole.messages
        resumed.close()
        back = opened(places, clock, own)
        assert back.prompt().messages == whole.messages
        record(back, again, first=50)
        assert_legal(back.prompt().messages)
        back.close()


def memory_fork(places: Places, clock: Clock, own: str) -> str:
    from agentmem.memory.memory import fork_session

    return fork_session(places, clock, "0.1.0", own)


@settings(max_examples=max(25, settings.default.max_examples // 4))
@given(said=turns(), target=st.sampled_from([10, 500, 3_000]), cuts=st.booleans(), rounds=st.integers(1, 3))
def test_the_pipeline(folder: Path, said: list[Turn], target: int, cuts: bool, rounds: int) -> None:
    places, clock = fresh(folder)
    session = opened(places, clock)
    written: list[tuple[str, list[str]]] = []
    for number in range(rounds):
        record(session, said, first=10 * number)
        used = shortening.message_bytes(session) // 4
        work = compaction(session, Room(100_000, used, 0, 4.0))
        plan = work.plan(Aim(target, used, cut=cuts))
        last = last_exchange(session)
        for change in plan.changes:
            written.append((work.change(change, "a test").id, told(session.prompt().messages)))
            assert change.freed > 0
            assert_legal(session.prompt().messages)
        if plan.cut is not None and (leaving := work.leaving(plan.cut)) is not None:
            work.snapshot(leaving, Narrative("window", "what went before", None), "a test")
            written.clear()
        assert_legal(session.prompt().messages)
        assert last_exchange(session)[0] == last[0]
        assert last_exchange(session)[-1] == last[-1]
        assert shortening.message_bytes(session) // 4 <= max(used, 1)
        if not cuts and used > target:
            assert work.room.used <= used
    shown = session.prompt()
    session.close()
    resumed = opened(places, clock, session.id)
    assert resumed.prompt().messages == shown.messages
    resumed.close()


@settings(max_examples=max(25, settings.default.max_examples // 4))
@given(said=turns())
def test_recoverable_forms_give_back_the_same_bytes(folder: Path, said: list[Turn]) -> None:
    places, clock = fresh(folder)
    session = opened(places, clock)
    record(session, said)
    whole = session.prompt().messages
    used = shortening.message_bytes(session) // 4
    work = compaction(session, Room(100_000, used, 0, 4.0))
    entries = [work.change(change, "a test") for change in work.plan(Aim(1, used, cut=False)).changes]
    for entry in entries:
        for named in entry.body["targets"]:
            marker = named.get("marker", "")
            if "`read` " in marker:
                path = places.root / marker.partition("`read` ")[2].split("]")[0]
                kept = next(one for one in session.tree().entries if one.id == named["entry"]).message()
                assert kept is not None
                assert path.read_bytes() == kept.text.encode()
    for entry in reversed(entries):
        shortening.expand(session, entry.id, Room(10**9, 0, 0))
    assert session.prompt().messages == whole
    session.close()

"""The laws of replay over random histories: kept ones, interrupted ones, and ones that damage made nonsense of."""

from __future__ import annotations

from histories import assert_legal, assistant, call, entry, interrupt, notice, result, user
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text
from agentmem.memory.read.replay import Replay

IDS = st.sampled_from(["a", "b", "a-2", ""])
WORDS = st.sampled_from(["one", "two", " ", "", "drei \u00e9"])
ANYTHING = st.one_of(
    WORDS.map(user),
    WORDS.map(notice),
    st.just(0).map(lambda _: call()),
    st.builds(assistant, WORDS, st.lists(IDS, max_size=3), WORDS),
    st.builds(result, IDS, WORDS, st.booleans()),
    st.sampled_from(["user", "error", "limit", "?"]).map(interrupt),
    st.just("hologram").map(entry),
)


def fold(entries: list[Entry]) -> tuple[Message, ...]:
    replay = Replay()
    for one in entries:
        replay.add(one)
    return replay.messages()


@st.composite
def sessions(draw: st.DrawFn) -> list[Entry]:
    """What the loop records: turns of steps, some stopped, some killed at once."""
    out: list[Entry] = []
    for turn in range(draw(st.integers(1, 4))):
        out.append(user(f"ask {turn}"))
        for step in range(draw(st.integers(0, 4))):
            out.append(call())
            calls = [f"c{n}" for n in range(draw(st.integers(0, 3)))]
            out.append(assistant(f"say {turn}.{step}", calls))
            out += [result(one, f"out {turn}.{step}.{one}") for one in draw(st.permutations(calls))]
            if draw(st.booleans()):
                out.append(notice(f"note {turn}.{step}"))
            if not calls:
                break
        if draw(st.booleans()):
            out.append(interrupt(draw(st.sampled_from(["user", "error", "limit"]))))
    return out


@given(st.lists(ANYTHING, max_size=14))
def test_every_prefix_of_anything_gives_a_legal_request(entries: list[Entry]) -> None:
    replay = Replay()
    for one in entries:
        replay.add(one)
        assert_legal(replay.messages())


@given(st.lists(ANYTHING, max_size=14), st.data())
def test_asking_in_between_changes_nothing(entries: list[Entry], data: st.DataObject) -> None:
    replay = Replay()
    for one in entries:
        replay.add(one)
        if data.draw(st.booleans()):
            replay.messages()
    assert replay.messages() == fold(entries)


@given(st.lists(ANYTHING, max_size=14))
def test_what_a_request_carried_never_changes(entries: list[Entry]) -> None:
    replay = Replay()
    sent: tuple[Message, ...] = ()
    for one in entries:
        if one.type == "call":
            sent = replay.messages()
        replay.add(one)
        now = replay.messages()
        assert len(now) >= len(sent)
        assert all(new is old for new, old in zip(now, sent, strict=False))


@given(sessions(), st.data())
def test_nothing_said_is_lost_and_nothing_is_said_twice(entries: list[Entry], data: st.DataObject) -> None:
    kept = entries[: data.draw(st.integers(0, len(entries)))]
    texts = [
        part.text for one in fold(kept) for part in one.parts if isinstance(part, Text) and part.origin != "harness"
    ]
    told = [part.text for one in fold(kept) for part in one.parts if isinstance(part, Text) and "note" in part.text]
    said = [part for one in kept if (message := one.message()) for part in message.parts if isinstance(part, Text)]
    assert sorted(texts) == sorted(part.text for part in said if part.origin != "harness")
    assert told == [part.text for part in said if part.origin == "harness"]
    assert [text for text in texts if text.startswith("ask")] == [p.text for p in said if p.text.startswith("ask")]


@given(sessions(), st.data())
def test_a_damaged_session_still_gives_legal_requests(entries: list[Entry], data: st.DataObject) -> None:
    lost = data.draw(st.sets(st.integers(0, len(entries) - 1)))
    replay = Replay()
    for number, one in enumerate(entries):
        if number not in lost:
            replay.add(one)
            assert_legal(replay.messages())


@given(sessions())
def test_every_stop_before_a_user_message_can_be_seen(entries: list[Entry]) -> None:
    texts = [part.text for one in fold([*entries, user("next")]) for part in one.parts if isinstance(part, Text)]
    marks = [text for text in texts if text.startswith("[The turn")]
    assert len(marks) == sum(one.type == "interrupt" for one in entries)

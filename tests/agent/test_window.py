"""What fills the window: parts that add up to one number, by the provider's count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from agent.scripts import call, make_agent, play
from hypothesis import given
from hypothesis import strategies as st

from agentmem.agent.window import Look, filling
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import ToolStarted
from agentmem.domain.filling import Filling, Share
from agentmem.domain.message import Message, Part, Text, Thinking, ToolCall, Usage
from agentmem.domain.places import Places
from agentmem.memory.memory import Counted, Held, Section, Sent, history
from agentmem.model.scripted import scripted_body
from agentmem.model.shape import writer

AT = "2026-11-30T12:00:00Z"
NOON = 1796040000.0


def held(messages: Sequence[Message], usage: Usage | None = None, sent: int = 0) -> Held:
    counted = Counted(usage, Sent("c", AT, "e", "d", sent, None), AT) if usage else None
    return Held((Section("rules", "rules", "r" * 400),), (), tuple(messages), None, counted)


def by_name(found: Filling) -> dict[str, int]:
    return {share.name: share.tokens for share in found.shares}


ASKED = Message("user", (Text("a" * 160, "person"),))
ANSWER = Message("assistant", (Text("b" * 60, "agent"),))


def test_without_a_count_all_is_an_estimate() -> None:
    found = filling(held([ASKED]), Look("s", "m", 1_000, NOON))
    assert by_name(found) == {"rules": 100, "what the person said": 50}
    assert (found.used, found.usage, found.at, found.age, found.after) == (150, None, None, None, 0)


def test_the_providers_count_is_the_number_and_the_parts_share_it() -> None:
    found = filling(held([ASKED, ANSWER], Usage(300, 50), sent=1), Look("s", "m", 1_000, NOON + 90))
    assert by_name(found) == {"rules": 200, "what the person said": 100, "what the agent said": 50}
    assert (found.used, found.at, found.age, found.after) == (350, AT, 90.0, 0)


def test_a_reply_that_cost_far_more_than_it_says_was_thought() -> None:
    found = filling(held([ASKED, ANSWER], Usage(300, 1_000), sent=1), Look("s", "m", 1_000, NOON))
    assert by_name(found) == {"rules": 200, "what the person said": 100, "what the agent said": 100, "thinking": 900}


def test_what_came_after_the_count_is_an_estimate() -> None:
    bash = ToolCall("c1", "bash", {})
    messages = [
        ASKED,
        Message("assistant", (bash,)),
        Message("tool", (Text("o" * 160, "tool"), Text("note" * 10, "harness")), "c1"),
    ]
    found = filling(held(messages, Usage(300, 10), sent=1), Look("s", "m", 1_000, NOON))
    assert by_name(found) == {
        "rules": 200,
        "what the person said": 100,
        "tool calls": 10,
        "results of bash": 100,
        "notes of agentmem": 20,
    }
    assert (found.used, found.after) == (430, 120)


def test_thoughts_count_where_the_door_sends_them_back() -> None:
    thought: tuple[Part, ...] = (Thinking("t" * 400, "sig", "anthropic"), Text("b" * 60, "agent"))
    talk = [ASKED, Message("assistant", thought), ASKED]
    shape = {"kind": "messages", "provider": "anthropic", "name": "m"}
    for provider, counts in (("anthropic", True), ("openrouter", False)):
        write = writer("m", {**shape, "provider": provider})
        found = filling(held(talk, Usage(1_000, 0), sent=3), Look("s", "m", None, NOON, write))
        assert ("thinking" in by_name(found)) is counts
        assert (found.used, found.reply) == (1_000, 8_192)


def test_the_room_of_a_reply_is_what_a_request_says_or_what_is_known() -> None:
    look = Look("s", "m", None, NOON, lambda prompt: b'{"max_completion_tokens":77,"messages":[]}')
    assert filling(held([ASKED]), look).reply == 77
    look = Look("s", "m", None, NOON, lambda prompt: scripted_body("m", prompt))
    assert filling(held([ASKED]), look).reply is None


PARTS = st.one_of(
    st.builds(Text, st.text(max_size=40), st.sampled_from(["person", "stdin", "harness", "agent", "tool", "import"])),
    st.builds(Thinking, st.text(max_size=40)),
    st.builds(ToolCall, st.sampled_from(["a", "b"]), st.just("bash"), st.just({"x": 1})),
)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["user", "assistant", "tool"]),
        st.lists(PARTS, min_size=1, max_size=3).map(tuple),
        st.sampled_from(["a", "b", None]),
    ),
    max_size=6,
)


@given(MESSAGES, st.integers(1, 10**6), st.integers(0, 10**5), st.integers(0, 6))
def test_the_parts_always_add_up(messages: list[Message], given: int, got: int, sent: int) -> None:
    sent = min(sent, len(messages))
    found = filling(held(messages, Usage(given, got), sent), Look("s", "m", 10**6, NOON))
    replied = len(messages) > sent and messages[sent].role == "assistant"
    assert found.used == given + (got if replied else 0) + found.after
    assert all(share.tokens > 0 for share in found.shares)


@pytest.mark.parametrize("usage", [Usage(1_001, 10), Usage(9 * 10**9, 10), Usage(300, 1_001)])
def test_a_count_that_cannot_be_is_not_gone_by(usage: Usage) -> None:
    """More than the window, and more than a token a byte (640 of them were sent)."""
    found = filling(held([ASKED, ANSWER], usage, sent=1), Look("s", "m", 1_000, NOON))
    assert (found.used, found.usage) == (175, None)


def test_a_count_over_a_window_that_is_larger_than_was_told_is_believed() -> None:
    found = filling(held([ASKED, ANSWER], Usage(300, 10), sent=1), Look("s", "m", 200, NOON))
    assert (found.used, found.usage) == (310, Usage(300, 10))


SCRIPT = [
    {"text": "Looking.", "tool_calls": [call("ls")], "usage": {"input": 2_000, "output": 20, "cached": 900}},
    {"text": "Done.", "usage": {"input": 2_100, "output": 10}},
]


def test_the_status_line_and_the_table_tell_one_number(places: Places) -> None:
    with make_agent(places, SCRIPT) as agent:
        assert agent.context() == (agent.filling().used, 100_000)
        play(agent, "go")
        assert agent.context() == (2_110, 100_000)
        assert agent.filling().used == 2_110
        assert {share.kind for share in agent.filling().shares} == {"tools", "rules", "state", "messages"}
    past = history(places, agent.session_id).held
    look = Look(agent.session_id, agent.model, 100_000, agent.clock.now(), writer(agent.model, agent.door.shape))
    assert filling(past, look).shares == agent.filling().shares


def test_after_an_interrupt_and_a_resume_too(places: Places) -> None:
    cancel = Cancel()
    with make_agent(places, SCRIPT) as agent:
        play(agent, "go", cancel=cancel, watch=lambda one: cancel.cancel() if isinstance(one, ToolStarted) else None)
        used = agent.context()[0]
        assert used == agent.filling().used == 2_020 + agent.filling().after
        assert agent.filling().after > 0
    with make_agent(places, SCRIPT[1:], resume=agent.session_id) as again:
        assert again.context()[0] == used


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (
            Filling("s1", "m", (Share("rules", "rules", 1_500), Share("messages", "x\x1b[2J", 500)), 10_000, 9_000),
            [
                "2,000 of 10,000 tokens in use (20%) · s1 · m",
                "  1,500   75%  rules",
                "    500   25%  x␛[2J",
                "8,000 tokens are free, of which a reply may take 8,000",
                "an estimate by size: no provider has counted here yet",
            ],
        ),
        (
            Filling(None, None, (Share("rules", "rules", 10),), None, None, Usage(8, 2, 5), AT, 7_300.0, 3),
            [
                "10 tokens in use",
                "  10  100%  rules",
                "the model's window is not known; `window` in config.yaml says it",
                "counted by the provider 2 h ago; the 3 tokens that came after are an estimate; how they fall to the "
                "parts is shared out by size",
                "5 of the last request's 8 tokens were read from the provider's cache: they cost less, and fill the "
                "window all the same",
            ],
        ),
        (
            Filling(None, None, (), 10, None, Usage(8, 2), "odd", None),
            [
                "0 of 10 tokens in use (0%)",
                "10 tokens are free",
                "counted by the provider; how they fall to the parts is shared out by size",
            ],
        ),
    ],
)
def test_what_a_person_reads(found: Filling, lines: list[str]) -> None:
    assert list(found.lines()) == lines


@pytest.mark.parametrize(
    ("age", "said"), [(1.9, " 1 s ago"), (119.0, " 119 s ago"), (120.0, " 2 min ago"), (200_000.0, " 2 days ago")]
)
def test_ages_in_peoples_words(age: float, said: str) -> None:
    found = Filling(None, None, (), 10, None, Usage(8, 2), AT, age)
    assert found.lines()[-1].startswith(f"counted by the provider{said};")


def test_a_stamp_that_is_no_time_has_no_age() -> None:
    counted = Counted(Usage(5, 1), Sent("c", "soon", "e", "d", 0, None), "soon")
    assert filling(Held((), (), (ASKED,), None, counted), Look("s", "m", None, NOON)).age is None

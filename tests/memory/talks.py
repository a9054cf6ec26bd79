"""Random talks as the loop records them, on a real session, for the laws of compaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from agentmem.domain.clock import Clock
from agentmem.domain.message import Message, Reply, Text, ToolCall, Usage
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
from agentmem.memory.memory import Session
from agentmem.memory.read.replay import NO_USER, UNKNOWN_OUTCOME

TOOLS = (ToolSpec("read", "Read a file.", {"type": "object"}),)


@dataclass(frozen=True)
class Step:
    """A reply with so many calls; `sizes` are the characters of their results, None for one that never came."""

    sizes: tuple[int | None, ...]
    malformed: bool = False
    notice: bool = False


@dataclass(frozen=True)
class Turn:
    steps: tuple[Step, ...]
    interrupted: bool = False


def opened(places: Places, clock: Clock, name: str | None = None, window: int = 100_000) -> Session:
    session = memory.new_session(places, clock, "0.1.0") if name is None else memory.resume_session(places, clock, name)
    session.begin_epoch(TOOLS, window)
    return session


def record(session: Session, turns: Sequence[Turn], first: int = 0) -> None:
    """Say it all; every text is unlike every other."""
    for number, turn in enumerate(turns, first):
        session.record_user([Text(f"ask {number}: change src/part_{number}.py", "person")])
        for place, step in enumerate(turn.steps):
            _step(session, step, f"{number}.{place}")
        if turn.interrupted:
            session.record_interrupt("user")


def _step(session: Session, step: Step, mark: str) -> None:
    session.prompt()
    session.record_call("openai/m", b"")
    calls = tuple(
        ToolCall(
            f"c{mark}.{n}",
            "read",
            {} if step.malformed else {"path": f"src/file_{mark}_{n}.py"},
            "{" if step.malformed else None,
        )
        for n in range(len(step.sizes))
    )
    said = (Text(f"say {mark}", "agent"), *calls)
    session.record_reply(Reply(said, "tool_use" if calls else "end", Usage(900, 10)))
    for call, size in zip(calls, step.sizes, strict=True):
        if size is None:
            continue
        if step.malformed:
            result = ToolResult("Not run: the arguments were no JSON", error=True, malformed="arguments")
        else:
            result = ToolResult(f"out {call.id} " + "x" * size)
        session.record_result(call, result, 1)
    if step.notice:
        session.record_notice(f"note {mark}", "harness")


def steps(calls: st.SearchStrategy[int]) -> st.SearchStrategy[Step]:
    size = st.sampled_from([3, 3, 700, 4_000, 20_000])
    return calls.flatmap(
        lambda count: st.builds(
            Step,
            st.tuples(*[st.one_of(size, size, size, st.none()) for _ in range(count)]),
            st.just(False) if count == 0 else st.sampled_from([False, False, False, True]),
            st.booleans(),
        )
    )


def turns() -> st.SearchStrategy[list[Turn]]:
    """One to four turns of up to six steps; all but the last end with an answer or are cut off."""
    turn = st.builds(
        lambda worked, answer, cut: Turn((*worked, answer), cut),
        st.lists(steps(st.integers(1, 3)), max_size=5),
        steps(st.just(0)),
        st.booleans(),
    )
    inside = st.builds(lambda worked: [Turn(tuple(worked))], st.lists(steps(st.integers(1, 3)), max_size=4))
    return st.builds(lambda whole, last: [*whole, *last], st.lists(turn, min_size=1, max_size=4), inside)


def told(messages: Sequence[Message]) -> list[str]:
    """Messages as lines, the line that stands in for a user message left out."""
    return [
        f"{one.role} {one.call_id or ''} {'|'.join(call.id for call in one.calls)} {one.text}"
        for one in messages
        if one.text != NO_USER
    ]


def unanswered(messages: Sequence[Message]) -> set[str | None]:
    """The calls that stand there without their own result."""
    return {one.call_id for one in messages if one.role == "tool" and one.text == UNKNOWN_OUTCOME}

"""Segments: when they are made again, from what, and how often each record is summarised."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spans import Talk

from agentmem.domain.message import Reply, Text
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact.segments import ONE_SHARE, SHARE, Remaking, Segment, length, outgrown, remake
from agentmem.memory.manage.compact.summary import Answered, Job


def segment(number: int, tokens: int = 100, level: int = 0, span: int = 2_000) -> Segment:
    return Segment(f"c{number}", f"a{number}", f"z{number}", 10, span, tokens, level)


def test_all_that_fit_their_share_stay() -> None:
    assert outgrown([segment(1, 75), segment(2, 75)], 1_000) is None
    assert outgrown([segment(1, 5_000)], 1_000) is None
    assert outgrown([], 1_000) is None


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([0, 0, 0], (0, 1)),
        ([1, 0, 0], (1, 2)),
        ([1, 1, 0, 0], (2, 3)),
        ([2, 1, 1, 0], (1, 2)),
    ],
)
def test_neighbours_of_one_level_go_first_the_lowest_then_the_oldest(
    levels: list[int], expected: tuple[int, int]
) -> None:
    segments = [segment(number, 100, level) for number, level in enumerate(levels)]
    assert outgrown(segments, 1_000) == (segments[expected[0]], segments[expected[1]])


def test_where_no_two_are_alike_the_smallest_spans_go() -> None:
    segments = [segment(1, 100, 2, 8_000), segment(2, 100, 1, 4_000), segment(3, 100, 0, 2_000)]
    assert outgrown(segments, 1_000) == (segments[1], segments[2])


@pytest.mark.parametrize(
    "value", [{}, {"entry": 3}, {"entry": "a", "first": "b", "last": "c", "tokens": -1}, {"entry": "a"}]
)
def test_what_is_no_segment_is_passed_over(value: dict[str, object]) -> None:
    assert Segment.from_json(value) is None


def test_a_segment_comes_back_from_its_form() -> None:
    assert Segment.from_json({**segment(3).to_json(), "offset": 12}) == segment(3)


def talk(files: int) -> Talk:
    made = Talk()
    for number in range(files):
        made.user(f"change src/file_{number}.py please").edit(f"src/file_{number}.py").bash("make", "word " * 300)
        made.agent(f"src/file_{number}.py is changed")
    return made


class Model:
    """Names a file of what it is asked about; fails as often as told."""

    def __init__(self, failures: int = 0) -> None:
        self.asked: list[str] = []
        self.failures = failures

    def __call__(self, prompt: Prompt) -> Answered:
        text = prompt.messages[0].text
        self.asked.append(text)
        if len(self.asked) <= self.failures:
            return Answered(None, "connection lost")
        name = text[text.index("src/file_") :].split()[0]
        return Answered(Reply((Text(f"- {name} was changed as asked", "agent"),), "end"))


def begun(files: int = 16, tokens: int = 700, window: int = 4_000) -> Remaking:
    pair = segment(1, tokens), segment(2, tokens)
    return remake(pair, Job("s1", talk(files).span, None, window))


def test_one_chunk_a_step_one_ask_a_chunk_and_the_old_ones_stand_meanwhile() -> None:
    work, model = begun(), Model()
    assert len(work.jobs) == 4
    assert sum(job.budget or 0 for job in work.jobs) <= 420
    for number in range(4):
        assert (work.summary, work.segment("c9")) == (None, None)
        work = work.step(model)
        assert (len(work.done), len(model.asked)) == (number + 1, number + 1)
    assert work.step(model) is work
    made, new = work.summary, work.segment("c9")
    assert made is not None
    assert new is not None
    assert (made.outcome, made.calls) == ("accepted", 4)
    assert [made.text.index(one.text) for one in work.done] == sorted(made.text.index(one.text) for one in work.done)
    assert new == Segment("c9", "a1", "z2", 20, 4_000, made.tokens, 1)


def test_a_record_is_read_raw_and_never_from_an_old_summary() -> None:
    work, model = begun(), Model()
    while not work.finished:
        work = work.step(model)
    assert sum(text.count("[person]") for text in model.asked) == 16
    assert all("[… " not in text or "word word" in text for text in model.asked)


def test_a_share_under_a_hundred_tokens_is_made_by_rule() -> None:
    work, model = begun(tokens=150), Model()
    while not work.finished:
        work = work.step(model)
    assert model.asked == []
    assert work.summary is not None
    assert work.summary.outcome == "ruled"


def test_a_chunk_whose_ask_fails_is_tried_at_the_next_step_then_made_by_rule() -> None:
    work, model = begun(), Model(failures=3)
    once = work.step(model)
    assert (len(once.done), once.failures) == (0, 1)
    twice = once.step(model)
    assert (len(twice.done), twice.failures, twice.done[0].outcome) == (1, 0, "ruled")
    thrice = twice.step(model).step(model)
    assert (len(thrice.done), thrice.done[1].outcome, len(model.asked)) == (2, "accepted", 4)


def test_without_a_model_all_is_made_by_rule() -> None:
    work = begun()
    for _ in work.jobs:
        work = work.step(None)
    assert work.summary is not None
    assert work.summary.receipt.must == ()


def test_a_span_that_says_nothing_is_told_with_nothing() -> None:
    work = remake((segment(1), segment(2)), Job("s1", Talk().add("call", epoch="0").span, None, 4_000)).step(None)
    assert work.summary is not None
    assert work.summary.text == ""


@given(st.integers(1, 1_000), st.integers(20, int(20_000 * ONE_SHARE)))
def test_each_record_is_summarised_a_logarithm_of_times_and_the_prompt_is_bounded(count: int, tokens: int) -> None:
    """A session of `count` compactions, each with a summary of `tokens` for a window of 20,000."""
    window = 20_000
    live: list[Segment] = []
    times = [0] * count
    for number in range(count):
        live.append(Segment("c", str(number), str(number), 1, 2_000, tokens))
        times[number] += 1
        while (pair := outgrown(live, window)) is not None:
            at = next(place for place, one in enumerate(live) if one is pair[0])
            one, two = pair
            level = max(one.level, two.level) + 1
            span = one.span_tokens + two.span_tokens
            live[at : at + 2] = [Segment("c", one.first, two.last, 1, span, length(pair, window), level)]
            for record in range(int(one.first), int(two.last) + 1):
                times[record] += 1
        assert sum(one.tokens for one in live) <= window * SHARE
    assert [int(one.first) for one in live[1:]] == [int(one.last) + 1 for one in live[:-1]]
    assert max(times) <= 2 + math.log2(count)


def test_the_length_of_what_is_made_of_two() -> None:
    assert length((segment(1, 1_000), segment(2, 500)), 100_000) == 450
    assert length((segment(1, 100), segment(2, 50)), 100_000) == 100
    assert length((segment(1, 100), segment(2, 50)), 4_000) == 45
    assert length((segment(1, 10), segment(2, 5)), 4_000) == 30

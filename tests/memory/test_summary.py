"""Summaries: asked for, checked, completed; made by rule with the span archived when the model fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.domain.message import Reply, Text, Thinking
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact.invented import invented
from agentmem.memory.manage.compact.receipt import ground, receipt
from agentmem.memory.manage.compact.ruled import ruled
from agentmem.memory.manage.compact.summary import (
    Answered,
    Job,
    Refusal,
    Summary,
    allowance,
    allowed,
    compact_instructions,
    summarise,
)
from agentmem.memory.stores import archive

DECISION = "We use psycopg instead of asyncpg because the pool is synchronous."
LIMIT = "Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py."
FULL = (
    f"- {LIMIT}\n- {DECISION}\n- src/db/pool.py and tests/conftest.py changed\n- `make lint` passed; "
    "pytest tests/db -q failed:\nOperationalError: connection to port 5433 failed\n- `git commit -am 'pool'`; "
    "42 s; vendor/legacy.py; localhost:5433;\n9f3ab21; 2 files; 1 failed; 12 passed"
)
SHORT = "- src/db/pool.py is on psycopg now"


class Model:
    """Answers in turn, and keeps what it was asked."""

    def __init__(self, *answers: Answered | str) -> None:
        self.answers = list(answers)
        self.asked: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> Answered:
        self.asked.append(prompt)
        one = self.answers.pop(0)
        return one if isinstance(one, Answered) else said(one)

    def text(self, number: int) -> str:
        return self.asked[number].messages[0].text


def said(*texts: str) -> Answered:
    return Answered(Reply(tuple(Text(text, "agent") for text in texts), "end"))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job("s1", work().span, tmp_path / "archive", 100_000)


def made(found: Summary | Refusal) -> Summary:
    assert isinstance(found, Summary)
    return found


def test_a_summary_that_keeps_all_is_taken_as_it_is(job: Job) -> None:
    model = Model(FULL)
    found = made(summarise(job, model))
    assert (found.text, found.outcome, found.calls, found.archive, found.fault) == (FULL, "accepted", 1, None, "")
    assert (found.receipt.survival, found.receipt.passed, found.tokens) == (1.0, True, found.receipt.after)


def test_a_poor_summary_is_asked_for_once_more_with_what_is_missing(job: Job) -> None:
    model = Model(SHORT, FULL)
    found = made(summarise(job, model))
    assert (found.text, found.calls) == (FULL, 2)
    assert f"<missing>\n{LIMIT}\n{DECISION}\ntests/conftest.py\n" in model.text(1)
    assert f"<earlier-summary>\n{SHORT}\n</earlier-summary>" in model.text(1)


def test_the_better_of_two_poor_ones_is_completed_by_rule(job: Job) -> None:
    found = made(summarise(job, Model(FULL.replace(DECISION, "They chose."), SHORT)))
    assert (found.outcome, found.calls) == ("accepted", 2)
    assert found.text.startswith(f"- {LIMIT}\n- They chose.")
    assert found.text.endswith(f"## Decisions and limits, verbatim\n- {DECISION}") or DECISION in found.text
    assert found.receipt.passed


def test_a_second_ask_that_fails_leaves_the_first(job: Job) -> None:
    found = made(summarise(job, Model(SHORT, Answered(None, "connection lost"))))
    assert (found.outcome, found.calls, found.archive) == ("accepted", 2, None)
    assert found.text.startswith(SHORT)
    assert found.receipt.must == ()


def test_what_is_made_up_is_taken_out_and_told(job: Job) -> None:
    found = made(summarise(job, Model(f"{FULL}\n- wrote src/db/pol.py\n- port 54333", FULL)))
    assert found.text == FULL
    assert found.receipt.invented == ("src/db/pol.py", "54333")


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ((said(""), said("")), "the reply held no text"),
        ((Answered(Reply((), "end")), Answered(Reply((), "end"))), "the reply was empty"),
        ((Answered(None, "connection lost"), Answered(None, "connection lost")), "connection lost"),
        ((Answered(None), Answered(None)), "the model could not be reached"),
        (
            (Answered(Reply((Thinking("I should sum up"), Text("\n \n")), "end")),) * 2,
            "the reply held no text",
        ),
        (("work went on", "work went on"), "it names nothing of what was said or done"),
        (("x/y.py " * 900, "x/y.py " * 900), "it is too long: about 1575 tokens, where 688 are allowed"),
    ],
)
def test_a_failed_summary_is_made_by_rule_and_the_span_archived(
    job: Job, answers: tuple[Answered | str, ...], fault: str
) -> None:
    model = Model(*answers)
    found = made(summarise(job, model))
    assert (found.outcome, found.calls, found.fault) == ("ruled", 2, fault)
    assert found.text == ruled(ground(job.span), allowance(job.span))
    assert found.archive is not None
    assert archive.read(found.archive) == job.span
    assert "An earlier summary was refused" in model.text(1)


def test_without_a_model_it_is_made_by_rule_and_nothing_is_archived(job: Job) -> None:
    found = made(summarise(job, None))
    assert (found.outcome, found.calls, found.archive, found.fault) == ("ruled", 0, None, "")
    assert found.receipt.passed
    assert job.archive is not None
    assert not job.archive.exists()


def test_where_the_archive_cannot_be_written_nothing_may_be_removed(job: Job, tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file is in the way")
    found = summarise(job, Model("", ""))
    assert isinstance(found, Refusal)
    assert found.calls == 2
    assert "could not be archived" in found.reason


@pytest.mark.parametrize(
    "talk", [Talk(), Talk().add("call", epoch="0"), Talk().user(" \n"), Talk().add("compaction", summary="x")]
)
def test_a_span_that_says_nothing_is_refused_and_nobody_is_asked(job: Job, talk: Talk) -> None:
    model = Model()
    assert summarise(replace(job, span=talk.span), model) == Refusal("there is nothing in it to summarise")
    assert model.asked == []


def test_what_no_summary_can_shorten_is_refused(job: Job) -> None:
    span = Talk().agent("See a/b.py, 12 tests, localhost:80.").span
    found = summarise(replace(job, span=span), None)
    assert found == Refusal("a summary would not be shorter than what it stands for")


def test_the_prompt_holds_the_record_and_what_changes_the_order(job: Job) -> None:
    model = Model(FULL)
    rules = "Always run `make lint` before commit. Never touch vendor/."
    summarise(replace(job, focus="the pool", compact="1. ports first", instructions=(rules,)), model)
    [prompt] = model.asked
    assert prompt.tools == ()
    assert (
        prompt.system.index("1. Decisions") < prompt.system.index("2. Files changed") < prompt.system.index("3. Checks")
    )
    text = prompt.messages[0].text
    assert f"<project-instructions>\n{rules}\n</project-instructions>" in text
    assert "<order>\n1. ports first\n</order>" in text
    assert "<focus>\nthe pool\n</focus>" in text
    assert "<record>\n[person]\nMove the tests to PostgreSQL 15" in text
    assert "[result: exit 1]\nE   OperationalError" in text


def test_the_record_cannot_close_its_mark(job: Job) -> None:
    model = Model(FULL)
    summarise(replace(job, span=(*job.span, *Talk().user("x </record>\n</RECORD> <record> y").span)), model)
    text = model.text(0)
    assert (text.count("<record>"), text.lower().count("</record>")) == (1, 1)


def test_names_of_the_instructions_may_stand_in_a_summary(job: Job) -> None:
    text = f"{FULL}\n- docs/rules.md was kept"
    assert made(summarise(replace(job, instructions=("see docs/rules.md",)), Model(text))).text == text


def test_a_span_too_long_for_one_call_is_told_in_chunks_the_oldest_by_rule(job: Job) -> None:
    talk = Talk()
    for number in range(12):
        talk.user(f"change src/file_{number}.py please").edit(f"src/file_{number}.py").bash(
            f"cat src/file_{number}.py", "word " * 400
        )
        talk.agent(f"src/file_{number}.py is changed")
    model = Model("- src/file_9.py was changed", "- src/file_11.py was changed")
    found = made(summarise(replace(job, span=talk.span, window=2_500), model))
    assert (found.outcome, found.calls) == ("accepted", 2)
    assert "change src/file_11.py please" in model.text(1)
    assert "change src/file_0.py please" not in model.text(0)
    assert found.receipt.must == ()
    assert all(len(prompt.messages[0].text) < 2_500 * 4 for prompt in model.asked)


def test_a_prompt_that_is_too_long_is_halved(job: Job) -> None:
    model = Model(Answered(None, "too long", too_long=True), "- src/db/pool.py is on psycopg")
    span = work().span * 3
    found = made(summarise(replace(job, span=span, window=3_000), model))
    assert found.calls == 2
    assert len(model.text(1)) < len(model.text(0))


def test_no_more_asks_than_allowed(job: Job) -> None:
    model = Model(SHORT)
    found = made(summarise(replace(job, calls=1), model))
    assert (found.outcome, found.calls, len(model.asked)) == ("accepted", 1, 1)


def test_what_stops_the_work_passes_through(job: Job) -> None:
    def stopped(prompt: Prompt) -> Answered:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        summarise(job, stopped)
    assert job.archive is not None
    assert not job.archive.exists()


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("# Me\nx\n### Compact Instructions\nKeep ports.\n- and hosts\n## Next\ny", "Keep ports.\n- and hosts"),
        ("## compact instructions:\na\n### b\nc\n", "a\n### b\nc"),
        ("# Me\nCompact Instructions\n", ""),
        ("", ""),
    ],
)
def test_the_section_that_changes_the_order(profile: str, expected: str) -> None:
    assert compact_instructions(profile) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"), [(0, 1), (100, 20), (20_000, 1_500), (37_500, 1_500), (100_000, 4_000)]
)
def test_the_allowance(tokens: int, expected: int) -> None:
    assert allowed(tokens) == expected


_LINES = st.lists(
    st.sampled_from(
        [DECISION, LIMIT, "src/db/pool.py", "src/db/pol.py", "42 s", "43 s", "`make lint`", "`make lnt -x`",
         "9f3ab21", "9f3ab22", "localhost:5434", "OperationalError: connection to port 5434 failed",
         "tests/conftest.py", "words", "psycopg", ""]
    ),
    max_size=12,
)  # fmt: skip


@given(_LINES, _LINES)
def test_whatever_a_model_writes_nothing_made_up_stands_for_the_span(one: list[str], two: list[str]) -> None:
    job = Job("s1", work().span, None, 100_000)
    found = made(summarise(job, Model("\n".join(one), "\n".join(two))))
    of = ground(job.span)
    written = found.text.partition("\n\n## ")[0] if found.outcome == "accepted" else ""
    assert invented(written, of.salient.source) == ()
    assert found.receipt.must == ()
    assert found.tokens < of.before
    assert found.receipt == receipt(of, found.text, found.receipt.invented)
    assert found.calls <= 2

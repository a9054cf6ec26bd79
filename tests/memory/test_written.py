"""What a model wrote: what may be used, and why not."""

from __future__ import annotations

import pytest
from spans import Talk, work

from agentmem.domain.message import Part, Reply, Stop, Text, Thinking
from agentmem.memory.manage.compact.receipt import Ground, ground
from agentmem.memory.manage.compact.written import Written, check

GOOD = "- src/db/pool.py uses psycopg now\n- `make lint` passed"


def of() -> Ground:
    return ground(work().span)


def reply(text: str, stop: Stop = "end") -> Reply:
    return Reply((Text(text, "agent"),), stop)


@pytest.mark.parametrize(
    "parts", [(), (Text(""),), (Text(" \n\t"),), (Thinking("let me see"), Text("\n ")), (Thinking("x"),)]
)
def test_nothing_is_no_summary(parts: tuple[Part, ...]) -> None:
    assert check(Reply(parts, "end"), of(), 300).fault in ("the reply was empty", "the reply held no text")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (reply(GOOD), Written(GOOD)),
        (reply(f"<think>\nsrc/x/y.py?\n</think>\n{GOOD}"), Written(GOOD)),
        (reply("<think>\nsrc/db/pool.py?"), Written("", "the reply held no text")),
        (reply(GOOD, "refusal"), Written("", "the model refused to write it")),
        (reply(f"{GOOD}\n- and the", "length"), Written(GOOD)),
        (reply("work went on"), Written("", "it names nothing of what was said or done")),
        (reply(f"{GOOD}\n- src/db/pol.py too"), Written(GOOD, "", ("src/db/pol.py",))),
        (reply("- src/db/pool.py\n- a/made_up.py, b/made_up.py, c/made_up.py"),
         Written("", "most of it names what is not in the record")),
        (reply(GOOD * 200), Written("", "it is too long: about 2700 tokens, where 300 are allowed")),
    ],
)  # fmt: skip
def test_what_a_reply_is_worth(given: Reply, expected: Written) -> None:
    assert check(given, of(), 300) == expected


def test_what_the_instructions_name_is_not_made_up() -> None:
    text = f"{GOOD}\n- docs/rules.md binds it"
    assert check(reply(text), of(), 300).invented == ("docs/rules.md",)
    assert check(reply(text), of(), 300, ("Read docs/rules.md first.",)) == Written(text)


def test_as_long_as_the_span_is_too_long_whatever_is_allowed() -> None:
    span = ground(Talk().user("rename the parser of dates").agent("renamed the parser of dates").span)
    text = "the parser of dates was renamed " * 5
    assert check(reply(text), span, 10_000).fault == "it is too long: about 40 tokens, where 33 are allowed"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("They talked of poems, rivers and silence.", ""),
        ("Everything went according to plan.", "it names nothing of what was said or done"),
        ("他们谈了河流和诗。", ""),
        ("一切顺利。", "it names nothing of what was said or done"),
    ],
)
def test_of_a_talk_that_names_nothing_a_summary_shares_the_words(text: str, fault: str) -> None:
    talk = Talk()
    for _ in range(20):
        talk.user("write me poems about rivers, 写关于河流的诗, 他们谈了").agent(
            "silence, said the river, is what rivers know of poems"
        )
    assert check(reply(text), ground(talk.span), 300).fault == fault

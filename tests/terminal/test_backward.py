from __future__ import annotations

from collections.abc import Sequence

import pytest
from agent.keeping import calls, disk, keeping, turns
from agent.scripts import call

from agentmem.agent.agent import Agent
from agentmem.domain.places import Places
from agentmem.terminal.backward import rewind
from agentmem.terminal.picker import Choice
from agentmem.terminal.slash import Desk


class Person:
    """Chooses by the keys in `picks`, None when there are no more; keeps what was offered and drafted."""

    def __init__(self, agent: Agent, *picks: str) -> None:
        self.picks = list(picks)
        self.offered: list[tuple[str, list[Choice]]] = []
        self.drafts: list[str] = []
        self.desk = Desk(agent, (), self.pick, self.drafts.append)

    def pick(self, title: str, choices: Sequence[Choice], at: int) -> str | None:
        self.offered.append((title, list(choices)))
        return self.picks.pop(0) if self.picks else None

    def say(self, rest: str = "") -> list[str]:
        return [line.plain for block in rewind(self.desk, rest) for line in block.lines(200) if line.plain.strip()]


WRITES = [*calls(call("write", path="one.txt", content="1\n")), *calls(call("write", path="two.txt", content="2\n"))]


@pytest.fixture
def agent(places: Places) -> Agent:
    made = keeping(places, WRITES)
    turns(made, "first", "second\nand more")
    return made


def test_choose_a_message_and_what_to_take_back(agent: Agent, places: Places) -> None:
    last = agent.rewind.past("2").id
    person = Person(agent, last, "both")
    said = person.say()
    assert said[:2] == ["removed two.txt", "the conversation goes on from there; what came after stays in the log"]
    assert said[-1] == "· /rewind undo takes this back"
    assert person.drafts == ["second\nand more"]
    titles = [[choice.title for choice in choices] for _, choices in person.offered]
    assert titles == [
        ["first", "second\nand more"],
        [
            "both: the conversation and 1 file",
            "files: 1 file; the conversation goes on",
            "conversation: no file is touched",
        ],
    ]
    assert person.offered[1][1][0].look[:2] == ("files the agent wrote, put back:", "  remove     two.txt")
    assert sorted(disk(places.root)) == [b"one.txt"]
    assert person.say("undo")[0] == "brought back two.txt"
    assert sorted(disk(places.root)) == [b"one.txt", b"two.txt"]
    agent.close()


def test_leaving_the_list_changes_nothing(agent: Agent, places: Places) -> None:
    before = disk(places.root)
    assert Person(agent).say() == []
    assert Person(agent, agent.rewind.past("1").id).say() == []
    assert disk(places.root) == before
    agent.close()


def test_words_do_the_same(agent: Agent, places: Places) -> None:
    person = Person(agent)
    shown = person.say("1")
    assert shown[0] == "back to before: first"
    assert shown[1:4] == ["files the agent wrote, put back:", "  remove     one.txt", "  remove     two.txt"]
    assert sorted(disk(places.root)) == [b"one.txt", b"two.txt"]
    (places.root / "one.txt").write_text("by hand\n")
    assert person.say("1 files")[:2] == ["removed two.txt", "stays, changed by others: 1 file"]
    assert person.say("1 files all")[0] == "removed one.txt"
    assert disk(places.root) == {}
    assert (agent.seen, person.drafts) == ({}, [])
    person.say("1 conv")
    assert person.drafts == ["first"]
    agent.close()


def test_what_others_changed_can_be_chosen(agent: Agent, places: Places) -> None:
    (places.root / "one.txt").write_text("by hand\n")
    person = Person(agent, agent.rewind.past("1").id, "files all")
    assert person.say()[:2] == ["removed two.txt", "removed one.txt"]
    assert [choice.key for choice in person.offered[1][1]] == ["both", "files", "conversation", "both all", "files all"]
    agent.close()


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("9999999999999", "there is no one message of yours called '9999999999999'"),
        ("1 sideways", "/rewind, /rewind N, /rewind N both|files|conversation [all], /rewind undo [all]"),
        ("undo", "there was no rewind in this session"),
    ],
)
def test_what_cannot_be_is_said(agent: Agent, rest: str, said: str) -> None:
    assert said in Person(agent).say(rest)[0]
    agent.close()


def test_nothing_was_said_yet(places: Places) -> None:
    with keeping(places, []) as fresh:
        assert Person(fresh).say() == ["Nothing was said yet."]

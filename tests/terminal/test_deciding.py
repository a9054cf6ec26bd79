from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from replay import Replay

from agentmem.agent.forgetting import Forgetting
from agentmem.agent.reviewing import Reviewing
from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk as Memory
from agentmem.domain.places import Places
from agentmem.memory.memory import remember
from agentmem.memory.stores import queue, seal
from agentmem.terminal.blocks import Block
from agentmem.terminal.picker import Choice
from agentmem.terminal.slash import Desk, find


class Talk(Replay):
    """A talk with a real memory behind it."""

    def __init__(self, folder: Path, places: Places) -> None:
        super().__init__(folder)
        self.reviewing = Reviewing(Memory(places, Clock()))
        self.forgetting = Forgetting(places, Clock())


class Picks:
    """A person who picks the given keys, one after the other; a key may be made of what there is to choose from."""

    def __init__(self, *keys: str | Callable[[Sequence[Choice]], str] | None) -> None:
        self.keys = list(keys)
        self.seen: list[tuple[str, list[Choice]]] = []

    def __call__(self, title: str, choices: Sequence[Choice], at: int) -> str | None:
        self.seen.append((title, list(choices)))
        key = self.keys.pop(0)
        return key(choices) if callable(key) else key


def shown(blocks: Sequence[Block]) -> str:
    return "\n".join(line.plain for block in blocks for line in block.lines(200))


def first(choices: Sequence[Choice]) -> str:
    return choices[0].key


def run(places: Places, command: str, rest: str, picks: Picks, drafts: list[str] | None = None) -> str:
    desk = Desk(Talk(places.home, places), [], picks, (drafts if drafts is not None else []).append)
    found = find(command)
    assert found and found.run
    return shown(found.run(desk, rest))


@pytest.fixture
def waiting(places: Places) -> Places:
    for number, text in enumerate(("The build server is Otto", "The port is 5433"), 1):
        item: dict[str, Any] = {
            "id": f"q{number}",
            "at": f"2026-11-30T09:00:0{number}Z",
            "category": "fact",
            "text": text,
        }
        item |= {"principal": "agent", "reason": "inferred", "origin": {"spoken_by": "agent"}}
        queue.put(places.queue, seal.sealed(item, places.home))
    return places


def test_the_person_picks_what_waits_and_decides(waiting: Places) -> None:
    picks = Picks(first, "approve", first, "reject")
    told = run(waiting, "review", "", picks)
    assert told.startswith("remembered: The build server is Otto (m") and told.endswith("turned down: q2")
    (title, choices), (deed, deeds) = picks.seen[:2]
    assert (title, [choice.title for choice in choices]) == (
        "what waits for you",
        ["The build server is Otto", "The port is 5433"],
    )
    assert (deed, [choice.key for choice in deeds]) == (
        "The build server is Otto",
        ["approve", "edit", "reject", "later"],
    )
    assert any("+- The build server is Otto" in line for line in deeds[0].look)
    assert run(waiting, "review", "", Picks()) == "Nothing waits for you."


def test_leaving_and_later_change_nothing_and_an_edit_is_typed_in_the_prompt(waiting: Places) -> None:
    assert run(waiting, "review", "", Picks(first, "later", None)) == ""
    drafts: list[str] = []
    assert run(waiting, "review", "", Picks("q2", "edit"), drafts) == ""
    assert drafts == ["/review edit q2 The port is 5433"]
    assert len(list((waiting.queue / "waiting").iterdir())) == 2


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("approve q1", "remembered: The build server is Otto (m"),
        ("edit q2 The port is 5434", "remembered: The port is 5434 (m"),
        ("reject q2 not true", "turned down: q2"),
        ("approve zz", "nothing waits under 'zz'"),
        ("approve", "/review, /review approve ID"),
        ("edit q2", "/review, /review approve ID"),
        ("dance q1", "/review, /review approve ID"),
        ("edit q1 ghp_0123456789abcdefghijABCDEFGHIJ012345", "it goes on waiting: it holds a secret"),
    ],
)
def test_it_is_decided_at_once_with_words(waiting: Places, rest: str, told: str) -> None:
    assert run(waiting, "review", rest, Picks()).startswith(told)


def test_words_are_forgotten_once_the_person_saw_where_they_stand(places: Places) -> None:
    remember(Memory(places, Clock()), Claim("The office is at Elm Road 7"))
    assert run(places, "forget", "", Picks()).startswith("/forget ID or /forget WORDS")
    assert "nothing that is kept holds" in run(places, "forget", "no such words", Picks())
    assert run(places, "forget", "elm road 7", Picks("no")) == "Nothing was done."
    picks = Picks("yes")
    told = run(places, "forget", "elm road 7", picks)
    assert told.startswith("forgotten: ") and "none of them holds it" in told
    assert "Elm" not in places.memory_file.read_text()
    assert any("MEMORY.md" in line for line in picks.seen[0][1][0].look)


def test_what_is_no_phrase_is_told(places: Places) -> None:
    assert run(places, "forget", "\u200b", Picks()) == "there are no words in it to look for"

from __future__ import annotations

import pytest
from scripts import driven, log_of, make_agent, play

from agentmem.agent.setting_up import commands, set_up
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Notice
from agentmem.domain.handoff import Handoff
from agentmem.domain.mode import Mode
from agentmem.domain.places import Places
from agentmem.memory.memory import write_handoff


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`make test`", ("make test",)),
        ("Run `make  deps` first, then:\n$ pytest -q\n$ pytest -q", ("make deps", "pytest -q")),
        ("nothing", ()),
    ],
)
def test_commands_are_what_stands_as_code(text: str, found: tuple[str, ...]) -> None:
    assert commands(text) == found


def run(places: Places, mode: Mode, answer: Answer | None) -> tuple[list[str], int]:
    write_handoff(places, Handoff(goal="g", next="n", setup="`touch made`\n`false`"))
    agent = make_agent(places, [{"text": "ok"}], mode=mode)
    play(agent, "hi")
    events = driven(set_up(agent, Cancel()), lambda asked: answer)
    asked = sum(isinstance(event, Asked) for event in events)
    told = [event.text.partition(" after")[0] for event in events if isinstance(event, Notice)]
    assert "Commands of `Setup and checks` in progress.md" in log_of(agent)[-1]["content"][0]["text"]
    return told, asked


def test_in_full_mode_they_run_unasked(places: Places) -> None:
    told = ["setup: `touch made` ended with 0", "setup: `false` ended with 1"]
    assert run(places, "full", None) == (told, 0)
    assert (places.root / "made").exists()


def test_else_they_are_asked_about(places: Places) -> None:
    told, asked = run(places, "auto", "yes")
    assert (told[0], asked) == ("setup: `touch made` ended with 0", 2)


def test_nobody_there_to_allow_them(places: Places) -> None:
    told, _ = run(places, "auto", None)
    assert told[0] == "setup: `touch made` was not run: nobody allowed it"
    assert not (places.root / "made").exists()

"""Durable writes are told at once, whoever made them; and only a person has something forgotten."""

from __future__ import annotations

from scripts import call, make_agent, play, results

from agentmem.domain.begun import Notice
from agentmem.domain.event import Asked, ToolEnded
from agentmem.domain.places import Places


def notices(events: object) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]  # type: ignore[attr-defined]


def test_what_the_person_asserted_is_kept_at_the_turns_end_and_told(places: Places) -> None:
    with make_agent(places, [{"text": "fine"}, {"text": "fine"}]) as agent:
        (told,) = notices(play(agent, "We use pnpm, not npm. Can you fix the login?"))
        again = notices(play(agent, "We use pnpm, not npm."))
        log = agent.log.read_text()
    (row,) = [row for row in places.memory_file.read_text().splitlines() if row.startswith("- ")]
    fact = row.rpartition("^")[2]
    assert (
        told
        == f"remembered: We use pnpm, not npm. ({fact}) · undo: remove the line in MEMORY.md\n+## Decisions\n+{row}"
    )
    assert again == []
    assert log.count('"type":"verdict"') == 2


def test_a_remembered_fact_comes_with_its_diff(places: Places) -> None:
    script = [{"tool_calls": [call("remember", text="use tabs")]}, {"text": "ok"}]
    with make_agent(places, script) as agent:
        (ended,) = [one for one in play(agent, "remember: use tabs") if isinstance(one, ToolEnded)]
    assert ended.text.startswith("remembered: use tabs (m")
    assert ended.diff is not None and ended.diff.startswith("+## Facts\n+- use tabs ^m")


def test_a_task_asserts_nothing(places: Places) -> None:
    script = [
        {"tool_calls": [call("task", prompt="We use pnpm, not npm.")]},
        {"text": "We use pnpm"},
        {"text": "done"},
    ]
    with make_agent(places, script) as agent:
        play(agent, "go")
    assert not places.memory_file.exists()


def test_the_person_is_asked_before_anything_is_forgotten(places: Places) -> None:
    script = [{"tool_calls": [call("forget", query="Elm Road 7")]}, {"text": "ok"}] * 3
    with make_agent(places, script) as agent:
        asked: list[Asked] = []
        play(agent, "I live at Elm Road 7; forget it", watch=lambda event: _gather(event, asked))
        assert "nobody is here to" in results(agent)[0]
        assert asked[0].diff is not None and "“Elm Road 7”: " in asked[0].diff
        play(agent, "no, do not", answer=lambda asked: "no")
        assert "Elm Road 7" in agent.log.read_text()
        events = play(agent, "yes, forget it", answer=lambda asked: "yes")
        told = [one.text for one in events if isinstance(one, ToolEnded)]
        assert told[0].startswith("forgotten: ")
        assert "Elm Road 7" not in agent.log.read_text()


def _gather(event: object, asked: list[Asked]) -> None:
    if isinstance(event, Asked):
        asked.append(event)

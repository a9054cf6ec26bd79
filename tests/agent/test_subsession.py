"""A task runs in a session of its own: what comes back, what does not, and whose limits and permissions it has."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from agent.scripts import call, ended, log_of, make_agent, play, results

from agentmem.agent.agent import Agent
from agentmem.agent.keeper import Keeper
from agentmem.agent.limits import Limits
from agentmem.domain.cancel import Cancel
from agentmem.domain.entry import Entry
from agentmem.domain.event import Asked, Event, Notice, Refusal, ToolOutput, ToolStarted
from agentmem.domain.message import Text, Usage
from agentmem.domain.places import Places
from agentmem.memory.memory import list_sessions

ROOT = Path(__file__).resolve().parents[2]
GIVE = {"tool_calls": [call("task", prompt="count the files")], "usage": {"input": 100, "output": 10}}
LOOK = {"text": "Let me see.", "tool_calls": [call("ls")], "usage": {"input": 50, "output": 5}}
FOUND = {"text": "There are 2.", "usage": {"input": 60, "output": 6}}
DONE = {"text": "Two files.", "usage": {"input": 120, "output": 12}}


def sub_logs(agent: Agent) -> list[list[dict[str, Any]]]:
    return [
        [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
        for path in sorted(agent.log.parent.glob("*.jsonl"))
        if path != agent.log
    ]


def output(events: list[Event]) -> str:
    return "".join(one.text for one in events if isinstance(one, ToolOutput))


def test_only_the_last_answer_comes_back(places: Places) -> None:
    with make_agent(places, [GIVE, LOOK, FOUND, DONE]) as agent:
        events = play(agent, "how many?")
        assert results(agent) == ["There are 2."]
        assert ended(events).text == "Two files."
        (log,) = sub_logs(agent)
    assert log[0]["parent_session"] == agent.session_id
    assert [(line["type"], line.get("role")) for line in log[1:]] == [
        ("message", "user"),
        ("model", None),
        ("call", None),
        ("message", "assistant"),
        ("message", "tool"),
        ("call", None),
        ("message", "assistant"),
    ]
    assert log[1]["content"][0] == {"type": "text", "text": "count the files", "origin": "agent"}
    assert [part["origin"] for part in log[1]["content"]] == ["agent", "harness", "harness"]
    assert "Let me see." not in agent.log.read_text()
    assert [one.id for one in list_sessions(places)] == [agent.session_id]
    assert [type(event).__name__ for event in events if isinstance(event, (ToolStarted, Asked))] == ["ToolStarted"]
    assert output(events) == f"session {log[0]['id']}\nls\n"


def test_what_it_takes_counts_in_the_turn(places: Places) -> None:
    with make_agent(places, [GIVE, LOOK, FOUND, DONE]) as agent:
        agent.price = lambda usage: usage.input / 100
        end = ended(play(agent, "how many?"))
    assert (end.steps, end.usage, end.cost) == (4, Usage(330, 33), pytest.approx(3.3))


def test_it_sees_nothing_of_the_talk_and_may_not_give_on_or_remember(places: Places) -> None:
    tries = {"tool_calls": [call("task", prompt="deeper"), call("remember", text="x")]}
    with make_agent(places, [GIVE, tries, FOUND, DONE]) as agent:
        play(agent, "SECRET WORD")
        asked = agent.door.requests[1]  # type: ignore[attr-defined]
        (log,) = sub_logs(agent)
    assert "SECRET WORD" not in repr(asked.messages)
    names = [tool.name for tool in asked.tools]
    assert "task" not in names and "remember" not in names and "bash" in names
    refused = [line for line in log if line.get("role") == "tool"]
    assert [line["content"].split(".")[0] for line in refused] == [
        "There is no tool `task`",
        "There is no tool `remember`",
    ]
    assert not places.queue.exists() and not places.memory_file.exists()


def test_its_commands_propose_no_memory(places: Places) -> None:
    command = (
        f"PYTHONPATH={shlex.quote(str(ROOT))} {shlex.quote(sys.executable)} -m agentmem remember 'x is y'; echo $?"
    )
    tries = {"tool_calls": [call("bash", command=command)]}
    with make_agent(places, [GIVE, tries, FOUND, DONE]) as agent:
        play(agent, "go")
        (log,) = sub_logs(agent)
    (said,) = [line["content"] for line in log if line.get("role") == "tool"]
    assert "a sub-session proposes no memories" in said and "\n3" in said
    assert not places.queue.exists() and not places.memory_file.exists()


def test_its_questions_go_to_the_same_person_and_always_lasts(places: Places) -> None:
    writes = {"tool_calls": [call("write", path="a.txt", content="a\n")]}
    later = {"tool_calls": [call("write", path="a.txt", content="b\n")]}
    asked: list[Asked] = []

    def answer(question: Asked) -> Any:
        asked.append(question)
        return "always"

    with make_agent(places, [GIVE, writes, FOUND, later, DONE], mode="ask") as agent:
        play(agent, "go", answer=answer)
    assert [(one.tool, one.reason.startswith("a task wants it: ")) for one in asked][:1] == [("write", True)]
    assert (places.root / "a.txt").exists()
    assert len(asked) == (1 if asked[0].can_always else 2)


def test_a_no_is_the_persons_and_nobody_is_a_refusal_of_the_turn(places: Places) -> None:
    writes = {"tool_calls": [call("write", path="a.txt", content="a\n")]}
    with make_agent(places, [GIVE, writes, FOUND, DONE], mode="ask") as agent:
        end = ended(play(agent, "go"))
        (log,) = sub_logs(agent)
    assert end.refusals == (Refusal("write", "a.txt", "edits"),)
    assert [line["error"] for line in log if line.get("role") == "tool"] == [True]
    assert not (places.root / "a.txt").exists()


def test_plan_mode_holds_in_it(places: Places) -> None:
    writes = {"tool_calls": [call("bash", command="touch a.txt")]}
    with make_agent(places, [GIVE, writes, FOUND, DONE], mode="plan") as agent:
        play(agent, "go", answer=lambda asked: "yes")
    assert not (places.root / "a.txt").exists()


@pytest.mark.parametrize(("steps", "result"), [(1, "Not run: too little is left"), (2, "Not run: too little is left")])
def test_with_nothing_left_it_is_not_run(places: Places, steps: int, result: str) -> None:
    with make_agent(places, [GIVE, DONE], limits=Limits(steps)) as agent:
        play(agent, "go")
        assert results(agent)[0].startswith(result)
        assert sub_logs(agent) == []


def test_its_steps_are_what_is_left_and_the_giver_still_answers(places: Places) -> None:
    with make_agent(places, [GIVE, LOOK, LOOK, DONE], limits=Limits(4)) as agent:
        end = ended(play(agent, "go"))
        assert results(agent) == [
            "The task came to no answer: Stopped at the limit of 2 steps. Continue with `agentmem -c`, or raise it "
            "with --max-turns."
        ]
    assert (end.stop, end.text, end.steps) == ("done", "Two files.", 4)


def test_its_cost_is_what_is_left(places: Places) -> None:
    with make_agent(places, [GIVE, LOOK, DONE], limits=Limits(50, 1.2)) as agent:
        agent.price = lambda usage: usage.input / 100
        end = ended(play(agent, "go"))
        assert "Stopped at the cost limit: 0.5000 of 0.2000 USD" in results(agent)[0]
    assert end.stop == "max_cost"


def test_an_interrupt_stops_it_and_both_logs_say_so(places: Places) -> None:
    cancel = Cancel()
    slow = {"tool_calls": [call("bash", command="echo here; sleep 30")]}

    def watch(event: Event) -> None:
        if isinstance(event, ToolOutput) and event.text.startswith("bash"):
            threading.Timer(0.2, cancel.cancel).start()

    with make_agent(places, [GIVE, slow]) as agent:
        end = ended(play(agent, "go", cancel=cancel, watch=watch))
        assert end.stop == "interrupted"
        assert results(agent) == ["The task came to no answer: it was interrupted"]
        (log,) = sub_logs(agent)
        assert (log[-1]["type"], log_of(agent)[-1]["type"]) == ("interrupt", "interrupt")


def test_an_interrupt_while_it_asks(places: Places) -> None:
    cancel = Cancel()
    writes = {"tool_calls": [call("write", path="a.txt", content="a\n")]}

    def answer(asked: Asked) -> Any:
        cancel.cancel()

    with make_agent(places, [GIVE, writes], mode="ask") as agent:
        assert ended(play(agent, "go", cancel=cancel, answer=answer)).stop == "interrupted"
    assert not (places.root / "a.txt").exists()


def test_a_face_that_goes_away_stops_it(places: Places) -> None:
    writes = {"tool_calls": [call("write", path="a.txt", content="a\n")]}
    with make_agent(places, [GIVE, writes], mode="ask") as agent:
        cancel = Cancel()
        turn = agent.turn([Text("go", "person")], cancel)
        while not isinstance(next(turn), Asked):
            pass
        turn.close()
        assert cancel.cancelled


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ([GIVE, {"text": " "}, DONE], "The task ended without an answer."),
        (
            [GIVE, {"error": {"failure": "refused_key", "message": "no key"}}, DONE],
            "The task came to no answer: no key",
        ),
        (
            [GIVE, {"text": "Half", "stop": "length"}, DONE],
            "The task came to no answer: The answer was cut off by the model's output limit. Say `continue` to get the "
            "rest.\nThe last it said: Half",
        ),
    ],
)
def test_a_task_that_comes_to_nothing_is_an_error(places: Places, script: list[Any], text: str) -> None:
    with make_agent(places, script) as agent:
        play(agent, "go")
        assert results(agent) == [text]
        (result,) = [line for line in log_of(agent) if line.get("role") == "tool"]
        assert result["error"] is True


def test_what_goes_wrong_in_it_is_told_while_it_runs(places: Places) -> None:
    fails = {"tool_calls": [call("read", path="none.txt")]}
    with make_agent(places, [GIVE, fails, FOUND, DONE]) as agent:
        said = output(play(agent, "go")).split("\n")
    assert said[1] == "read none.txt" and said[2].startswith("  read: ")


def test_its_requests_can_be_rebuilt_too(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    from agentmem.app.request import request

    (places.root / ".agent").mkdir()
    monkeypatch.chdir(places.root)
    with make_agent(places, [GIVE, LOOK, FOUND, DONE]) as agent:
        play(agent, "go")
        sent = agent.door.requests  # type: ignore[attr-defined]
        (log,) = sub_logs(agent)
        env = {"AGENTMEM_HOME": str(places.home)}
        assert request(log[0]["id"], "2", env).body == agent.door.body(sent[2])
        assert request(agent.session_id, "2", env).body == agent.door.body(sent[3])


def test_what_it_writes_is_kept_with_the_turn_that_gave_it(places: Places) -> None:
    (places.root / "a.txt").write_text("old\n")
    writes = (
        {"tool_calls": [call("read", path="a.txt")]},
        {"tool_calls": [call("write", path="a.txt", content="new\n")]},
    )
    with make_agent(places, [GIVE, *writes, FOUND, DONE]) as agent:
        agent.keeper = Keeper(agent.session, agent.clock, agent.env)
        play(agent, "go")
        kept = [line for line in log_of(agent) if line["type"] == "checkpoint"]
        (log,) = sub_logs(agent)
        turn = next(line["id"] for line in log_of(agent) if line.get("role") == "user")
    assert (places.root / "a.txt").read_text() == "new\n"
    assert [one["kind"] for one in kept] == ["before", "after"]
    assert kept[0]["turn"] == turn
    assert "checkpoint" not in [line["type"] for line in log]


def test_a_compaction_is_told_as_one(places: Places) -> None:
    with make_agent(places, [DONE, DONE]) as agent:
        play(agent, "one")
        kept = agent.session.entries[0]
        body = {"form": "summary", "first_kept": kept.id, "summary": "short", "segments": []}
        agent.session._record(lambda parent: Entry("compaction", "c1", parent, "t", body))
        told = [one.text for one in play(agent, "two") if isinstance(one, Notice)]
    assert [one.partition(";")[0] for one in told] == ["prompt cache: the conversation was compacted"]

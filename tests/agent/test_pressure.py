"""What happens when the window fills: compaction at its moments, an overflow asked again, and always an end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripts import Script, call, ended, log_of, make_agent, play

from agentmem.agent.agent import Agent
from agentmem.agent.limits import Limits
from agentmem.agent.pressure import PRESSURE
from agentmem.domain.event import Compacted, Event, Notice
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt
from agentmem.domain.skill import Disclosed
from agentmem.domain.tool import Tool
from agentmem.model.scripted import ScriptedDoor
from agentmem.tools import tools

TOOL_NAMES = {"read", "todo", "compact"}
DONE: dict[str, Any] = {"text": "all done"}


def few() -> list[Tool]:
    return [tool for tool in tools() if tool.name in TOOL_NAMES]


def door(agent: Agent) -> ScriptedDoor:
    assert isinstance(agent.door, ScriptedDoor)
    return agent.door


def asked_aside(agent: Agent) -> list[Prompt]:
    """The requests for summaries."""
    return [one for one in door(agent).requests if not one.tools]


def compacted(events: Sequence[Event]) -> list[Compacted]:
    return [event for event in events if isinstance(event, Compacted)]


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def long(number: int, words: int = 500) -> str:
    return f"Part {number}: I changed src/part_{number}.py. " + "it went well as far as can be seen, " * (words // 8)


def talk(agent: Agent, turns: range) -> list[Event]:
    return [event for number in turns for event in play(agent, f"do part {number}; never touch vendor/")]


def small(places: Places, script: Script, window: int = 6_000, **more: Any) -> Agent:
    return make_agent(places, script, own_tools=few(), window=window, **more)


def by_rule(**more: Any) -> Limits:
    return Limits(written=False, **more)


def answers(count: int, words: int = 500) -> list[dict[str, Any]]:
    return [{"text": long(number, words)} for number in range(count)]


def entries(agent: Agent, form: str) -> list[dict[str, Any]]:
    return [line for line in log_of(agent) if line["type"] == "compaction" and line["form"] == form]


def test_between_turns_old_steps_leave_and_a_summary_stands_for_them(places: Places) -> None:
    with small(places, answers(12), limits=by_rule()) as agent:
        events = talk(agent, range(12))
        done = compacted(events)
        assert {one.form for one in done} == {"window"}
        assert all(one.after < one.before and one.after <= 0.35 * 6_000 + 600 for one in done)
        shown = agent.session.prompt().messages[0].text
        assert "never touch vendor/" in shown
        assert "src/part_0.py" in shown
        assert ended(events).stop == "done"
        whole = agent.session.prompt()
    with small(places, [], resume=agent.session_id) as resumed:
        assert resumed.session.prompt() == whole


def test_a_use_that_grows_no_further_is_not_compacted_again(places: Places) -> None:
    with small(places, answers(9), limits=by_rule()) as agent:
        done = [len(compacted(talk(agent, range(number, number + 1)))) for number in range(9)]
        assert done == [0, 0, 0, 0, 1, 0, 1, 0, 1]


def test_a_summary_call_is_in_the_log_and_can_be_shown_again(places: Places) -> None:
    script = [
        *answers(4),
        {"text": "src/part_0.py and src/part_1.py were changed. Never touch vendor/."},
        *answers(2),
    ]
    with small(places, script) as agent:
        events = talk(agent, range(6))
        (entry,) = entries(agent, "summary")
        assert compacted(events)[0].entry == entry["id"]
        assert entry["receipt"]["passed"] is True
        assert entry["consolidated_to"] == {"entry": entry["first_kept"], "offset": entry["first_kept_offset"]}
        assert [one["entry"] for one in entry["segments"]] == [entry["id"]]
        aside = next(line for line in log_of(agent) if line["type"] == "call" and "purpose" in line)
        past = __import__("agentmem.memory.memory", fromlist=["history"]).history(places, agent.session_id)
        sent, prompt = past.sent(next(one for one in past.calls if one.id == aside["id"]))
        assert prompt == asked_aside(agent)[0]
        assert sent.sha256 == aside["sha256"]


def test_a_summary_that_does_not_help_is_asked_for_twice_at_most(places: Places) -> None:
    """H12."""
    useless = {"text": "the summary goes on and on " * 900}
    script = [*answers(3), *[useless] * 2, {"text": long(8)}, useless, {"text": long(9)}]
    with small(places, script, window=8_000) as agent:
        talk(agent, range(3))
        agent.limits = Limits(trigger=0.3, target=0.2)
        events = play(agent, "go on")
        assert ended(events).stop == "done"
        assert len(asked_aside(agent)) == 2
        (entry,) = entries(agent, "window")
        assert "archive" in entry
        assert ended(play(agent, "and on")).stop == "done"
        assert len(asked_aside(agent)) == 3  # what failed last is tried once, not twice


@pytest.mark.parametrize(
    "failing",
    [
        [{"text": ""}] * 2,
        [{"error": {"failure": "bad_request", "message": "no route"}}] * 2,
        [{"thinking": "hm", "text": "  \n "}] * 2,
    ],
    ids=["empty", "unreachable", "blank after thinking"],
)
def test_a_summariser_that_fails_loses_nothing(places: Places, failing: list[dict[str, Any]]) -> None:
    """H15, B-27."""
    good = {"text": "src/part_0.py, src/part_1.py, src/part_2.py, src/part_3.py changed. Never touch vendor/."}
    with small(places, [*answers(4), *failing, {"text": long(9)}, *answers(2), good, DONE]) as agent:
        talk(agent, range(5))
        (entry,) = entries(agent, "window")
        kept = (places.root / entry["archive"]).read_text(encoding="utf-8")
        left = [line for line in log_of(agent) if line["type"] == "message"]
        for line in left[: entry["span"]["messages"]]:
            assert json.dumps(line, ensure_ascii=False, separators=(",", ":")) in kept
        assert entry["consolidated_to"] == {"entry": None, "offset": None}
        assert "src/part_0.py" in agent.session.prompt().messages[0].text
        talk(agent, range(5, 8))
        (later,) = entries(agent, "summary")
        assert later["span"]["first"] == entry["span"]["first"]


def test_old_usage_is_never_counted_after_a_compaction(places: Places) -> None:
    """H14, B-30."""
    script = [{"text": long(n, 16_000), "usage": {"input": 19_000 * n + 2_000, "output": 19_000}} for n in range(9)]
    with make_agent(places, [*script, {"text": "ok"}], window=200_000, limits=by_rule(trigger=0.8)) as agent:
        talk(agent, range(8))
        assert agent.context()[0] == 154_000
        assert compacted(talk(agent, range(8, 9))) == []
        (done,) = compacted(play(agent, "and now"))
        assert (done.before > 171_000, done.after < 75_000) == (True, True)
        kept = [line for line in log_of(agent) if line["type"] == "message" and "usage" in line][-2]
        assert kept["usage"]["input"] > 150_000
        assert agent.context()[0] < 75_000
    with make_agent(
        places, [{"text": "ok"}], window=200_000, limits=by_rule(trigger=0.8), resume=agent.session_id
    ) as again:
        assert again.context()[0] < 75_000
        assert compacted(play(again, "go on")) == []


def test_rules_are_read_anew_at_each_compaction(places: Places) -> None:
    """H16."""
    rules = places.root / "AGENTS.md"
    rules.write_text("Always run `make lint` before commit. Never touch vendor/.\n")
    from agentmem.agent import amends
    from agentmem.domain.cancel import Cancel

    with small(places, answers(40, 400), limits=by_rule()) as agent:
        number = 0
        for done in range(11):
            if done == 5:
                rules.write_text("Always run `make test` first. Never touch generated/.\n")
            for _ in range(3):
                play(agent, f"do part {number}")
                number += 1
            list(amends.compact(agent, "", Cancel()))
            system = agent.session.prompt().system
            wanted = (
                "Always run `make lint` before commit. Never touch vendor/."
                if done < 5
                else "Always run `make test` first."
            )
            assert wanted in system
            assert ("make lint" in system) == (done < 5)
        assert len(entries(agent, "window")) >= 11


def test_nested_rules_survive_the_cut_of_the_notice_that_told_them(places: Places) -> None:
    (places.root / "sub").mkdir()
    (places.root / "sub" / "AGENTS.md").write_text("Only British spelling here.\n")
    (places.root / "sub" / "a.txt").write_text("colour\n")
    script = [{"tool_calls": [call("read", path="sub/a.txt")]}, *answers(10)]
    with small(places, script, limits=by_rule()) as agent:
        talk(agent, range(8))
        assert entries(agent, "window")
        assert all("British" not in message.text for message in agent.session.prompt().messages[1:])
        assert "Only British spelling here." in agent.session.prompt().system


def test_what_the_provider_finds_too_long_is_compacted_and_asked_once_more(places: Places) -> None:
    """B-25."""
    overflow = {"error": {"failure": "overflow", "message": "prompt is too long"}}
    with make_agent(places, [*answers(6, 800), overflow, DONE], own_tools=few(), limits=by_rule()) as agent:
        talk(agent, range(6))
        events = play(agent, "go on")
        assert ended(events).stop == "done"
        assert [one.form for one in compacted(events)] == ["window"]
        assert notices(events)[0].startswith("the request did not fit the window")
    with make_agent(places, [*answers(6, 800), overflow, overflow], own_tools=few(), limits=by_rule()) as agent:
        talk(agent, range(6))
        assert (ended(play(agent, "go on")).stop, len(door(agent).requests)) == ("overflow", 8)


def test_without_compaction_an_overflow_ends_the_turn(places: Places) -> None:
    overflow = {"error": {"failure": "overflow", "message": "prompt is too long"}}
    with small(places, [*answers(6), overflow], limits=Limits(compacts=False)) as agent:
        events = talk(agent, range(7))
        assert ended(events).stop == "overflow"
        assert compacted(events) == []
        assert [line for line in log_of(agent) if line["type"] == "compaction"] == []


def test_a_window_too_small_for_what_is_fixed_is_refused_with_numbers(places: Places) -> None:
    """B-28."""
    (places.root / "AGENTS.md").write_text("Mind the gap. " * 200)
    with small(places, [DONE], window=1_000) as agent:
        last = ended(play(agent, "hello"))
        assert last.stop == "overflow"
        assert last.error is not None
        assert last.error.startswith("The window of scripted:")
        assert "of its 1,000 tokens are taken before anything is said" in last.error
        assert door(agent).requests == []


def test_a_message_that_fits_no_window_is_refused_with_numbers(places: Places) -> None:
    with small(places, [DONE]) as agent:
        last = ended(play(agent, "word " * 8_000))
        assert last.stop == "overflow"
        assert last.error is not None and "of 6,000 tokens" in last.error
        assert door(agent).requests == []


def test_letters_pasted_one_after_the_other_do_not_fill_the_window_for_good(places: Places) -> None:
    letter = "please read this to me " * 600
    with small(places, [DONE] * 4, limits=by_rule()) as agent:
        turns = [play(agent, f"{letter} {number}") for number in range(4)]
        assert [ended(events).stop for events in turns] == ["done"] * 4
        assert agent.session.prompt().messages[-3].text.endswith(f"{letter} 3")
        assert "please read this to me" in agent.session.prompt().messages[0].text


def test_a_message_that_was_refused_does_not_stop_the_next(places: Places) -> None:
    with small(places, [DONE], limits=by_rule()) as agent:
        assert ended(play(agent, "word " * 8_000)).stop == "overflow"
        assert ended(play(agent, "something else")).stop == "done"


@pytest.mark.parametrize(
    "usage",
    [
        {"input": 3_000, "output": 5_000},  # nearly all of it thought, and not sent again
        {"input": 9_000_000, "output": 10},  # of all requests so far, or of another's
        {"input": 3_000, "output": 9_000_000},
    ],
)
def test_a_reply_that_cost_very_much_does_not_end_the_session(places: Places, usage: dict[str, int]) -> None:
    (places.root / "AGENTS.md").write_text("Mind the gap. " * 300)
    with small(places, [{"text": "yes", "usage": usage}, DONE, DONE], window=7_000) as agent:
        assert [ended(play(agent, "go on")).stop for _ in range(3)] == ["done", "done", "done"]


def test_what_the_provider_refuses_for_good_is_told_with_numbers_and_ways(places: Places) -> None:
    overflow = {"error": {"failure": "overflow", "message": "prompt is too long"}}
    for script, more in (([overflow], " Nothing more can leave the prompt."), ([*answers(6), overflow, overflow], "")):
        with make_agent(places, script, own_tools=few(), limits=by_rule()) as agent:
            talk(agent, range(len(script) - 2))
            last = ended(play(agent, "go on"))
        assert last.stop == "overflow"
        assert last.error is not None and last.error.startswith(f"prompt is too long.{more} By our count ")
        assert " of 100,000 tokens were in use, of which " in last.error
        assert last.error.endswith("If its window is not 100,000 tokens, say so with `window` in config.yaml.")


def worked(places: Places, steps: int, lines: int = 60) -> list[dict[str, Any]]:
    for number in range(steps):
        rows = (f"value_{number}_{row} = {row}" for row in range(lines))
        (places.root / f"f{number}.py").write_text("\n".join(rows))
    return [{"text": f"look {number}", "tool_calls": [call("read", path=f"f{number}.py")]} for number in range(steps)]


def test_one_very_long_turn_ends_well(places: Places) -> None:
    """B-29: results become lines, then steps leave; the task of the person stays as it was said."""
    script = [{**one, "text": long(n, 120)} for n, one in enumerate(worked(places, 60))]
    with small(places, [*script, DONE], window=8_000, limits=by_rule(max_turns=100)) as agent:
        events = play(agent, "read it all; never touch vendor/")
        assert ended(events).stop == "done"
        assert {one.form for one in compacted(events)} == {"collapse", "window"}
        for prompt in door(agent).requests[1:]:
            told = [part.text for part in prompt.messages[0].parts if isinstance(part, Text)]
            assert "read it all; never touch vendor/" in told
        assert len(compacted(events)) < 30


def test_the_model_is_told_once_of_the_pressure(places: Places) -> None:
    script = [{"text": long(n, 700), "tool_calls": [call("todo", items=[{"text": f"part {n}"}])]} for n in range(4)]
    with small(places, [*script, DONE], window=5_000, limits=by_rule(warn=0.55)) as agent:
        events = play(agent, "go")
        told = [line for line in log_of(agent) if line.get("notice") and PRESSURE in str(line["content"])]
        assert len(told) == 1
        assert any("was told that" in text for text in notices(events))


def test_the_model_compacts_when_it_wants_to(places: Places) -> None:
    script = [*worked(places, 6), {"tool_calls": [call("compact", keep="the values")]}, DONE]
    with small(places, script, window=30_000, limits=by_rule()) as agent:
        events = play(agent, "go")
        assert [one.form for one in compacted(events)] == ["collapse"]
        assert entries(agent, "collapse")[0]["why"] == "the model asked for it"


def test_a_todo_list_is_shown_again_and_carried(places: Places) -> None:
    items = [{"text": "write the parser", "state": "done"}, {"text": "test it"}]
    script = [{"tool_calls": [call("todo", items=items)]}, *worked(places, 9), DONE, *answers(6)]
    with small(places, script, window=9_000, limits=by_rule()) as agent:
        play(agent, "go")
        shown = [line["content"][0]["text"] for line in log_of(agent) if line.get("notice")]
        assert shown == ["[Your todo list as you left it; `todo` changes it.]\n[x] write the parser\n[ ] test it"]
        talk(agent, range(6))
        assert entries(agent, "window")[-1]["todo"] == [
            {"text": "write the parser", "state": "done"},
            {"text": "test it", "state": "open"},
        ]
        assert "[ ] test it" in agent.session.prompt().messages[0].text


def test_a_kill_between_two_writes_of_a_compaction_is_sound(places: Places) -> None:
    with small(places, [*worked(places, 12), DONE, *answers(6)], window=8_000, limits=by_rule()) as agent:
        talk(agent, range(6))
        own, path = agent.session_id, Path(agent.log)
    data = path.read_bytes().split(b"\n")
    cuts = [number for number, line in enumerate(data, 1) if b'"type":"compaction"' in line]
    assert len(cuts) >= 2
    for number in cuts:
        for end in (
            b"\n".join(data[:number]) + b"\n",
            b"\n".join(data[:number])[:-9],
            b"\n".join(data[: number - 1]) + b"\n",
        ):
            path.write_bytes(end)
            with small(places, [DONE], window=8_000, limits=by_rule(), resume=own) as again:
                assert ended(play(again, "go on")).stop == "done"


def test_the_bodies_of_skills_stay_through_a_compaction(places: Places) -> None:
    with make_agent(places, answers(12, 3_000), own_tools=few(), window=60_000, limits=by_rule(trigger=0.3)) as agent:
        play(agent, "begin")
        for name, words in (("commit", 10), ("deploy", 9_000), ("commit", 20)):
            body = f'<skill-body name="{name}">\n' + f"step of {name} " * words + "\n</skill-body>"
            agent.session.record_skill(Disclosed(name, f"/w/skills/{name}/SKILL.md", "0" * 64, body, "asked", ""))
        talk(agent, range(1, 8))
        assert entries(agent, "window")
        told = agent.session.prompt().messages[0].text
        assert told.count("<skill-body") == 2
        assert "step of commit " * 20 in told and "step of commit " * 21 not in told
        assert "[the rest of this skill is left out here: read /w/skills/deploy/SKILL.md]" in told
        assert told.count("step of deploy") < 1_500
        talk(agent, range(8, 11))
        assert agent.session.prompt().messages[0].text.count("<skill-body") == 2
        shown = agent.session.prompt()
    with make_agent(places, [], own_tools=few(), window=60_000, resume=agent.session_id) as resumed:
        assert resumed.session.prompt() == shown


def test_a_disk_that_takes_no_file_takes_nothing_out_of_the_prompt(places: Places) -> None:
    places.shared.mkdir()
    places.offload.write_text("in the way")
    with small(places, [*worked(places, 12), DONE], window=8_000, limits=by_rule()) as agent:
        events = play(agent, "go")
        assert ended(events).stop == "done"
        assert any(text.startswith("nothing was moved out of the prompt: ") for text in notices(events))
        assert entries(agent, "collapse") == []

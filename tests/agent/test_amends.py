"""What the person does to the prompt: compact it, bring something back, strike a line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scripts import log_of, play
from test_pressure import answers, asked_aside, by_rule, compacted, entries, long, notices, small, talk, worked

from agentmem.agent import amends
from agentmem.agent.agent import Agent
from agentmem.agent.limits import Limits
from agentmem.agent.preview import preview
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Event
from agentmem.domain.message import Message
from agentmem.domain.places import Places
from agentmem.memory.memory import EntryMissing, shortening
from agentmem.memory.read.replay import NO_USER
from agentmem.model.legal import fault


def texts(agent: Agent) -> str:
    shown: Sequence[Message] = agent.session.prompt().messages
    assert fault(agent.session.prompt()) is None
    return "\n".join(message.text for message in shown)


def entry_with(agent: Agent, text: str) -> str:
    return next(line["id"] for line in log_of(agent) if line["type"] == "message" and text in str(line["content"]))


def strike(agent: Agent, called: str) -> list[Event]:
    return list(agent.strike(called, Cancel()))


def test_in_an_empty_session_there_is_nothing_to_compact(places: Places) -> None:
    with small(places, []) as agent:
        events = list(agent.compact("", Cancel()))
        assert compacted(events) == []
        assert notices(events)[0].startswith("nothing to compact: ")
        assert log_of(agent) == [] if agent.log.exists() else True


def test_a_preview_writes_nothing_and_says_what_would_be_done(places: Places) -> None:
    with small(places, [*worked(places, 8), *answers(4)], window=12_000, limits=by_rule()) as agent:
        talk(agent, range(4))
        before = agent.log.read_bytes()
        found = preview(agent, "")
        assert agent.log.read_bytes() == before
        assert not (places.shared / "archive").exists()
        assert [form for form, _, _ in found.changes] == ["collapse"]
        assert found.changes[0][1][0] == "read f0.py"
        assert found.leaves is not None
        assert found.leaves["receipt"]["survival"] > 0.9
        list(agent.compact("", Cancel()))
        used, _ = agent.context()
        assert abs(used - found.after) < 300
        lines = list(found.lines())
        assert lines[-1].endswith("nothing was changed")


def test_the_newest_compaction_is_taken_back_first(places: Places) -> None:
    with small(places, answers(12), limits=by_rule()) as agent:
        done = compacted(talk(agent, range(4)))
        whole = texts(agent).removesuffix(f"\n{NO_USER}")
        list(agent.compact("", Cancel()))
        play(agent, "more")
        first = entries(agent, "window")[0]["id"]
        list(agent.compact("", Cancel()))
        second = entries(agent, "window")[-1]["id"]
        assert done == []
        assert first != second
        with pytest.raises(shortening.NotChanged, match="expand that one first"):
            agent.expand(first)
        agent.expand(second)
        brought = agent.expand(first)
        assert brought.after > brought.before
        assert texts(agent).startswith(whole)


def test_a_message_that_left_is_told_again_at_the_end(places: Places) -> None:
    with small(places, answers(12), limits=by_rule()) as agent:
        talk(agent, range(5))
        own = entry_with(agent, "Part 0")
        assert "Part 0: I changed" not in texts(agent)
        brought = agent.expand(own[:8])
        assert brought.told
        assert agent.session.prompt().messages[-1].text.endswith(long(0).strip()) or long(0).strip() in texts(agent)
        with pytest.raises(shortening.NotChanged, match="in the prompt as it stands"):
            agent.expand(entry_with(agent, "Part 4"))
        with pytest.raises(EntryMissing):
            agent.expand("nonsense")


def test_what_would_not_fit_is_not_brought_back(places: Places) -> None:
    with small(places, answers(30), limits=by_rule()) as agent:
        talk(agent, range(24))
        last = entries(agent, "window")[-1]["id"]
        own = entry_with(agent, "Part 0")
        with pytest.raises(shortening.NotChanged, match="more than the window"):
            for _ in range(20):
                agent.expand(own)
        assert agent.session.active.snapshot is not None
        assert agent.session.active.snapshot.id == last


def test_a_struck_result_leaves_a_mark_and_comes_back(places: Places) -> None:
    with small(places, [*worked(places, 3), {"text": "done"}], window=30_000) as agent:
        play(agent, "go")
        whole, poisoned = texts(agent), entry_with(agent, "value_1_0")
        events = strike(agent, poisoned)
        assert notices(events)[0].startswith("struck 1 line: no later prompt shows it")
        assert "value_1_0" not in texts(agent)
        assert "[The person struck this result out.]" in texts(agent)
        assert "value_1_0" in agent.log.read_text()
        assert notices(strike(agent, poisoned)) == [f"{poisoned} is struck already"]
        agent.expand(poisoned)
        assert texts(agent) == whole


def test_a_struck_reply_goes_with_its_results(places: Places) -> None:
    with small(places, [*worked(places, 3), {"text": "done"}], window=30_000) as agent:
        play(agent, "go")
        strike(agent, entry_with(agent, "look 1"))
        shown = texts(agent)
        assert ("look 1" in shown, "value_1_0" in shown, "look 2" in shown) == (False, False, True)


def test_a_struck_line_leaves_the_summary_that_covers_it(places: Places) -> None:
    with small(places, answers(12), limits=by_rule()) as agent:
        play(agent, "the password of the staging host is db-7.evil.example; never touch vendor/")
        talk(agent, range(1, 7))
        assert "db-7.evil.example" in texts(agent)
        events = strike(agent, entry_with(agent, "db-7.evil.example"))
        assert [one.form for one in compacted(events)] == ["window"]
        assert "db-7.evil.example" not in texts(agent)
        assert "db-7.evil.example" not in agent.session.prompt().system
        assert "src/part_1.py" in texts(agent)
        talk(agent, range(7, 11))
        assert "db-7.evil.example" not in texts(agent)
        shown = agent.session.prompt()
    with small(places, [], resume=agent.session_id) as resumed:
        assert resumed.session.prompt() == shown


def test_an_accepted_summary_is_told_anew_without_a_struck_line(places: Places) -> None:
    limits = "do part 1; never touch vendor/\ndo part 2; never touch vendor/"
    named = "src/part_0.py and src/part_1.py changed"
    said = f"do part 0; never touch vendor/; the host is db-7.evil.example\n{limits}\n{named}"
    anew = f"{limits}\n{named}"
    script = [*answers(4), {"text": said}, *answers(1), {"text": anew}, *answers(1)]
    with small(places, script) as agent:
        play(agent, "do part 0; never touch vendor/; the host is db-7.evil.example")
        talk(agent, range(1, 5))
        (entry,) = entries(agent, "summary")
        assert "db-7.evil.example" in texts(agent)
        events = strike(agent, entry_with(agent, "the host is"))
        assert len(asked_aside(agent)) == 2
        assert [one.form for one in compacted(events)] == ["summary"]
        later = entries(agent, "summary")[-1]
        assert (later["first_kept"], later["retold"]) == (entry["first_kept"], True)
        assert [one["entry"] for one in later["segments"]] == [later["id"]]
        assert later["consolidated_to"] == entry["consolidated_to"]
        assert "db-7.evil.example" not in texts(agent)
        assert "src/part_1.py" in texts(agent)


def test_a_compaction_that_is_stopped_leaves_all_as_it_was(places: Places) -> None:
    cancel = Cancel()
    cancel.cancel()
    with small(places, answers(5), limits=Limits()) as agent:
        talk(agent, range(4))
        whole = texts(agent)
        events = list(agent.compact("", cancel))
        assert notices(events)[-1] == "stopped: nothing more left the prompt"
        assert texts(agent) == whole


def test_a_compaction_is_bound_to_its_leaf(places: Places) -> None:
    """B-34."""
    with small(places, answers(6), limits=by_rule()) as agent:
        talk(agent, range(4))
        from agentmem.agent.room import room

        work = shortening.begin_compaction(agent.session, room(agent))
        plan = work.plan(amends.wanted(agent))
        assert plan.cut is not None
        leaving = work.leaving(plan.cut)
        assert leaving is not None
        told = shortening.tell(leaving, shortening.brief_for(agent.session, 6_000, "", 0), None)
        assert not isinstance(told, shortening.Refusal)
        agent.session.move(agent.session.entries[2].id, "elsewhere")
        before = agent.log.read_bytes()
        with pytest.raises(shortening.LeafMoved):
            work.snapshot(leaving, told, "a test")
        assert agent.log.read_bytes() == before


def test_a_struck_line_leaves_what_is_said_of_the_work(places: Places) -> None:
    with small(places, answers(8), limits=by_rule()) as agent:
        talk(agent, range(4))
        play(agent, "go on; the host is db-7.evil.example")
        assert agent.session.active.snapshot is not None
        assert texts(agent).count("db-7.evil.example") == 2
        strike(agent, entry_with(agent, "the host is"))
        assert "db-7.evil.example" not in texts(agent)
        assert "src/part_0.py" in texts(agent)

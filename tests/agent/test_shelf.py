from __future__ import annotations

import pytest
from scripts import call, make_agent, play

from agentmem.agent.agent import Agent
from agentmem.domain.places import Places
from agentmem.memory.memory import SessionBusy, SessionMissing
from agentmem.workspace.permission import Grants

SCRIPT = [{"text": "ONE"}, {"text": "TWO"}, {"text": "THREE"}, {"text": "FOUR"}]


@pytest.fixture
def agent(places: Places) -> Agent:
    return make_agent(places, SCRIPT)


def sent(agent: Agent) -> list[str]:
    return [message.text.split("\n\n[Today")[0] for message in agent.session.prompt().messages]


def test_a_new_session_knows_nothing_of_the_one_before(agent: Agent) -> None:
    play(agent, "one")
    before, agent.grants, agent.seen["x"] = agent.session_id, Grants(writes=True), "digest"
    assert agent.shelf.begun
    own = agent.shelf.clear()
    assert agent.session_id == own != before
    assert not agent.shelf.begun
    assert (agent.grants, agent.seen) == (Grants(), {})
    play(agent, "two")
    assert sent(agent)[:2] == ["two", "TWO"]
    assert agent.shelf.open(before) == before
    assert sent(agent)[:2] == ["one", "ONE"]
    assert {head.id for head in agent.shelf.sessions()} == {before, own}
    agent.close()


def test_the_session_before_gives_its_lock_back(agent: Agent, places: Places) -> None:
    play(agent, "one")
    before = agent.session_id
    other = make_agent(places, SCRIPT)
    with pytest.raises(SessionBusy):
        other.shelf.open(before)
    assert other.session_id != before
    agent.shelf.clear()
    other.shelf.open(before)
    with pytest.raises(SessionBusy):
        agent.shelf.open(before)
    other.close()
    agent.close()


def test_a_session_that_is_not_there_changes_nothing(agent: Agent) -> None:
    play(agent, "one")
    own = agent.session_id
    with pytest.raises(SessionMissing):
        agent.shelf.open("nope")
    assert agent.session_id == own
    play(agent, "two")
    assert agent.shelf.open(own[:-1]) == own
    agent.close()


def test_moving_goes_on_from_another_place_and_forgets_what_was_read(agent: Agent) -> None:
    play(agent, "one")
    play(agent, "two")
    agent.seen["x"] = "digest"
    first, answer, second, _ = agent.shelf.rows()
    agent.shelf.move(second.end, "again")
    assert agent.seen == {}
    assert agent.shelf.last() == ("one", "ONE")
    play(agent, "three")
    assert sent(agent)[:4] == ["one", "ONE", "three", "THREE"]
    assert [row.text for row in agent.shelf.rows()] == ["one", "ONE", "two", "TWO", "three", "THREE"]
    assert (first.end, answer.who) == (None, "agent")
    agent.close()


def test_a_fork_goes_on_and_leaves_the_other(agent: Agent) -> None:
    play(agent, "one")
    agent.shelf.rename("bug")
    agent.shelf.label("good")
    before = agent.session_id
    own = agent.shelf.fork()
    assert (agent.session_id, agent.shelf.name) == (own, "bug (fork)")
    play(agent, "two")
    assert sent(agent)[:4] == ["one", "ONE", "two", "TWO"]
    agent.shelf.open("bug")
    assert agent.session_id == before
    assert sent(agent)[:2] == ["one", "ONE"]
    assert agent.shelf.rows()[-1].label == "good"
    agent.close()


def test_a_file_that_was_read_on_another_branch_is_read_again_before_an_edit(places: Places) -> None:
    (places.root / "a.txt").write_text("one\n")
    edit = call("edit", path="a.txt", edits=[{"old": "one", "new": "two"}])
    agent = make_agent(
        places, [{"tool_calls": [call("read", path="a.txt")]}, {"text": "read"}, {"tool_calls": [edit]}, {"text": "."}]
    )
    play(agent, "read it")
    assert len(agent.seen) == 1
    agent.shelf.move(None, "")
    assert agent.seen == {}
    agent.close()

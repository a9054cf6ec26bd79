"""A secret in a file's name stands in no log, and the file goes back all the same."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from keeping import back, calls, checkpoints, disk, git, keeping, turns
from scripts import call

from agentmem.agent.agent import Agent
from agentmem.agent.veil import LOST
from agentmem.domain.places import Places

SECRET = "ghp_aB3dE5gH7jK9mN1pQ2sT4vX6zC8bY0wR5uL7"
NAME = f"dump-{SECRET}.txt"


def everywhere(places: Places) -> bytes:
    return b"".join(path.read_bytes() for path in places.sessions.glob("*"))


@pytest.mark.parametrize("name", [NAME, f"sub/{SECRET}/a.txt", os.fsdecode(b"\xff-" + SECRET.encode())])
def test_no_log_holds_it_and_the_file_goes_back_and_forth(places: Places, name: str) -> None:
    script = calls(call("write", path=name.encode("utf-8", "replace").decode(), content="one\n"))
    with keeping(places, script) as agent:
        if "\udcff" in name:
            kept(agent, places, name)
        else:
            turns(agent, "write it")
        after = disk(places.root)
        assert len(after) == 1
        session = agent.session_id
    with keeping(places, [], resume=session) as agent:
        assert [past.files for past in agent.rewind.pasts()] == [1]
        done = back(agent)
        assert ([os.fsdecode(step.path) for step in done.files], done.failed) == ([name], ())
        assert disk(places.root) == {}
        agent.rewind.undo(agent.rewind.plan_undo())
        assert disk(places.root) == after
        told = [one for body in checkpoints(agent) for one in body["files"]]
        assert {one["path"].count("[redacted: github token") for one in told} == {1}
    assert SECRET.encode() not in everywhere(places)


def kept(agent: Agent, places: Places, name: str) -> None:
    """As a tool would that is given a name that is no UTF-8."""
    from agentmem.domain.cancel import Cancel
    from agentmem.domain.message import Text, ToolCall
    from agentmem.domain.tool import Access

    assert agent.keeper is not None
    entry = agent.session.record_user([Text("write it", "person")])
    agent.keeper.begin(agent.session_id, entry.id)
    made = ToolCall("c", "write")
    agent.keeper.before(made, [Access("write", str(places.root / name), name)], Cancel())
    (places.root / name).write_text("one\n")
    agent.keeper.after(made)


def test_a_name_that_is_lost_is_said_and_nothing_else_is_touched(places: Places) -> None:
    with keeping(places, calls(call("write", path=NAME, content="n\n"))) as agent:
        turns(agent, "go")
        shutil.rmtree(places.shared / "checkpoints.git" / "objects")
        before = disk(places.root)
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.asked) == ((), ())
        ((path, why),) = plan.cannot
        assert (path.startswith(b"dump-[redacted: github token"), why) == (True, LOST)
        assert back(agent).failed == plan.cannot
        assert disk(places.root) == before


@pytest.mark.parametrize("name", ["zz", 3, None, "0" * 40, ["x"]])
def test_a_malformed_name_is_a_lost_one(places: Places, name: object) -> None:
    with keeping(places, calls()) as agent:
        turns(agent, "go")
        files = [{"path": "a.txt", "name": name, "before": "absent"}, 7, {"path": "b.txt", "before": "absent"}]
        agent.session.record_checkpoint({"kind": "before", "root": str(places.root), "files": files})
        for own in "ab":
            (places.root / f"{own}.txt").write_text(own)
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert plan.cannot == ((b"a.txt", LOST),)
        assert [step.path for step in plan.asked] == [b"b.txt"]


def test_git_counts_the_name_as_used(places: Places) -> None:
    with keeping(places, calls(call("write", path=NAME, content="n\n"))) as agent:
        turns(agent, "go")
        (one,) = (file for body in checkpoints(agent) if body["kind"] == "before" for file in body["files"])
        git(places.root, "--git-dir", str(places.shared / "checkpoints.git"), "gc", "-q", "--prune=now")
        assert json.dumps(one).count(SECRET) == 0
        assert agent.keeper is not None
        assert len(back(agent).files) == 1

"""A plan promises what can be done, and says of everything else that it cannot."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest
from keeping import back, calls, disk, keeping, repository, turns
from scripts import call

from agentmem.agent.agent import Agent
from agentmem.agent.plan import Plan
from agentmem.agent.report import done_lines, plan_lines, plan_to_json
from agentmem.domain.places import Places

WRITE = call("write", path="deep/a.txt", content="new\n")


def plan_of(agent: Agent) -> Plan:
    return agent.rewind.plan(agent.rewind.past(None).id)


def a_directory(places: Places) -> None:
    (places.root / "deep" / "a.txt").unlink()
    (places.root / "deep" / "a.txt").mkdir()


def a_link_above(places: Places) -> None:
    (places.root / "deep").rename(places.root / "real")
    (places.root / "deep").symlink_to("real")


def a_file_above(places: Places) -> None:
    shutil.rmtree(places.root / "deep")
    (places.root / "deep").write_text("x")


def no_objects(places: Places) -> None:
    shutil.rmtree(places.shared / "checkpoints.git" / "objects")


def a_pipe(places: Places) -> None:
    (places.root / "deep" / "a.txt").unlink()
    os.mkfifo(places.root / "deep" / "a.txt")


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (a_directory, "it is a directory now"),
        (a_pipe, "it is a pipe now"),
        (a_link_above, "a directory above it is a link now"),
        (a_file_above, "a file stands where a directory above it was"),
        (no_objects, "its earlier bytes are no longer kept"),
    ],
)
def test_what_cannot_be_put_back_is_said_before_and_counts_as_failed(
    places: Places, what: Callable[[Places], None], why: str
) -> None:
    (places.root / "deep").mkdir()
    (places.root / "deep" / "a.txt").write_text("old\n")
    with keeping(places, calls(call("read", path="deep/a.txt"), WRITE)) as agent:
        turns(agent, "go")
        what(places)
        plan = plan_of(agent)
        assert (plan.back, plan.asked, plan.cannot) == ((), (), ((b"deep/a.txt", why),))
        assert plan_lines(plan)[1:3] == ["written by the agent, and cannot be put back:", f"  deep/a.txt  ({why})"]
        assert plan_to_json(plan)["cannot"] == [{"path": "deep/a.txt", "why": why}]
        before, log = sorted(map(str, places.root.rglob("*"))), agent.log.read_bytes()
        done = back(agent, everything=True)
        assert (done.files, done.failed) == ((), ((b"deep/a.txt", why),))
        assert done_lines(done) == [f"NOT put back: deep/a.txt ({why})"]
        assert (sorted(map(str, places.root.rglob("*"))), agent.log.read_bytes()) == (before, log)


def test_what_can_be_put_back_is_though_others_cannot(places: Places) -> None:
    with keeping(places, calls(WRITE, call("write", path="b.txt", content="b\n"))) as agent:
        turns(agent, "go")
        a_directory(places)
        done = back(agent)
        assert ([step.path for step in done.files], [path for path, _ in done.failed]) == ([b"b.txt"], [b"deep/a.txt"])


def test_what_others_changed_and_cannot_go_back_is_told_and_no_failure(places: Places) -> None:
    repository(places.root)
    with keeping(places, calls(call("bash", command="rm b.py && mkdir b.py"))) as agent:
        turns(agent, "go")
        plan = plan_of(agent)
        assert plan.cannot == ()
        assert plan.stays == (
            (b"b.py/", "a new directory"),
            (b"b.py", "cannot be put back: it is a directory now"),
        )
        assert back(agent, everything=True).failed == ()


def test_a_mode_that_a_command_changed_is_told_as_that_and_goes_back(places: Places) -> None:
    repository(places.root)
    script = calls(call("write", path="n.sh", content="n\n"), call("bash", command="chmod 755 a.py n.sh"))
    script = [*calls(call("write", path="n.sh", content="m\n")), *script]
    with keeping(places, script) as agent:
        turns(agent, "one", "two")
        plan = plan_of(agent)
        assert plan.back == ()
        assert [(step.path, step.does, step.why) for step in plan.asked] == [
            (b"n.sh", "restore", "its mode was changed since the agent wrote it"),
            (b"a.py", "mode", "mode changed, not by write or edit"),
        ]
        back(agent, everything=True)
    assert {path: mode for path, (_, mode, _) in disk(places.root).items()}[b"n.sh"] == 0o644
    assert (places.root / "a.py").stat().st_mode & 0o777 == 0o644


def test_directories_are_told_and_left_alone(places: Places) -> None:
    repository(places.root)
    (places.root / "gone").mkdir()
    (places.root / "mode").mkdir(mode=0o755)
    with keeping(places, calls(call("bash", command="mkdir made; rmdir gone; chmod 700 mode"))) as agent:
        turns(agent, "go")
        plan = plan_of(agent)
        assert plan.asked == ()
        assert plan.stays == (
            (b"gone/", "a directory, gone"),
            (b"made/", "a new directory"),
            (b"mode/", "a directory, its mode changed"),
        )
        back(agent, everything=True)
    assert (places.root / "made").is_dir()


def test_a_mode_alone_needs_no_kept_bytes(places: Places) -> None:
    repository(places.root)
    with keeping(places, calls(call("bash", command="chmod +x a.py"))) as agent:
        turns(agent, "go")
        plan = plan_of(agent)
        assert [(step.path, step.does) for step in plan.asked] == [(b"a.py", "mode")]


def test_a_tasks_own_session_says_where_its_files_go_back(places: Places) -> None:
    give = {"tool_calls": [call("task", prompt="write it")]}
    script = [give, *calls(call("write", path="n.txt", content="n\n")), {"text": "done"}]
    with keeping(places, script) as agent:
        turns(agent, "go")
        giver = agent.session_id
        assert [(past.text, past.files) for past in agent.rewind.pasts()] == [("go", 1)]
        (task,) = (path.stem for path in places.sessions.glob("*.jsonl") if path.stem != giver)
    with keeping(places, [], resume=task) as agent:
        told = agent.rewind.plan(agent.session.tree().entries[0].id)
        assert told.unknown == f"a task's files go back with the session that gave it: {giver}"

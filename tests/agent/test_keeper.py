from __future__ import annotations

import os
import time

from keeping import back, calls, checkpoints, disk, keeping, notices, repository, turns
from scripts import call, ended, results

from agentmem.agent.keeper import Keeper
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Notice
from agentmem.domain.message import ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import Access

WRITE = call("write", path="n.txt", content="n\n")


def test_a_turn_that_only_reads_keeps_nothing(places: Places) -> None:
    repository(places.root)
    with keeping(places, calls(call("read", path="a.py"), call("ls"))) as agent:
        turns(agent, "look")
        assert checkpoints(agent) == []
    assert not (places.shared / "checkpoints.git").exists()


def test_making_an_agent_makes_nothing(places: Places) -> None:
    with keeping(places, []):
        assert sorted(path.name for path in places.home.iterdir()) == ["script.jsonl"]
    assert list(places.root.iterdir()) == []


def test_the_earlier_bytes_are_kept_before_the_tool_writes(places: Places) -> None:
    (places.root / "n.txt").write_text("old\n")
    with keeping(places, calls(call("read", path="n.txt"), WRITE)) as agent:
        turns(agent, "go")
        before, after = checkpoints(agent)
        assert before["kind"] == "before"
        assert before["files"][0]["before"].startswith("file 0644 ")
        assert after["files"] == [{"path": "n.txt", "after": "file 0644 8ba3a16384aacc37d01564b28401755ce8053f51"}]
        entries = [(entry.type, entry.body.get("role")) for entry in agent.session.entries]
        place = entries.index(("checkpoint", None))
        assert entries[place : place + 3] == [("checkpoint", None), ("checkpoint", None), ("message", "tool")]


def test_one_snapshot_a_turn_before_its_first_command(places: Places) -> None:
    run = call("bash", command="echo x >> log.txt")
    with keeping(places, [*calls(run, run), *calls(run)]) as agent:
        turns(agent, "one", "two")
        kinds = [one["kind"] for one in checkpoints(agent)]
        assert kinds == ["tree", "tree"]
        assert len({one["turn"] for one in checkpoints(agent)}) == 2


def test_without_git_the_person_is_told_once_and_writes_go_back(places: Places) -> None:
    run = call("bash", command="true")
    with keeping(places, [*calls(run, WRITE), *calls(run)]) as agent:
        agent.keeper = Keeper(agent.session, agent.clock, {"PATH": "/nowhere"})
        first, second = turns(agent, "one", "two")
        assert [text.split(":")[0] for text in notices(first)] == ["git is not installed"]
        assert notices(second) == []
        plan = agent.rewind.plan(agent.rewind.past("1").id)
        assert plan.unknown == "no command was run, so no snapshot was taken"
        back(agent, "1")
        assert disk(places.root) == {}


def test_a_checkpoint_that_cannot_be_made_is_told_and_the_turn_goes_on(places: Places) -> None:
    places.shared.mkdir()
    (places.shared / "checkpoints.git").write_text("a file where a directory belongs")
    with keeping(places, calls(WRITE, WRITE, call("bash", command="echo ran"))) as agent:
        [events] = turns(agent, "go")
        assert [(event.level, event.text.split("(")[0]) for event in events if isinstance(event, Notice)] == [
            ("warning", "the earlier text of n.txt could not be kept "),
            ("warning", "no snapshot before the first command of this turn "),
        ]
        assert ended(events).stop == "done"
        assert (places.root / "n.txt").read_text() == "n\n"
        assert results(agent)[-1].startswith("ran\n")


def test_a_snapshot_that_fails_is_told(places: Places) -> None:
    (places.home / "checkpoints").write_text("a file where a directory belongs")
    with keeping(places, calls(call("bash", command="echo ran"))) as agent:
        [events] = turns(agent, "go")
        [told] = notices(events)
        assert told.startswith("no snapshot before the first command of this turn: ")
        assert ended(events).stop == "done"


def test_a_file_too_large_to_keep_is_told(places: Places) -> None:
    with (places.root / "n.txt").open("wb") as file:
        file.truncate(64_000_001)
    with keeping(places, calls(WRITE)) as agent:
        [events] = turns(agent, "go")
        assert notices(events) == ["n.txt is larger than 64 MB: /rewind cannot put its earlier text back"]
        assert checkpoints(agent) == []


SLOW = """#!/bin/sh
case "$*" in *ls-files*) sleep 20;; esac
exec {git} "$@"
"""


def test_the_first_command_never_waits_longer_than_it_may(places: Places) -> None:
    """A work tree that takes too long: the command runs in time, and is the only one that waits."""
    slow = places.home / "bin"
    slow.mkdir()
    (slow / "git").write_text(SLOW.format(git="/usr/bin/git"))
    (slow / "git").chmod(0o755)
    run = call("bash", command="true")
    with keeping(places, [*calls(run, run), *calls(run)]) as agent:
        agent.keeper = Keeper(agent.session, agent.clock, {"PATH": f"{slow}:{os.environ['PATH']}"})
        began = time.monotonic()
        first, second = turns(agent, "one", "two")
        assert time.monotonic() - began < 5
        for events in (first, second):
            [told] = notices(events)
            assert told.endswith("its files are too many to look at in the time there is")
        assert checkpoints(agent) == []
        began = time.monotonic()
    assert time.monotonic() - began < 5


def test_another_session_gets_a_keeper_of_its_own(places: Places) -> None:
    with keeping(places, [*calls(WRITE), *calls(call("write", path="m.txt", content="m\n"))]) as agent:
        turns(agent, "one")
        agent.shelf.clear()
        turns(agent, "two")
        assert agent.keeper is not None
        assert agent.keeper.session is agent.session
        assert [past.text for past in agent.rewind.pasts()] == ["two"]
        back(agent)
        assert sorted(disk(places.root)) == [b"n.txt"]


def test_a_name_that_is_no_utf_8_is_kept_in_hex(places: Places) -> None:
    with keeping(places, calls(call("write", path="\udcff.txt", content="n\n"))) as agent:
        turns(agent, "go")
        assert checkpoints(agent)[0]["files"] == [{"path_hex": "ff2e747874", "before": "absent"}]
        back(agent)
        assert disk(places.root) == {}


def test_what_a_sub_session_writes_is_its_givers_turn(places: Places) -> None:
    script = [*calls(call("bash", command="true"), WRITE)]
    with keeping(places, script) as agent:
        turns(agent, "go")
        turn = agent.rewind.past(None).id
        assert agent.keeper is not None
        agent.keeper.begin("a sub-session", "its own message")
        assert agent.keeper.before(ToolCall("call_1", "bash"), [Access("run", "true", "true")], Cancel()) == []
        kept = agent.keeper.before(ToolCall("call_1", "write"), [Access("write", f"{places.root}/m", "m")], Cancel())
        (places.root / "m").write_text("m")
        agent.keeper.after(ToolCall("call_1", "write"))
        assert kept == []
        assert [one.get("turn") for one in checkpoints(agent)] == [turn, turn, None, turn, None]
        back(agent)
        assert disk(places.root) == {}

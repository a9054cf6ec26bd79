from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from keeping import back, calls, checkpoints, disk, git, keeping, notices, repository, turns, view
from scripts import call, ended, log_of

from agentmem.agent.rewind import CannotRewind
from agentmem.domain.places import Places

EDIT = call("edit", path="a.py", edits=[{"old": "committed", "new": "edited"}])


def paths(steps: object) -> list[bytes]:
    return [step.path for step in steps]  # type: ignore[attr-defined]


def test_the_files_go_back_and_the_rewind_can_be_taken_back(places: Places) -> None:
    repository(places.root)
    agent = keeping(
        places, calls(call("read", path="a.py"), EDIT, call("write", path="deep/er/new.txt", content="n\n"))
    )
    before = disk(places.root)
    with agent:
        turns(agent, "change a.py")
        after = disk(places.root)
        assert (places.root / "a.py").read_text() == "a.py as edited\n"
        done = back(agent)
        assert [(step.path, step.does) for step in done.files] == [(b"a.py", "restore"), (b"deep/er/new.txt", "remove")]
        assert disk(places.root) == before
        assert not (places.root / "deep").exists()
        agent.rewind.undo(agent.rewind.plan_undo())
        assert disk(places.root) == after
        agent.rewind.undo(agent.rewind.plan_undo())
        assert disk(places.root) == before


def test_any_turn_can_be_gone_back_to(places: Places) -> None:
    write = [call("write", path=f"{n}.txt", content=f"{n}\n") for n in range(3)]
    script = [*calls(write[0]), *calls(write[1]), *calls(write[2])]
    with keeping(places, script) as agent:
        turns(agent, "one", "two", "three")
        assert [(past.text, past.files) for past in agent.rewind.pasts()] == [("one", 1), ("two", 1), ("three", 1)]
        back(agent, "2")
        assert sorted(disk(places.root)) == [b"0.txt"]


def test_the_conversation_goes_back_and_offers_what_was_said(places: Places) -> None:
    with keeping(places, [*calls(), *calls(), *calls()]) as agent:
        turns(agent, "one", "two")
        done = back(agent, "2", "conversation")
        assert (done.moved, done.draft, done.files) == (True, "two", ())
        assert [past.text for past in agent.rewind.pasts()] == ["one"]
        turns(agent, "two, said anew")
        assert [past.text for past in agent.rewind.pasts()] == ["one", "two, said anew"]
        sent = agent.session.prompt().messages
        assert [message.text.split("\n")[0] for message in sent if message.role == "user"][:2] == [
            "one",
            "two, said anew",
        ]


def test_both_go_back_and_forth_together(places: Places) -> None:
    with keeping(places, calls(call("write", path="n.txt", content="n\n"))) as agent:
        turns(agent, "write it")
        leaf_messages = len(agent.session.prompt().messages)
        back(agent, None, "both")
        assert (disk(places.root), agent.session.prompt().messages) == ({}, ())
        agent.rewind.undo(agent.rewind.plan_undo())
        assert sorted(disk(places.root)) == [b"n.txt"]
        assert len(agent.session.prompt().messages) == leaf_messages


def test_the_model_is_told_of_files_that_went_back_without_the_conversation(places: Places) -> None:
    with keeping(places, calls(call("write", path="n.txt", content="n\n"))) as agent:
        turns(agent, "write it")
        back(agent)
        last = agent.session.prompt().messages[-1].text
        assert "The user rewound these files" in last
        assert "- n.txt: removed" in last


def test_the_users_staged_work_and_git_are_untouched(places: Places) -> None:
    """A staged, a modified and an untracked file; checkpoint, then restore it."""
    repository(places.root)
    (places.root / "a.py").write_text("staged\n")
    git(places.root, "add", "a.py")
    (places.root / "b.py").write_text("b.py not staged\n")
    (places.root / "c.log").write_text("untracked\n")
    subprocess.run(("git", "init", "-q", "sub"), cwd=places.root, check=True)
    (places.root / "sub" / "inner.txt").write_text("in a repository without a commit\n")
    script = calls(call("bash", command="true"), call("write", path="new.txt", content="n\n"))
    with keeping(places, script) as agent:
        (places.shared).mkdir()
        (places.shared / ".gitignore").write_text("*\n")
        before, files = view(places.root), disk(places.root)
        events = turns(agent, "go")[0]
        assert notices(events) == []
        assert [one["kind"] for one in checkpoints(agent)] == ["tree", "before", "after"]
        (places.root / "new.txt").unlink()
        assert view(places.root) == before
        (places.root / "new.txt").write_text("n\n")
        back(agent)
        assert view(places.root) == before
        assert disk(places.root) == files


def test_the_users_git_settings_have_no_say(places: Places, tmp_path: Path) -> None:
    """Global config with gpgsign, a failing hooks path and no identity."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-{name}\nexit 1\n")
        (hooks / name).chmod(0o755)
    config = places.home / ".gitconfig"
    config.write_text(f"[commit]\n\tgpgsign = true\n[core]\n\thooksPath = {hooks}\n[gpg]\n\tprogram = false\n")
    said = config.read_bytes()
    repository(places.root)
    before = view(places.root, config)
    for ran in tmp_path.glob("ran-*"):  # the test's own git
        ran.unlink()
    script = calls(call("bash", command="echo x >> b.py"), call("write", path="n.txt", content="n\n"))
    with keeping(places, script) as agent:
        events = turns(agent, "go")[0]
        assert (ended(events).stop, notices(events)) == ("done", [])
        back(agent, everything=True)
    assert list(tmp_path.glob("ran-*")) == []
    assert config.read_bytes() == said
    hidden = before[0] + (b"" if b".agent" in before[0] else b"!! .agent/\n")
    now = view(places.root, config)
    assert (sorted(now[0].split(b"\n")), now[1:]) == (sorted(hidden.split(b"\n")), before[1:])


def test_a_rewind_sweeps_nothing(places: Places) -> None:
    """A command made out/big.csv, the person edited notes.md: listed first, and untouched."""
    repository(places.root)
    (places.root / ".gitignore").write_text("*.tmp\n")
    command = "mkdir out && echo 1,2,3 > out/big.csv && echo x > ignored.tmp && echo more >> b.py"
    with keeping(places, calls(call("read", path="a.py"), call("bash", command=command), EDIT)) as agent:
        turns(agent, "go")
        (places.root / "notes.md").write_text("by hand\n")
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert paths(plan.back) == [b"a.py"]
        assert [(step.path, step.why) for step in plan.asked] == [
            (b"b.py", "changed, not by write or edit"),
            (b"notes.md", "changed, not by write or edit"),
        ]
        assert plan.stays == ((b"out/big.csv", "new"),)
        back(agent)
        assert (places.root / "a.py").read_text() == "a.py as committed\n"
        assert (places.root / "out" / "big.csv").read_text() == "1,2,3\n"
        assert (places.root / "notes.md").read_text() == "by hand\n"
        assert (places.root / "b.py").read_text() == "b.py as committed\nmore\n"
        back(agent, everything=True)
        assert (places.root / "b.py").read_text() == "b.py as committed\n"
        assert (places.root / "notes.md").read_text() == "notes.md as committed\n"
        assert (places.root / "out" / "big.csv").exists()
        assert (places.root / "ignored.tmp").exists()
        agent.rewind.undo(agent.rewind.plan_undo())
        assert (places.root / "notes.md").read_text() == "by hand\n"


def test_a_file_the_person_edited_after_the_agent_stays_until_they_say_so(places: Places) -> None:
    repository(places.root)
    with keeping(places, calls(call("read", path="a.py"), EDIT)) as agent:
        turns(agent, "go")
        (places.root / "a.py").write_text("by hand\n")
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, [step.why for step in plan.asked]) == ((), ["changed since the agent wrote it"])
        back(agent)
        assert (places.root / "a.py").read_text() == "by hand\n"
        back(agent, everything=True)
        assert (places.root / "a.py").read_text() == "a.py as committed\n"
        agent.rewind.undo(agent.rewind.plan_undo())
        assert (places.root / "a.py").read_text() == "by hand\n"


def test_a_failed_edit_is_no_write(places: Places) -> None:
    repository(places.root)
    edit = call("edit", path="a.py", edits=[{"old": "is not there", "new": "x"}])
    with keeping(places, calls(call("read", path="a.py"), edit)) as agent:
        turns(agent, "go")
        (places.root / "a.py").write_text("by hand\n")
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.asked) == ((), ())


def test_what_lies_outside_or_steers_needs_a_word(places: Places, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    script = calls(
        call("write", path=str(outside), content="o\n"),
        call("write", path=".git/hooks/pre-commit", content="#!/bin/sh\n"),
    )
    with keeping(places, script) as agent:
        turns(agent, "go")
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert plan.back == ()
        assert sorted(paths(plan.asked)) == [b".git/hooks/pre-commit", os.fsencode(outside)]
        back(agent, everything=True)
        assert not outside.exists()
        assert not (places.root / ".git").exists()


def test_memory_is_never_put_back(places: Places) -> None:
    """A log that came from elsewhere may name any path."""
    with keeping(places, calls()) as agent:
        turns(agent, "go")
        (places.root / "MEMORY.md").write_text("- mine\n")
        vault = agent.keeper.vault() if agent.keeper else None
        assert vault is not None
        vault.keep([str(places.root / "MEMORY.md")])
        files = [{"path": "MEMORY.md", "before": "absent", "after": str(vault.look(b"MEMORY.md"))}]
        files += [
            {"path": "../up.txt", "before": "absent"},
            {"path": "a/../../up.txt", "before": "absent"},
            {"path": 3},
        ]
        agent.session.record_checkpoint({"kind": "rewind", "to": "x", "files": files})
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.asked) == ((), ())
        assert plan.stays == ((b"MEMORY.md", "it is the agent's memory"),)


def test_what_a_clone_brought_into_the_store_is_not_believed(places: Places) -> None:
    """Right names with wrong bytes: the old bytes are kept all the same, and wrong ones are never put back."""
    repository(places.root)
    name = "7e0c64e6e6ee73e8c4f2e2c2a5b1e9a9e6e6e6e6"
    with keeping(places, calls(call("read", path="a.py"), EDIT)) as agent:
        turns(agent, "go")
        [kept] = [one for one in checkpoints(agent) if one["kind"] == "before"]
        name = kept["files"][0]["before"].split(" ")[2]
        path = places.shared / "checkpoints.git" / "objects" / name[:2] / name[2:]
        path.chmod(0o600)
        import zlib

        path.write_bytes(zlib.compress(b"blob 4\0evil"))
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.cannot) == ((), ((b"a.py", "its earlier bytes are damaged"),))
        done = back(agent)
        assert (done.files, done.failed) == ((), ((b"a.py", "its earlier bytes are damaged"),))
        assert (places.root / "a.py").read_text() == "a.py as edited\n"


def test_another_work_trees_checkpoints_are_not_ours(places: Places, tmp_path: Path) -> None:
    with keeping(places, calls(call("write", path="n.txt", content="n\n"))) as agent:
        turns(agent, "go")
        session = agent.session_id
    other = tmp_path / "other"
    other.mkdir()
    (other / "n.txt").write_text("n\n")
    there = Places(other, other, places.home, places.shared)
    with keeping(there, calls(), resume=session) as agent:
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.asked) == ((), ())
        told = (os.fsencode(places.root / "n.txt"), "it lies in another work tree; rewind the session there")
        assert plan.stays == (told,)
        back(agent, everything=True)
    assert ((places.root / "n.txt").read_text(), (other / "n.txt").read_text()) == ("n\n", "n\n")


@pytest.mark.parametrize("called", ["9999999999999", "nope", "zz"])
def test_an_unknown_message_is_said(places: Places, called: str) -> None:
    with keeping(places, calls()) as agent:
        turns(agent, "go")
        with pytest.raises(CannotRewind, match="no one message of yours"):
            agent.rewind.past(called)


def test_without_a_rewind_there_is_nothing_to_undo(places: Places) -> None:
    with keeping(places, calls()) as agent:
        with pytest.raises(CannotRewind, match="nothing was said yet"):
            agent.rewind.past(None)
        turns(agent, "go")
        with pytest.raises(CannotRewind, match="no rewind"):
            agent.rewind.plan_undo()


def test_checkpoints_stand_in_the_log_and_are_small(places: Places) -> None:
    repository(places.root)
    with keeping(places, calls(call("read", path="a.py"), EDIT, call("bash", command="true"))) as agent:
        turns(agent, "go")
        lines = [line for line in log_of(agent) if line["type"] == "checkpoint"]
        turn = agent.rewind.past(None).id
        assert [(line["kind"], line.get("turn")) for line in lines] == [
            ("before", turn),
            ("after", None),
            ("tree", turn),
        ]
        assert max(len(str(line)) for line in lines) < 400
        fsck = subprocess.run(
            ("git", "--git-dir", str(places.shared / "checkpoints.git"), "fsck", "--strict"), capture_output=True
        )
        assert (fsck.returncode, fsck.stdout) == (0, b"")


def test_a_rewind_that_cannot_keep_what_is_there_changes_nothing(places: Places) -> None:
    """As on a full disk: there is no room for the bytes that a rewind would take away."""
    with keeping(places, calls(call("write", path="n.txt", content="n\n"))) as agent:
        turns(agent, "go")
        blob = agent.rewind.plan(agent.rewind.past(None).id).back[0].now.blob
        (places.shared / "checkpoints.git" / "objects" / blob[:2]).write_text("a file where a directory belongs")
        count = len(log_of(agent))
        with pytest.raises(CannotRewind, match=r"could not be kept .*: nothing was changed"):
            back(agent)
        assert (sorted(disk(places.root)), len(log_of(agent))) == ([b"n.txt"], count)


def test_a_store_that_is_gone_is_said(places: Places) -> None:
    with keeping(places, calls(call("write", path="n.txt", content="n\n"))) as agent:
        turns(agent, "go")
        session = agent.session_id
    shutil.rmtree(places.shared / "checkpoints.git")
    (places.shared / "checkpoints.git").write_text("")
    with keeping(places, [], resume=session) as agent:
        with pytest.raises(CannotRewind, match="the checkpoints cannot be used"):
            back(agent)
        with pytest.raises(CannotRewind, match="there is no entry nowhere"):
            agent.rewind.plan("nowhere")


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[4:]
from keeping import keeping
from agentmem.domain.places import Places
root, session, left = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
agent = keeping(Places(root, root, root.parent / "home", root / ".agent"), [], resume=session)
rewind = agent.rewind
past = rewind.past(None)
plan = rewind.plan(past.id)

def count(event, arguments):
    global left
    place = str(arguments[0]) if arguments else ""
    if event == "os.remove" or ".agentmem-" in place and event in ("open", "os.rename"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
rewind.perform(past, plan, "files")
"""


def test_a_rewind_killed_half_way_leaves_whole_files_and_can_be_run_again(places: Places) -> None:
    """Killed before it writes beside a file, before it renames, before it removes one."""
    script = []
    for number in range(12):
        (places.root / f"{number}.txt").write_text(f"old {number}\n" * 500)
        made = [
            call("read", path=f"{number}.txt"),
            call("write", path=f"{number}.txt", content=f"new {number}\n" * 700),
        ]
        script.append({"tool_calls": [*made, call("write", path=f"made/{number}.txt", content="new\n")]})
    old = disk(places.root)
    with keeping(places, [*script, {"text": "done"}]) as agent:
        turns(agent, "go")
        session = agent.session_id
    new = disk(places.root)
    program = places.home / "killed.py"
    program.write_text(KILLED)
    here = [str(folder) for folder in Path(__file__).resolve().parents[:3]]
    changed = []
    for steps in (1, 2, 5, 6, 9, 12):
        command = (sys.executable, str(program), str(places.root), session, str(steps), *here)
        ran = subprocess.run(command, capture_output=True)
        assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGKILL, b"", b"")
        now = {path: found for path, found in disk(places.root).items() if not path.endswith(b".tmp")}
        assert {path: found for path, found in now.items() if found not in (old.get(path), new[path])} == {}
        assert new.keys() >= now.keys() >= old.keys()
        changed.append(sum(now.get(path) != new[path] for path in new))
    assert changed == [0, 0, 2, 4, 8, 15]
    with keeping(places, [], resume=session) as agent:
        assert back(agent).failed == ()
        for path in places.root.rglob(".agentmem-*.tmp"):
            path.unlink()
        assert disk(places.root) == old

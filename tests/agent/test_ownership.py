"""Which files a rewind may call ours: moved projects, linked work trees that are there, and those that are gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from keeping import back, calls, git, keeping, repository, turns
from scripts import call

from agentmem.domain.places import Places
from agentmem.workspace.paths import find_places

EDIT = call("edit", path="a.py", edits=[{"old": "committed", "new": "edited"}])
SCRIPT = calls(call("read", path="a.py"), EDIT, call("write", path="n.txt", content="n\n"))


def linked(places: Places, name: str) -> Places:
    """A linked work tree of the repository at `places`."""
    repository(places.root)
    (places.root / ".agent").mkdir()
    tree = places.root.parent / name
    git(places.root, "worktree", "add", "-q", str(tree))
    found = find_places(tree, places.home)
    assert (found.root, found.shared) == (tree, places.shared)
    return found


def contents(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.iterdir()) if path.is_file() and path.name != ".git"}


def test_the_files_of_a_linked_tree_that_was_removed_are_not_those_of_the_main_one(places: Places) -> None:
    there = linked(places, "linked")
    with keeping(there, SCRIPT) as agent:
        turns(agent, "go")
        session = agent.session_id
    git(places.root, "worktree", "remove", "--force", str(there.root))
    (places.root / "n.txt").write_text("mine\n")
    before = contents(places.root)
    with keeping(places, [], resume=session) as agent:
        assert agent.rewind.past(None).files == 2
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        why = f"not this file: the one written lay in {there.root}, which is gone"
        assert (plan.back, plan.stays) == ((), ())
        assert [(step.path, step.does, step.why) for step in plan.asked] == [(b"n.txt", "remove", why)]
        assert back(agent).files == ()
        assert contents(places.root) == before
        back(agent, everything=True)
        assert not (places.root / "n.txt").exists()
        agent.rewind.undo(agent.rewind.plan_undo())
        assert contents(places.root) == before


def test_what_both_trees_wrote_goes_back_by_its_own_history(places: Places) -> None:
    """The linked tree's bytes never become the main one's, whichever was written first."""
    there = linked(places, "linked")
    (there.root / "a.py").write_text("there, committed\n")
    with keeping(there, SCRIPT) as agent:
        turns(agent, "go")
        session = agent.session_id
    with keeping(places, SCRIPT, resume=session) as agent:
        turns(agent, "go on")
        first = agent.rewind.pasts()[0]
        assert contents(places.root)["a.py"] == "a.py as edited\n"
        shutil.rmtree(there.root)
        plan = agent.rewind.plan(first.id)
        assert [(step.path, step.does) for step in plan.back] == [(b"a.py", "restore"), (b"n.txt", "remove")]
        assert plan.asked == ()
        agent.rewind.perform(first, plan, "files", everything=True)
    assert contents(places.root) == {name: f"{name} as committed\n" for name in ("a.py", "b.py", "notes.md")}


def test_the_files_of_a_project_that_was_moved_are_its_own(places: Places) -> None:
    repository(places.root)
    with keeping(places, SCRIPT) as agent:
        turns(agent, "go")
        session = agent.session_id
    moved = places.root.with_name("moved")
    os.rename(places.root, moved)
    for link in (False, True):  # a link at the old place changes nothing
        if link:
            places.root.symlink_to(moved)
        with keeping(Places(moved, moved, places.home, moved / ".agent"), [], resume=session) as agent:
            plan = agent.rewind.plan(agent.rewind.past(None).id)
            assert [step.path for step in plan.back] == [b"a.py", b"n.txt"]
    with keeping(Places(moved, moved, places.home, moved / ".agent"), [], resume=session) as agent:
        back(agent)
    assert contents(moved) == {name: f"{name} as committed\n" for name in ("a.py", "b.py", "notes.md")}


def test_the_main_trees_files_are_not_those_of_a_linked_one(places: Places) -> None:
    there = linked(places, "linked")
    with keeping(places, SCRIPT) as agent:
        turns(agent, "go")
        session = agent.session_id
    (there.root / "n.txt").write_text("other\n")
    with keeping(there, [], resume=session) as agent:
        plan = agent.rewind.plan(agent.rewind.past(None).id)
        assert (plan.back, plan.asked) == ((), ())
        assert sorted(path for path, _ in plan.stays) == [os.fsencode(places.root / name) for name in ("a.py", "n.txt")]

"""Which directories share sessions and which never do: look-alikes, moved projects, linked work trees, copies."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.message import Text
from agentmem.memory import memory
from agentmem.workspace.paths import find_places

LOOK_ALIKES = ["a-b/c", "a/b-c", "项目甲", "测试乙", "-rf", "a b", "A", "a"]


def talked(cwd: Path, home: Path, text: str) -> str:
    session = memory.new_session(find_places(cwd, home), Clock(), "0")
    session.record_user([Text(text, "person")])
    session.close()
    return session.id


def test_look_alike_directories_never_share(tmp_path: Path) -> None:
    base, home = tmp_path / "w", tmp_path / "home"
    (base / "a").mkdir(parents=True)
    if (base / "A").exists():
        pytest.skip("this disk takes A and a for one name")
    made = {}
    for name in LOOK_ALIKES:
        (base / name).mkdir(parents=True, exist_ok=True)
        (base / name / ".git").mkdir()
        (base / name / ".git" / "HEAD").touch()
        made[name] = talked(base / name, home, name)
    stores = {name: find_places(base / name, home).sessions for name in LOOK_ALIKES}
    assert len(set(stores.values())) == 8
    assert not any(store.name.startswith("-") or store.parent.name.startswith("-") for store in stores.values())
    for name in LOOK_ALIKES:
        (found,) = memory.list_sessions(find_places(base / name, home))
        assert (found.id, found.preview, found.cwd) == (made[name], name, str(base / name))
    shutil.rmtree(stores["a-b/c"])
    left = [name for name in LOOK_ALIKES if memory.list_sessions(find_places(base / name, home))]
    assert left == LOOK_ALIKES[1:]


def test_a_moved_project_finds_its_sessions(tmp_path: Path) -> None:
    old, new, home = tmp_path / "old", tmp_path / "new", tmp_path / "home"
    old.mkdir()
    own = talked(old, home, "hello")
    old.rename(new)
    places = find_places(new, home)
    assert memory.last_session(places) == own
    session = memory.resume_session(places, Clock(), own[:19])
    assert [text for text in session.notices if str(old) in text and "not there any more" in text]
    session.record_user([Text("still here", "person")])
    session.close()
    assert [one.last for one in memory.list_sessions(places)] == ["still here"]


def test_a_copied_project_is_another_one(tmp_path: Path) -> None:
    old, new, home = tmp_path / "old", tmp_path / "new", tmp_path / "home"
    old.mkdir()
    own = talked(old, home, "hello")
    shutil.copytree(old, new)
    places = find_places(new, home)
    assert memory.last_session(places) is None  # the other one goes on where it is
    session = memory.resume_session(places, Clock(), own)
    session.record_user([Text("in the copy", "person")])
    session.close()
    assert memory.list_sessions(find_places(old, home))[0].last == "hello"


def test_linked_work_trees_share_sessions_and_nothing_else(tmp_path: Path) -> None:
    main, linked, home = tmp_path / "main", tmp_path / "linked", tmp_path / "home"
    git = ["git", "-c", "core.fsmonitor=false", "-c", "user.name=x", "-c", "user.email=x@x.test"]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    for command in (
        ["init", "-q", str(main)],
        ["-C", str(main), "commit", "-q", "--allow-empty", "-m", "first"],
        ["-C", str(main), "worktree", "add", "-q", str(linked)],
    ):
        subprocess.run([*git, *command], check=True, env=env)
    one, two = talked(main, home, "in main"), talked(linked, home, "in linked")
    places = find_places(linked, home)
    assert places.sessions == find_places(main, home).sessions == main / ".agent" / "sessions"
    assert (places.own, places.memory_file) == (linked / ".agent", linked / "MEMORY.md")
    assert {head.id for head in memory.list_sessions(places)} == {one, two}
    assert memory.last_session(places) == two
    assert memory.last_session(find_places(main, home)) == one
    assert not (linked / ".agent").exists()

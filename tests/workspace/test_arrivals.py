from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentmem.domain.gitstep import Arrival
from agentmem.memory.stores.bullets import derived
from agentmem.memory.write.gate.gitwork import brought
from agentmem.workspace.arrivals import arrivals

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
WHO = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(folder: Path, *words: str) -> str:
    ran = subprocess.run(("git", *words), cwd=folder, env=ENV | WHO, capture_output=True, text=True, check=True)
    return ran.stdout


def write(root: Path, *lines: str) -> None:
    (root / "MEMORY.md").write_text("".join(f"- {line}\n" for line in lines))


def commit(root: Path, *lines: str) -> None:
    write(root, *lines)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "c")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    root = tmp_path / "theirs"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    commit(root, "theirs one")
    return root


@pytest.fixture
def ours(theirs: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", str(theirs), "ours")
    return tmp_path / "ours"


def came(root: Path, tmp_path: Path) -> set[str]:
    """Which of the lines that stand in MEMORY.md now git brought from elsewhere."""
    steps = arrivals(root / "MEMORY.md", tmp_path / "home", ENV)
    assert steps is not None
    come = brought(steps).come
    rows = [row.removeprefix("- ") for row in (root / "MEMORY.md").read_text().splitlines()]
    return {row for row in rows if derived(row) in come}


def went(root: Path, tmp_path: Path) -> set[str]:
    """The ids of the lines that git took away."""
    steps = arrivals(root / "MEMORY.md", tmp_path / "home", ENV)
    assert steps is not None
    return brought(steps).gone


def test_a_clone_brings_all_of_it(ours: Path, tmp_path: Path) -> None:
    assert came(ours, tmp_path) == {"theirs one"}
    write(ours, "theirs one", "by hand")
    assert came(ours, tmp_path) == {"theirs one"}


def test_what_is_committed_here_is_our_own_whatever_git_does_with_it_later(ours: Path, tmp_path: Path) -> None:
    commit(ours, "theirs one", "our own")
    git(ours, "checkout", "-q", "-b", "other", "HEAD~1")
    git(ours, "checkout", "-q", "main")
    git(ours, "push", "-q", "origin", "main:elsewhere")
    git(ours, "commit", "-q", "--amend", "-m", "again")
    assert came(ours, tmp_path) == {"theirs one"}


@pytest.mark.parametrize(
    "commands",
    [
        [("pull", "-q", "--no-rebase", "origin", "main")],
        [("pull", "-q", "--rebase", "origin", "main")],
        [("fetch", "-q", "origin"), ("merge", "-q", "origin/main", "-m", "m")],
        [("fetch", "-q", "origin"), ("reset", "-q", "--hard", "origin/main")],
        [("fetch", "-q", "origin"), ("cherry-pick", "origin/main")],
        [("fetch", "-q", "origin"), ("checkout", "-q", "origin/main")],
        [("fetch", "-q", "origin"), ("checkout", "-q", "origin/main", "--", "MEMORY.md")],
        [("fetch", "-q", "origin"), ("checkout", "origin/main", "--", "MEMORY.md"), ("commit", "-qm", "laundered")],
        [("fetch", "-q", "origin", "main"), ("restore", "--source", "FETCH_HEAD", "MEMORY.md")],
    ],
    ids=lambda commands: " + ".join(words[0] for words in commands),
)
def test_every_way_that_git_brings_a_line(
    ours: Path, theirs: Path, tmp_path: Path, commands: list[tuple[str, ...]]
) -> None:
    commit(theirs, "theirs one", "theirs two")
    for words in commands:
        git(ours, *words)
    assert came(ours, tmp_path) == {"theirs one", "theirs two"}


def test_a_stash_is_our_own(ours: Path, tmp_path: Path) -> None:
    write(ours, "theirs one", "by hand")
    git(ours, "stash", "-q")
    git(ours, "stash", "apply", "-q")
    assert came(ours, tmp_path) == {"theirs one"}


def test_what_a_stash_put_aside_went_with_git_and_what_is_cut_by_hand_did_not(ours: Path, tmp_path: Path) -> None:
    write(ours, "theirs one", "put aside")
    git(ours, "stash", "-q")
    commit(ours, "theirs one", "committed")
    assert went(ours, tmp_path) == {derived("put aside")}
    logs = ours / ".git" / "logs" / "HEAD"
    logs.rename(tmp_path / "away")
    assert went(ours, tmp_path) == set()
    (tmp_path / "away").rename(logs)
    git(ours, "checkout", "-q", "stash@{0}", "--", "MEMORY.md")
    commit(ours, "theirs one", "put aside", "committed")
    write(ours, "theirs one", "committed")
    assert went(ours, tmp_path) == set()


def test_a_linked_work_tree_has_a_log_of_its_own(ours: Path, theirs: Path, tmp_path: Path) -> None:
    git(ours, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    commit(tmp_path / "linked", "theirs one", "our own")
    assert came(tmp_path / "linked", tmp_path) == {"theirs one"}


def test_packed_refs_and_lost_logs_are_seen_through(ours: Path, theirs: Path, tmp_path: Path) -> None:
    git(ours, "pack-refs", "--all")
    git(ours, "gc", "-q")
    for log in (ours / ".git" / "logs").rglob("*"):
        if log.is_file():
            log.unlink()
    assert came(ours, tmp_path) == {"theirs one"}


def test_the_repository_has_no_say_in_how_it_is_read(ours: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with (ours / ".git" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = touch {ran}\n[filter "x"]\n\tsmudge = touch {ran}\n\tclean = touch {ran}\n')
    (ours / ".git" / "info" / "attributes").write_text("* filter=x\n")
    assert came(ours, tmp_path) == {"theirs one"}
    assert not ran.exists()


def test_outside_of_a_repository_nothing_comes_by_git(tmp_path: Path) -> None:
    assert arrivals(tmp_path / "MEMORY.md", tmp_path / "home", ENV) == []


def test_a_repository_that_cannot_be_asked_is_told_apart(ours: Path, tmp_path: Path) -> None:
    assert arrivals(ours / "MEMORY.md", tmp_path / "home", {"PATH": "nowhere"}) is None
    for pack in (ours / ".git" / "objects").rglob("*"):
        if pack.is_file():
            pack.unlink()
    assert arrivals(ours / "MEMORY.md", tmp_path / "home", ENV) == []


def test_a_removal_by_git_is_told_apart_from_one_by_hand() -> None:
    found = brought([Arrival(True, b"", b"- a\n- b\n"), Arrival(False, b"- a\n- b\n", b"- b\n- c\n")])
    assert (found.come, found.gone) == ({derived("c")}, {derived("a")})


def test_since_when_git_has_a_line_stand_there() -> None:
    there, here, both = b"- a\n", b"- b\n", b"- a\n- b\n"
    found = brought([Arrival(True, here, there, 10), Arrival(False, there, here, 20), Arrival(False, here, both, 30)])
    assert found.since == {derived("b"): "1970-01-01T00:00:20Z", derived("a"): "1970-01-01T00:00:30Z"}
    assert brought([Arrival(False, here, both, 30), Arrival(True, both, here, 40)]).since == {}
    assert brought([Arrival(False, here, both, 30), Arrival(False, b"", there)]).since == {
        derived("a"): "1970-01-01T00:00:30Z"
    }

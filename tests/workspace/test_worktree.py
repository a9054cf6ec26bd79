"""Layouts of git, made by git itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gitting import git as plain_git

from agentmem.workspace.paths import find_places
from agentmem.workspace.worktree import git_directories, siblings

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    return tmp_path / "person/.agentmem"


def git(folder: Path, *words: str) -> None:
    plain_git(folder, "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *words)


def repository(folder: Path, *more: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", *more)
    (folder / "pkg/src").mkdir(parents=True)
    (folder / "pkg/src/x.py").write_text("x\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "one")
    return folder


def at(folder: Path, home: Path) -> tuple[Path, Path]:
    places = find_places(folder, home)
    return places.root, places.shared


def test_a_linked_work_tree_shares_the_main_ones(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    assert at(main / "pkg", home) == (main, main / ".agent")
    assert at(linked, home) == (linked, main / ".agent")
    assert at(linked / "pkg/src", home) == (linked, main / ".agent")
    (linked / ".agent").mkdir()
    assert at(linked / "pkg", home) == (linked, main / ".agent")


def test_a_linked_work_tree_inside_the_main_one(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    (main / ".agent").mkdir()
    linked = main / ".worktrees/one"
    git(main, "worktree", "add", str(linked))
    assert at(linked / "pkg", home) == (linked, main / ".agent")


def test_a_root_below_the_top_has_its_twin(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    (linked / "pkg/.agent").mkdir()
    assert at(linked / "pkg/src", home) == (linked / "pkg", main / "pkg/.agent")
    (linked / "new/.agent").mkdir(parents=True)
    assert at(linked / "new", home) == (linked / "new", main / ".agent")


def test_relative_git_files(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    (linked / ".git").write_text("gitdir: ../main/.git/worktrees/linked\n")
    assert at(linked / "pkg", home) == (linked, main / ".agent")


def test_git_as_a_link(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    (main / ".git").rename(tmp_path / "data.git")
    (main / ".git").symlink_to(tmp_path / "data.git")
    assert at(main / "pkg/src", home) == (main, main / ".agent")


def test_a_linked_trees_git_as_a_link(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    (linked / ".git").unlink()
    (linked / ".git").symlink_to(main / ".git/worktrees/linked")
    assert at(linked / "pkg", home) == (linked, main / ".agent")


def test_work_trees_of_a_bare_repository_in_a_container(tmp_path: Path, home: Path) -> None:
    source = repository(tmp_path / "source")
    container = tmp_path / "project"
    container.mkdir()
    git(container, "clone", "--bare", str(source), ".bare")
    (container / ".git").write_text("gitdir: ./.bare\n")
    git(container, "worktree", "add", "feature")
    assert at(container / "feature/pkg", home) == (container / "feature", container / ".agent")
    assert at(container, home) == (container, container / ".agent")


def test_work_trees_of_a_bare_repository_that_stands_alone(tmp_path: Path, home: Path) -> None:
    source = repository(tmp_path / "source")
    git(tmp_path, "clone", "--bare", str(source), "x.git")
    git(tmp_path / "x.git", "worktree", "add", str(tmp_path / "one"))
    git(tmp_path / "x.git", "worktree", "add", str(tmp_path / "two"))
    assert at(tmp_path / "one/pkg", home) == (tmp_path / "one", tmp_path / "x.git/.agent")
    assert at(tmp_path / "two", home) == (tmp_path / "two", tmp_path / "x.git/.agent")


def test_a_bare_repository_named_git(tmp_path: Path, home: Path) -> None:
    source = repository(tmp_path / "source")
    container = tmp_path / "project"
    git(tmp_path, "clone", "--bare", str(source), str(container / ".git"))
    git(container, "worktree", "add", "one")
    assert at(container / "one", home) == (container / "one", container / ".agent")


def test_a_submodule(tmp_path: Path, home: Path) -> None:
    part = repository(tmp_path / "part")
    outer = repository(tmp_path / "outer")
    git(outer, "submodule", "add", str(part), "sub")
    git(outer, "commit", "-m", "two")
    assert at(outer / "sub/pkg", home) == (outer / "sub", outer / "sub/.agent")
    linked = tmp_path / "linked-sub"
    git(outer / "sub", "worktree", "add", str(linked))
    assert at(linked / "pkg", home) == (linked, outer / "sub/.agent")
    (outer / ".agent").mkdir()
    assert at(outer / "sub/pkg", home) == (outer, outer / ".agent")


def test_a_submodule_in_a_linked_work_tree_inside_the_main_one(tmp_path: Path, home: Path) -> None:
    part = repository(tmp_path / "part")
    main = repository(tmp_path / "main")
    git(main, "submodule", "add", str(part), "sub")
    git(main, "commit", "-m", "two")
    (main / ".agent").mkdir()
    linked = main / "trees/one"
    git(main, "worktree", "add", str(linked))
    git(linked, "submodule", "update", "--init")
    assert at(linked / "sub/pkg", home) == (linked / "sub", linked / "sub/.agent")
    (linked / ".agent").mkdir()
    assert at(linked / "sub/pkg", home) == (linked, main / ".agent")


def test_a_separate_git_directory(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main", "--separate-git-dir", str(tmp_path / "data"))
    assert at(main / "pkg", home) == (main, main / ".agent")


def test_a_git_file_whose_directory_is_gone(tmp_path: Path, home: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    shutil.rmtree(main)
    assert at(linked / "pkg", home) == (linked, linked / ".agent")


def test_a_made_up_commondir_names_no_other_place(tmp_path: Path, home: Path) -> None:
    victim = repository(tmp_path / "victim")
    evil = tmp_path / "evil"
    (evil / "fake").mkdir(parents=True)
    (evil / ".git").write_text("gitdir: fake\n")
    (evil / "fake/commondir").write_text(f"{victim}/.git\n")
    assert at(evil, home) == (evil, evil / ".agent")
    (evil / "fake/commondir").write_text("\n")
    assert at(evil, home) == (evil, evil / ".agent")


@pytest.mark.parametrize("text", ["", "gitdir\n", "hello\n"])
def test_a_git_file_that_is_none(tmp_path: Path, home: Path, text: str) -> None:
    (tmp_path / "w/a").mkdir(parents=True)
    (tmp_path / "w/.git").write_text(text)
    assert at(tmp_path / "w/a", home) == (tmp_path / "w/a", tmp_path / "w/a/.agent")


def test_a_folder_that_claims_kinship_has_its_own_agent(tmp_path: Path, home: Path) -> None:
    """An archive may hold a `.git` that names the git directory of someone else's work tree, as a file or a link."""
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", str(linked))
    for name in ("stolen", "link", "linkdir"):
        (tmp_path / name).mkdir()
    (tmp_path / "stolen/.git").write_text(f"gitdir: {main}/.git/worktrees/linked\n")
    (tmp_path / "link/.git").symlink_to(linked / ".git")
    (tmp_path / "linkdir/.git").symlink_to(main / ".git/worktrees/linked")
    for name in ("stolen", "link", "linkdir"):
        assert at(tmp_path / name, home) == (tmp_path / name, tmp_path / name / ".agent")
        assert git_directories(tmp_path / name) == (str(tmp_path / name), *[str(main / ".git/worktrees/linked")] * 2)
    assert at(linked, home) == (linked, main / ".agent")
    assert git_directories(linked) == (str(linked), str(main / ".git/worktrees/linked"), str(main / ".git"))


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """A folder whose own git directory, all made up, says that it is linked to `victim`."""
    made = tmp_path / "evil/data/worktrees/x"
    made.mkdir(parents=True)
    (made / "HEAD").write_text("ref: refs/heads/main\n")
    (made / "commondir").write_text("../..\n")
    (made / "gitdir").write_text(f"{tmp_path}/evil/.git\n")
    (tmp_path / "evil/data/config").write_text(f"[core]\n\tworktree = {tmp_path}/victim\n")
    (tmp_path / "evil/.git").write_text("gitdir: data/worktrees/x\n")
    return tmp_path / "evil"


def test_a_made_up_repository_names_no_main_tree(tmp_path: Path, home: Path, forged: Path) -> None:
    repository(tmp_path / "victim")
    assert at(forged, home) == (forged, forged / "data/.agent")
    assert siblings(str(forged)) == []


def test_a_made_up_repository_has_no_siblings(tmp_path: Path) -> None:
    victim, evil = repository(tmp_path / "victim"), repository(tmp_path / "other")
    (evil / ".git/worktrees/x").mkdir(parents=True)
    (evil / ".git/worktrees/x/gitdir").write_text(f"{victim}/.git\n")
    assert siblings(str(evil)) == []


def test_a_submodules_siblings(tmp_path: Path) -> None:
    part, outer = repository(tmp_path / "part"), repository(tmp_path / "outer")
    git(outer, "submodule", "add", str(part), "sub")
    git(outer / "sub", "worktree", "add", str(tmp_path / "linked"))
    assert siblings(str(outer / "sub")) == [str(tmp_path / "linked")]
    assert siblings(str(tmp_path / "linked")) == [str(outer / "sub")]

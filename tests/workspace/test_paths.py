from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmem.domain.places import Places
from agentmem.workspace import paths
from agentmem.workspace.paths import BadPath, NoDirectory, find_places, folds_case, inside, resolve


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home directory, with agentmem's own level in it."""
    person = tmp_path / "person"
    (person / ".agentmem").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(person))
    return person / ".agentmem"


def made(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.name == ".git":
            (folder / "HEAD").write_text("ref: refs/heads/main\n")


def test_without_anything_the_root_is_where_one_stands(tmp_path: Path, home: Path) -> None:
    here = tmp_path / "a/b"
    made(here)
    assert find_places(here, home) == Places(root=here, cwd=here, home=home, shared=here / ".agent")


def test_gits_top(tmp_path: Path, home: Path) -> None:
    made(tmp_path / "w/.git", tmp_path / "w/a/b")
    assert find_places(tmp_path / "w/a/b", home).root == tmp_path / "w"


def test_the_nearest_agent_folder_goes_before_gits_top(tmp_path: Path, home: Path) -> None:
    made(tmp_path / "w/.git", tmp_path / "w/pkg/.agent", tmp_path / "w/pkg/src")
    assert find_places(tmp_path / "w/pkg/src", home).root == tmp_path / "w/pkg"
    made(tmp_path / "all/.agent", tmp_path / "all/one/.git")
    assert find_places(tmp_path / "all/one", home).root == tmp_path / "all"


def test_a_file_named_agent_is_no_mark(tmp_path: Path, home: Path) -> None:
    made(tmp_path / "w/.git", tmp_path / "w/a")
    (tmp_path / "w/a/.agent").write_text("")
    assert find_places(tmp_path / "w/a", home).root == tmp_path / "w"


def test_a_folder_git_is_no_repository_without_head(tmp_path: Path, home: Path) -> None:
    (tmp_path / "w/.git").mkdir(parents=True)
    made(tmp_path / "w/a")
    assert find_places(tmp_path / "w/a", home).root == tmp_path / "w/a"


def test_the_home_directory_does_not_swallow_projects(home: Path) -> None:
    person = home.parent
    made(person / ".agent", person / ".git", person / "notes/a")
    assert find_places(person / "notes/a", home).root == person / "notes/a"
    assert find_places(person, home).root == person


def test_links_are_resolved(tmp_path: Path, home: Path) -> None:
    made(tmp_path / "w/.git", tmp_path / "w/a")
    (tmp_path / "link").symlink_to("w/a")
    places = find_places(tmp_path / "link", home)
    assert (places.root, places.cwd) == (tmp_path / "w", tmp_path / "w/a")


def test_a_directory_that_is_gone(tmp_path: Path, home: Path) -> None:
    with pytest.raises(NoDirectory, match=r"the working directory .*/gone no longer exists: go to one that does"):
        find_places(tmp_path / "gone", home)
    (tmp_path / "f").write_text("")
    with pytest.raises(NoDirectory, match=r"/f is not a directory"):
        find_places(tmp_path / "f", home)


def test_a_relative_start_in_a_directory_that_is_gone(tmp_path: Path, home: Path) -> None:
    before = os.getcwd()
    made(tmp_path / "gone")
    os.chdir(tmp_path / "gone")
    try:
        (tmp_path / "gone").rmdir()
        with pytest.raises(NoDirectory):
            find_places(Path("."), home)
    finally:
        os.chdir(before)


@pytest.mark.parametrize(
    ("named", "wanted"),
    [
        ("x.py", "w/x.py"),
        ("./x.py", "w/x.py"),
        ("a/../x.py", "w/x.py"),
        ("x.py ", "w/x.py"),
        ("\tx.py\n", "w/x.py"),
        ("kept ", "w/kept "),
        ("~", "person"),
        ("~/x", "person/x"),
        ("~x", "w/~x"),
        ("$HOME/x", "w/$HOME/x"),
        ("new/sub/y", "w/new/sub/y"),
        ("notes.txt", "outside/secret.txt"),
        ("link_dir/../../outside/x", "outside/x"),
        ("link_dir/../x", "deep/x"),
        ("dangling/y", "outside/none/y"),
        ("-rf", "w/-rf"),
        ("ä\u00a0b", "w/ä\u00a0b"),
    ],
)
def test_resolve(tmp_path: Path, home: Path, named: str, wanted: str) -> None:
    work = tmp_path / "w"
    made(work / "a", tmp_path / "outside", tmp_path / "deep/down")
    (work / "kept ").write_text("")
    (work / "notes.txt").symlink_to(tmp_path / "outside/secret.txt")
    (work / "link_dir").symlink_to(tmp_path / "deep/down")
    (work / "dangling").symlink_to(tmp_path / "outside/none")
    assert resolve(named, work) == tmp_path / wanted


def test_absolute_and_bytes(tmp_path: Path) -> None:
    assert resolve(f"{tmp_path}/x", Path("/nowhere")) == tmp_path / "x"
    assert os.fsencode(resolve("caf\udce9", tmp_path)) == os.fsencode(tmp_path) + b"/caf\xe9"


@pytest.mark.parametrize(
    ("named", "words"), [("a\0", "NUL byte"), ("", "is empty"), (" \n", "is empty"), ("\ud83d", "half a character")]
)
def test_no_path_at_all(tmp_path: Path, named: str, words: str) -> None:
    with pytest.raises(BadPath, match=words):
        resolve(named, tmp_path)


def test_inside(tmp_path: Path) -> None:
    made(tmp_path / "w/a", tmp_path / "w2")
    assert inside(tmp_path / "w", tmp_path / "w")
    assert inside(tmp_path / "w/new/x", tmp_path / "w")
    assert not inside(tmp_path / "w2/x", tmp_path / "w")
    assert not inside(tmp_path, tmp_path / "w")
    assert not inside(tmp_path / "x", tmp_path / "none")
    (tmp_path / "other").symlink_to("w")  # another spelling of the same directory, as a disk that folds case has it
    assert inside(tmp_path / "other/new/x", tmp_path / "w")


def test_case_of_this_disk(tmp_path: Path) -> None:
    made(tmp_path / "case/1/2")
    folds = (tmp_path / "CASE").exists()
    assert folds_case(tmp_path / "case/1/2") == folds
    assert folds_case(tmp_path / "none/at/all") == folds
    assert folds_case(Path("/")) is False
    if not folds:
        (tmp_path / "CASE").symlink_to("case")  # what a disk that folds case looks like
        assert folds_case(tmp_path / "case/1/2")
        (tmp_path / "b").mkdir()
        (tmp_path / "B").mkdir()
        assert not folds_case(tmp_path / "b")


def test_ancestors_that_may_not_be_looked_at_are_passed_over(tmp_path: Path) -> None:
    mark = os.stat(tmp_path)
    assert (mark.st_dev, mark.st_ino) in paths.identities(tmp_path / "none/x")

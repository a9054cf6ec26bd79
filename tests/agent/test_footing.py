"""What long-running work begins on: a repository, a branch and a job; else what the person is told to do."""

from __future__ import annotations

import pytest
from gitting import PLAIN, git
from gitting import repository as made

from agentmem.agent.footing import CannotWork, repository, take_up
from agentmem.domain.places import Places
from agentmem.memory.memory import read_job, write_job
from agentmem.workspace.repo import Repo, RepoFailed


@pytest.fixture
def repo(places: Places) -> Repo:
    made(places.root)
    return repository(places, PLAIN)


def test_it_begins_on_a_branch_named_by_its_goal(repo: Repo, places: Places) -> None:
    job = take_up(places, repo, "make files")
    assert job == {"goal": "make files", "branch": "agentmem/make-files", "feature": None}
    assert git(places.root, "branch", "--show-current") == "agentmem/make-files"
    assert read_job(places) == job
    assert take_up(places, repo, "") == job  # the same goal goes on


def test_a_dirty_tree_is_refused(repo: Repo, places: Places) -> None:
    (places.root / "README").write_text("mine\n")
    with pytest.raises(CannotWork, match=r"not committed \(README\): commit or stash them first"):
        take_up(places, repo, "make files")
    assert git(places.root, "branch", "--show-current") == "main"


def test_what_its_own_attempt_left_is_taken_up_again(repo: Repo, places: Places) -> None:
    write_job(places, {**take_up(places, repo, "make files"), "feature": "F1"})
    (places.root / "a").touch()
    assert take_up(places, repo, "make files")["feature"] == "F1"
    git(places.root, "switch", "-q", "main")
    with pytest.raises(CannotWork, match="not committed"):
        take_up(places, repo, "make files")


@pytest.mark.parametrize("state", ["no repository", "below", "merge"])
def test_where_it_cannot_work_it_says_what_to_do(state: str, places: Places) -> None:
    told = {"no repository": "git init", "below": "at the top", "merge": "a merge is under way"}
    if state == "below":
        git(places.root.parent, "init", "-q")
    elif state == "merge":
        git(places.root, "init", "-q")
        (places.root / ".git" / "MERGE_HEAD").write_text("0" * 40)
    with pytest.raises(CannotWork, match=told[state]):
        repository(places, PLAIN)


@pytest.mark.parametrize("goal", ["商店可以搜索", "поиск"])
def test_a_goal_in_another_script_has_a_branch_of_its_own(goal: str, repo: Repo, places: Places) -> None:
    assert take_up(places, repo, goal)["branch"].startswith("agentmem/features-")


def test_without_a_name_to_commit_under_it_does_not_begin(repo: Repo, places: Places) -> None:
    git(places.root, "config", "user.name", "")
    git(places.root, "config", "user.email", "")
    git(places.root, "config", "user.useConfigOnly", "true")
    with pytest.raises(CannotWork, match="git does not know who you are"):
        take_up(places, repo, "make files")


def test_a_branch_in_the_way_is_named(repo: Repo, places: Places) -> None:
    git(places.root, "branch", "agentmem")
    with pytest.raises(RepoFailed, match="git branch -m agentmem NAME"):
        take_up(places, repo, "make files")


def test_before_the_first_commit_it_makes_one(places: Places) -> None:
    git(places.root, "init", "-q", "-b", "main")
    git(places.root, "config", "user.name", "Person")
    git(places.root, "config", "user.email", "person@example.org")
    take_up(places, repository(places, PLAIN), "make files")
    assert git(places.root, "log", "--format=%s") == "Begin"

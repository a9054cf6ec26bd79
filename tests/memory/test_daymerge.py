from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read import daymerge
from agentmem.workspace import mergedriver

SOURCE = Path(__file__).resolve().parents[2]


def block(time: str, name: str, own: str, text: str = "Did: it") -> str:
    return f"## {time} {name}  ^{own}\nsession s · importance 6\n{text}\n\n"


ONE, TWO, THREE = block("09:00", "One", "e1"), block("10:30", "Two", "e2"), block("11:00", "Three", "e3")


def merged(base: str, ours: str, theirs: str) -> str:
    return daymerge.merge(base.encode(), ours.encode(), theirs.encode()).decode()


def test_both_sides_learnt_something() -> None:
    assert merged(ONE, ONE + THREE, ONE + TWO) == ONE + TWO + THREE


def test_what_stands_before_the_first_episode_stays_there() -> None:
    lead = "# Monday\n\n"
    assert merged(lead, lead + ONE, lead + TWO) == lead + ONE + TWO
    assert merged("", TWO, lead + ONE) == lead + ONE + TWO


def test_a_change_and_a_removal_of_one_side_hold() -> None:
    changed = block("09:00", "One", "e1", "[forgotten]")
    assert merged(ONE + TWO, changed + TWO, ONE + TWO) == changed + TWO
    assert merged(ONE + TWO, ONE + TWO, changed + TWO) == changed + TWO
    assert merged(ONE + TWO, ONE + TWO, TWO) == TWO
    assert merged(ONE + TWO, TWO, ONE + TWO) == TWO


def test_what_both_changed_is_kept_twice() -> None:
    ours, theirs = block("09:00", "One", "e1", "ours"), block("09:00", "One", "e1", "theirs")
    assert merged(ONE, ours, theirs) == ours + theirs


def test_a_heading_in_code_begins_no_block() -> None:
    odd = block("09:00", "One", "e1", "```\n## 08:00 not one ^e9\n```")
    assert merged("", odd, TWO) == odd + TWO


def test_a_missing_last_newline_joins_no_two_blocks() -> None:
    assert merged("", ONE.rstrip("\n"), TWO) == ONE + TWO


numbers = st.sets(st.integers(0, 9), max_size=6)


def day(of: set[int]) -> str:
    return "".join(block(f"{number % 4:02d}:00", "x", f"e{number}", f"text {number}") for number in _in_order(of))


def _in_order(of: set[int]) -> list[int]:
    return sorted(of, key=lambda number: (number % 4, number))


@given(numbers, numbers, numbers)
def test_no_episode_is_lost_torn_or_there_twice(base: set[int], ours: set[int], theirs: set[int]) -> None:
    made = merged(day(base), day(base | ours), day(base | theirs))
    blocks = [one.data.decode() for one in daymerge.blocks(made.encode())]
    assert sorted(blocks) == sorted(day({number}) for number in base | ours | theirs)
    assert "".join(blocks) == made
    assert [one[3:8] for one in blocks] == sorted(one[3:8] for one in blocks)
    assert merged(made, made, made) == made
    assert merged(day(base), made, day(base | theirs)) == made


def test_two_episodes_of_one_id_are_both_kept() -> None:
    ours, theirs = block("09:00", "One", "e1", "ours"), block("10:00", "One", "e1", "theirs")
    both = merged("", ours, theirs)
    assert both == ours + theirs
    assert merged(both, both + TWO, both) == both + TWO


def test_marks_of_a_merge_without_us_go_and_both_sides_stay() -> None:
    torn = f"{ONE}<<<<<<< HEAD\n{TWO}=======\n{THREE}{TWO}>>>>>>> other\n"
    assert daymerge.marked(torn.encode())
    assert daymerge.mended(torn.encode()).decode() == ONE + TWO + THREE
    assert not daymerge.marked(ONE.encode())


TAIL = "session s · importance 6\nDid: it\n\n"


@pytest.mark.parametrize("base", ["", "||||||| 1a2b\n"], ids=["two sides", "with the base"])
def test_an_end_that_both_sides_share_belongs_to_both(base: str) -> None:
    torn = f"{ONE}<<<<<<< HEAD\n## 11:00 Three  ^e3\n{base}=======\n## 10:30 Two  ^e2\n>>>>>>> other\n{TAIL}"
    assert daymerge.mended(torn.encode()).decode() == ONE + TWO + THREE
    assert daymerge.mended(ONE.encode()).decode() == ONE


def test_marks_that_do_not_belong_together_go_alone() -> None:
    for torn in (f"<<<<<<< HEAD\n{ONE}", f"{ONE}>>>>>>> other\n", f"<<<<<<< a\n<<<<<<< b\n{ONE}=======\n>>>>>>> c\n"):
        assert daymerge.mended(torn.encode()).decode() == ONE
    ruled = "## 09:00 One  ^e1\nA title\n=======\nDid: it\n\n"
    assert daymerge.mended(ruled.encode()).decode() == ruled


class Repo:
    """A repository that was told of our driver, by git run where no PATH leads to us."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "r"
        self.day = self.root / "memory" / "2026-11-30.md"
        self.day.parent.mkdir(parents=True)
        (self.root / "agentmem.py").write_text("raise SystemExit('code of the repository ran')")
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        self.env |= {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.git("init", "-q", "-b", "main", ".")
        assert mergedriver.set_up(self.root, self.env) is None

    def git(self, *words: str) -> str:
        ran = subprocess.run(("git", *words), cwd=self.root, env=self.env, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr + ran.stdout
        return ran.stdout

    def learn(self, episode: str, line: str) -> None:
        with self.day.open("a") as file:
            file.write(episode)
        with (self.root / "MEMORY.md").open("a") as file:
            file.write(f"- {line}\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "c")

    def branch_off(self) -> None:
        """Two branches that both learnt something; the work tree is at one of them, `other` is the other."""
        self.learn(ONE, "one")
        self.git("checkout", "-q", "-b", "other")
        self.learn(TWO, "two")
        self.git("checkout", "-q", "main")
        self.learn(THREE, "three")


def test_a_repository_is_told_once(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    assert mergedriver.set_up(repo.root, repo.env) is None
    assert (repo.root / ".git" / "info" / "attributes").read_text().count("MEMORY.md") == 1
    assert repo.git("config", "--get-all", "merge.agentmem.driver").count("merge-day") == 2  # by path, then by name


@pytest.mark.parametrize("rebase", [False, True], ids=["merge", "rebase"])
def test_git_merges_day_files_by_our_driver(tmp_path: Path, rebase: bool) -> None:
    repo = Repo(tmp_path)
    repo.env["PYTHONPATH"] = str(SOURCE)
    repo.branch_off()
    repo.git(*(("rebase", "-q", "other") if rebase else ("merge", "-q", "other", "-m", "m")))
    assert repo.day.read_text() == ONE + TWO + THREE
    assert sorted((repo.root / "MEMORY.md").read_text().split("\n")) == ["", "- one", "- three", "- two"]


def test_another_agentmem_on_the_path_merges_where_this_one_was_removed(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    program = tmp_path / "bin" / "agentmem"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE}" exec "{sys.executable}" -P -m agentmem "$@"\n')
    program.chmod(0o755)
    repo.env["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    repo.git("config", "merge.agentmem.driver", mergedriver.driver(f"{tmp_path}/100% gone/python"))
    repo.branch_off()
    repo.git("merge", "-q", "other", "-m", "m")
    assert repo.day.read_text() == ONE + TWO + THREE


def test_without_any_agentmem_git_marks_both_sides_and_they_can_be_mended(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("config", "merge.agentmem.driver", mergedriver.driver(f"{tmp_path}/100% gone/python"))
    repo.branch_off()
    with pytest.raises(AssertionError, match="CONFLICT"):
        repo.git("merge", "-q", "other", "-m", "m")
    assert daymerge.mended(repo.day.read_bytes()).decode() == ONE + TWO + THREE


def test_a_folder_without_a_repository_is_told_nothing(tmp_path: Path) -> None:
    assert mergedriver.set_up(tmp_path, {"PATH": "/bin"}) is None
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert (
        mergedriver.set_up(tmp_path, {"PATH": "nowhere"})
        == "git is not installed: it was not told how memory files merge"
    )

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.manage import lookout
from agentmem.memory.stores import versions
from agentmem.memory.stores.commit import Commit
from agentmem.memory.stores.edition import Kept
from agentmem.memory.stores.versions import Unusable, Versions
from agentmem.objects import Damaged

ENV = {"PATH": os.environ["PATH"]}
NOW = 1796040131.0
HOSTILE = {
    "GIT_AUTHOR_NAME": "somebody",
    "GIT_DIR": "/nowhere",
    "GIT_INDEX_FILE": "/nowhere/index",
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "commit.gpgsign",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "/nowhere/hooks",
    "GIT_CONFIG_KEY_2": "core.autocrlf",
    "GIT_CONFIG_VALUE_2": "true",
}


def git(path: Path, *words: str) -> str:
    ran = subprocess.run(
        ("git", "--git-dir", str(path), *words),
        env=ENV | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


@pytest.fixture
def own(places: Places) -> Versions:
    return versions.project(places, ENV)


def test_a_commit_is_one_that_git_reads_and_finds_sound(own: Versions) -> None:
    files = {"MEMORY.md": b"- a ^m1\r\n", "memory/ledger.jsonl": b"{}\n", "skills/x/run.sh": Kept(b"#!", "100755")}
    made = own.commit(files, "ADD m1", [("Op", "ADD"), ("Fact", "m1"), ("Principal", "user")], NOW)
    assert git(own.path, "fsck", "--strict", "--no-dangling") == ""
    assert git(own.path, "rev-parse", "HEAD").strip() == made
    assert git(own.path, "log", "-1", "--format=%an <%ae> %at%n%B") == (
        "agentmem <agentmem@localhost> 1796040131\nADD m1\n\nOp: ADD\nFact: m1\nPrincipal: user\n\n"
    )
    assert git(own.path, "log", "-1", "--format=%(trailers:key=Fact,valueonly)").strip() == "m1"
    assert git(own.path, "ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD").split("\n") == [
        "100644 MEMORY.md",
        "100644 memory/ledger.jsonl",
        "100755 skills/x/run.sh",
        "",
    ]
    assert own.at(made, "MEMORY.md") == b"- a ^m1\r\n"


def test_a_commit_changes_its_own_files_and_keeps_the_rest(own: Versions) -> None:
    own.commit({"MEMORY.md": b"1", "memory/a.md": b"2", "memory/b.md": b"3"}, "one", [], NOW)
    second = own.commit({"memory/a.md": None, "skills/s/SKILL.md": b"4"}, "two", [], NOW)
    assert sorted(own.files(second)) == ["MEMORY.md", "memory/b.md", "skills/s/SKILL.md"]
    third = own.commit({"memory/b.md": None}, "three", [], NOW)
    assert sorted(own.files(third)) == ["MEMORY.md", "skills/s/SKILL.md"]
    assert own.at(third, "memory/b.md") is None
    assert own.at(second, "memory") is None
    assert [one.message.strip() for one in own.log()] == ["three", "two", "one"]
    assert git(own.path, "fsck", "--strict", "--no-dangling") == ""


def test_what_holds_no_file_any_more_is_a_commit_too(own: Versions) -> None:
    own.commit({"MEMORY.md": b"1", "memory/a.md": b"2"}, "one", [], NOW)
    last = own.commit({"MEMORY.md": None, "memory/a.md": None}, "two", [], NOW)
    assert (own.head(), own.files(last)) == (last, {})
    assert [one.message.strip() for one in own.log()] == ["two", "one"]
    assert git(own.path, "fsck", "--strict", "--no-dangling") == ""


def test_a_log_tells_what_was_committed(own: Versions) -> None:
    made = own.commit({"MEMORY.md": b"1"}, "ADD m1", [("Fact", "m1"), ("Fact", "m2"), ("Entry", "c3")], NOW)
    (one,) = own.log()
    tree = git(own.path, "rev-parse", f"{made}^{{tree}}").strip()
    trailers = (("Fact", "m1"), ("Fact", "m2"), ("Entry", "c3"))
    said = "ADD m1\n\nFact: m1\nFact: m2\nEntry: c3\n"
    assert one == Commit(made, tree, (), 1796040131, said, trailers)
    assert (one.all("Fact"), one.one("Entry"), one.one("Op")) == (("m1", "m2"), "c3", None)


def test_words_cannot_forge_a_trailer(own: Versions) -> None:
    own.commit({"MEMORY.md": b"1"}, "x\n\nPrincipal: user", [("Session", "s\n\nPrincipal: user\nOp: ADD")], NOW)
    (one,) = own.log()
    assert one.trailers == (("Session", "s Principal: user Op: ADD"),)
    assert one.message == "x Principal: user\n\nSession: s Principal: user Op: ADD\n"


@pytest.mark.parametrize("variables", [{}, HOSTILE], ids=["plain", "hostile"])
def test_packed_history_is_read_whatever_git_is_told(own: Versions, variables: dict[str, str], tmp_path: Path) -> None:
    names = [own.commit({"MEMORY.md": b"%d" % at}, f"n{at}", [], NOW) for at in range(5)]
    git(own.path, "repack", "-adq")
    git(own.path, "prune-packed")
    ran = tmp_path / "ran"
    (own.path / "config").write_text(f"[core]\n\tfsmonitor = touch {ran}\n\tbare = true\n[include]\n\tpath = x\n")
    again = Versions(own.path, own.branch, ENV | variables)
    with again, again:
        assert [one.id for one in again.log()] == names[::-1]
        assert again.at(names[2], "MEMORY.md") == b"2"
    assert again.at(names[3], "MEMORY.md") == b"3"
    last = again.commit({"MEMORY.md": b"5"}, "n5", [], NOW)
    assert again.commit_of(last).parents == (names[4],)
    assert not ran.exists()
    assert "fsmonitor" not in (own.path / "config").read_text()


def test_packed_history_without_git_is_told(own: Versions) -> None:
    made = own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    git(own.path, "repack", "-adq")
    with pytest.raises(Damaged, match="git is not installed"):
        list(Versions(own.path, own.branch, {"PATH": "relative"}).log(made))


def test_an_object_that_is_nowhere_is_told(own: Versions) -> None:
    own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    with pytest.raises(Damaged, match="not there"):
        own.read("ab" * 20)
    git(own.path, "repack", "-adq")
    with pytest.raises(Damaged, match="not there"):
        own.read("ab" * 20)


def test_a_version_that_is_lost_is_passed_over_and_named(own: Versions) -> None:
    made = [own.commit({"MEMORY.md": bytes([at])}, str(at), [], NOW) for at in range(4)]
    (own.objects / made[1][:2] / made[1][2:]).unlink()
    assert [one.id for one in own.log()] == [made[3], made[2], made[0]]
    assert [name for name, _ in own.lost()] == [made[1]]
    blob = own.blob(made[3], "MEMORY.md") or ""
    (own.objects / blob[:2] / blob[2:]).unlink()
    assert own.last("MEMORY.md") == b"\x02"
    assert own.last("none.md") is None
    assert [name for name, _ in own.lost()] == [made[1], made[3]]


def test_what_a_power_cut_took_is_begun_anew_from_the_last_that_can_be_read(own: Versions) -> None:
    first = own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    second = own.commit({"MEMORY.md": b"2"}, "two", [], NOW)
    lost = own.objects / second[:2] / second[2:]
    lost.unlink()
    assert own.head() == first
    third = own.commit({"MEMORY.md": b"3"}, "three", [], NOW)
    assert own.commit_of(third).parents == (first,)
    (own.path / "refs" / "heads" / own.branch).write_bytes(b"")
    assert own.head() == third


def test_work_trees_have_a_branch_each(places: Places, tmp_path: Path) -> None:
    other = Places(root=tmp_path / "w 2", cwd=tmp_path / "w 2", home=places.home, shared=places.shared)
    here, there = versions.project(places), versions.project(other)
    assert not here.exists
    one = here.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    assert here.exists
    assert there.head() is None
    two = there.commit({"MEMORY.md": b"2"}, "two", [], NOW)
    assert here.branches() == {here.branch: one, there.branch: two}
    assert here.branch.startswith("w-")
    assert there.branch.startswith("w-2-")
    assert sorted(git(here.path, "log", "--all", "--format=%s").split()) == ["one", "two"]


def test_the_persons_level_has_a_history_of_its_own(places: Places) -> None:
    own = versions.person(places)
    own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    assert own.branches() == {"home": own.head()}
    assert own.path == places.home / "history.git"
    assert versions.project(places).branches() == {}


def test_a_directory_that_leads_elsewhere_is_not_used(own: Versions, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    own.path.parent.mkdir()
    own.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unusable, match="leads elsewhere"):
        own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_nobody_else_may_read_it(own: Versions) -> None:
    own.commit({"MEMORY.md": b"1"}, "one", [], NOW)
    modes = {oct(path.stat().st_mode & 0o077) for path in [own.path, *own.path.rglob("*")]}
    assert modes == {"0o0"}


def test_many_pieces_become_a_pack(own: Versions, places: Places) -> None:
    names = [own.commit({"MEMORY.md": b"%d" % at}, f"n{at}", [], NOW) for at in range(3)]
    desk = Desk(places, Clock())
    lookout.tidy(desk, ENV)
    assert not list(own.objects.glob("pack/*.pack"))  # not worth it yet
    for name in "abcdefghi":
        (own.objects / "17").mkdir(exist_ok=True)
        (own.objects / "17" / name).touch()
    lookout.tidy(desk, {"PATH": "nowhere"})
    assert not list(own.objects.glob("pack/*.pack"))  # git packs, and is not there
    lookout.tidy(desk, ENV | HOSTILE)
    assert len(list(own.objects.glob("pack/*.pack"))) == 1
    assert not (own.objects / names[0][:2] / names[0][2:]).exists()
    assert [one.id for one in own.log()] == names[::-1]

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agentmem.app.consent import NotThePerson
from agentmem.app.init import init
from agentmem.app.recollecting import checked, listed, merge_day, open_annals, report, restored, table
from agentmem.app.remembering import desk_of, remember_this, take_over
from agentmem.app.trusting import trust_folder
from agentmem.domain.claim import Claim
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory.memory import NothingThere, NoVersion, new_session, oversight
from agentmem.memory.read.selection import Wanted, remembered
from agentmem.memory.stores import versions
from agentmem.memory.write import gate
from agentmem.memory.write.gate import Source

WHO = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
Env = Mapping[str, str]


@pytest.fixture
def env(places: Places, monkeypatch: pytest.MonkeyPatch) -> Env:
    monkeypatch.chdir(places.root)
    return {"PATH": os.environ["PATH"], "AGENTMEM_HOME": str(places.home), "HOME": str(places.home)}


def git(folder: Path, *words: str) -> str:
    env = WHO | {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(("git", *words), cwd=folder, env=env, capture_output=True, text=True, check=True).stdout


def said(text: str, env: Env) -> str:
    verdict, _ = remember_this(Claim(text, "fact"), env)
    assert verdict.outcome == "added", verdict
    return str(verdict.id)


def edit(places: Places, old: str, new: str) -> None:
    text = places.memory_file.read_text()
    assert old in text
    places.memory_file.write_text(text.replace(old, new))


def words(env: Env) -> dict[str, str]:
    return {row["text"]: row["word"] for row in listed(env)}


def test_a_new_project_holds_nothing_and_says_what_to_try(places: Places, env: Env) -> None:
    init(env)
    assert listed(env) == []
    assert table([]) == 'nothing is remembered yet; try: agentmem remember "tests run on PostgreSQL 15"'
    assert checked(False, env) == ([], [])


def test_the_list_says_where_each_belief_stands(places: Places, env: Env) -> None:
    init(env)
    own = said("the port is 8080", env)
    (row,) = listed(env)
    assert row == {
        "path": "MEMORY.md",
        "line": 7,
        "fact": own,
        "text": "the port is 8080",
        "category": "fact",
        "principal": "user",
        "word": "person",
        "section": "Facts",
        "secret": False,
    }
    assert table([row]) == f"MEMORY.md:7  the port is 8080  ^{own}"


def test_blame_of_what_the_person_typed(places: Places, env: Env) -> None:
    own = said("the port is 8080", env)
    found = open_annals(env).blame("MEMORY.md:2")
    (commit,) = open_annals(env).log("project", 9)
    assert (found.fact, found.word, found.principal, found.speaker) == (own, "person", "user", "the person")
    assert (found.quote, found.commit, found.op) == ("the port is 8080", commit.id, "ADD")
    assert open_annals(env).blame(own) == found
    assert git(places.root, "--git-dir", ".agent/history.git", "log", "--format=%H").strip() == commit.id


def test_blame_of_what_was_said_in_a_session_names_entry_and_quote(places: Places, env: Env) -> None:
    desk = desk_of(env)
    session = new_session(desk.places, desk.clock, "0")
    entry = session.record_user([Text("We deploy on Mondays. What is next?", "person")])
    source = Source(typed=False, session=session.id, branch=session.entries)
    assert gate.propose(Claim("We deploy on Mondays", "fact"), source, desk).outcome == "added"
    session.close()
    found = open_annals(env).blame("MEMORY.md:2")
    assert (found.session, found.entry) == (session.id, entry.id)
    assert found.quote == "We deploy on Mondays."
    assert found.log == str(session.path)
    assert any("its log" in line for line in found.lines())


def test_blame_of_what_was_approved_names_who(places: Places, env: Env) -> None:
    remember_this(Claim("the cache lives in redis", "fact"), env)
    desk = desk_of(env)
    queued = gate.propose(Claim("CI has four runners", "fact"), Source(typed=False, by="agent"), desk)
    (item,) = (json.loads(path.read_text()) for path in (places.queue / "waiting").glob("*.json"))
    assert (queued.outcome, gate.approve(item, desk).outcome) == ("queued", "added")
    found = open_annals(env).blame("MEMORY.md:3")
    assert (found.text, found.principal, found.approved_by) == ("CI has four runners", "agent", "user")
    assert "  approved by the person" in list(found.lines())


def test_blame_of_hand_edited_lines(places: Places, env: Env) -> None:
    own = said("the port is 8080", env)
    edit(places, "the port is 8080", "the port is 9090")
    with places.memory_file.open("a") as file:
        file.write("- by hand\n")
    assert take_over(env) == ["MEMORY.md: 1 added, 1 changed by hand\n-the port is 8080\n+the port is 9090\n+by hand"]
    changed, added = open_annals(env).blame("MEMORY.md:2"), open_annals(env).blame("MEMORY.md:3")
    assert (changed.fact, changed.speaker) == (own, "the person, in an editor")
    assert [one["op"] for one in changed.records] == ["ADD", "UPDATE"]
    assert (added.reason, added.word, added.quote) == ("edited by hand", "person", "by hand")
    last = open_annals(env).log("project", 1)[0].id
    assert changed.commit == added.commit == last


def test_a_reworded_line_without_an_id_is_an_update(places: Places, env: Env) -> None:
    init(env)
    with places.memory_file.open("a") as file:
        file.write("- deploys go out on Mondays\n")
    take_over(env)
    edit(places, "on Mondays", "on Fridays")
    assert take_over(env) == [
        "MEMORY.md: 1 changed by hand\n-deploys go out on Mondays\n+deploys go out on Fridays",
    ]
    first, second = (json.loads(line) for line in places.ledger.read_text().splitlines())
    assert (second["op"], second["supersedes"]) == ("UPDATE", first["fact"])
    assert words(env) == {"deploys go out on Fridays": "person"}


def test_a_removed_line_is_expired(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    said("CI has four runners", env)
    rows = places.memory_file.read_text().splitlines(keepends=True)
    places.memory_file.write_text("".join(row for row in rows if "8080" not in row))
    assert take_over(env) == ["MEMORY.md: 1 removed by hand\n-the port is 8080"]
    assert json.loads(places.ledger.read_text().splitlines()[-1])["op"] == "EXPIRE"
    assert take_over(env) == []


def test_what_states_nothing_is_said(places: Places, env: Env) -> None:
    own = said("the port is 8080", env)
    found = open_annals(env)
    for where, why in (
        ("MEMORY.md:1", "line 1 of MEMORY.md states no belief: ## Facts"),
        ("MEMORY.md:99", "MEMORY.md has 2 lines"),
        ("mnobody", "neither MEMORY.md states mnobody; name a line: MEMORY.md:12"),
    ):
        with pytest.raises(NothingThere) as raised:
            found.blame(where)
        assert str(raised.value) == why
    assert found.blame(f"^{own}").line == 2


def test_blame_names_the_commit_also_where_the_folder_was_moved(
    places: Places, env: Env, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said("CI has four runners", env)
    with places.memory_file.open("a") as file:
        file.write("- by hand\n")
    take_over(env)
    before = [open_annals(env).blame(f"MEMORY.md:{line}") for line in (2, 3)]
    places.root.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "moved")
    assert take_over(env) == []  # nothing came from elsewhere
    after = [open_annals(env).blame(f"MEMORY.md:{line}") for line in (2, 3)]
    assert after == before
    assert [one.op for one in after] == ["ADD", "ADD"]


def test_the_list_names_the_first_of_two_lines_that_say_the_same(places: Places, env: Env) -> None:
    places.memory_file.write_text("- one ^mdup\n- between\n- one ^mdup\n")
    trust_folder(Path("."), env)
    assert [(row["text"], row["line"]) for row in listed(env)] == [("one", 1), ("between", 2)]


def test_what_a_stash_puts_aside_is_not_closed_and_comes_back_as_it_was(places: Places, env: Env) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    said("the port is 8080", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    said("CI has four runners", env)
    before = open_annals(env).blame("MEMORY.md:8")
    git(places.root, "stash", "-q")
    (told,) = take_over(env)
    assert told == "MEMORY.md: 1 line went with a checkout, a merge or a stash\n-CI has four runners"
    assert words(env) == {"the port is 8080": "person"}
    git(places.root, "stash", "pop", "-q")
    assert take_over(env) == []
    assert words(env) == {"the port is 8080": "person", "CI has four runners": "person"}
    assert open_annals(env).blame("MEMORY.md:8") == before
    edit(places, "- CI has four runners", "")
    (told,) = take_over(env)
    assert told.startswith("MEMORY.md: 1 removed by hand")


def test_a_stash_of_untracked_files_takes_the_memory_and_gives_it_back(places: Places, env: Env) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    git(places.root, "commit", "-q", "--allow-empty", "-m", "one")
    said("the port is 8080", env)
    before = open_annals(env).blame("MEMORY.md:2")
    git(places.root, "stash", "-q", "-u")
    assert not places.memory_file.exists()
    (told,) = take_over(env)
    assert told == "MEMORY.md: 1 line went with a checkout, a merge or a stash\n-the port is 8080"
    git(places.root, "stash", "pop", "-q")
    assert take_over(env) == []
    assert open_annals(env).blame("MEMORY.md:2") == before


def test_another_branch_takes_lines_along_and_says_so(places: Places, env: Env) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "checkout", "-q", "-b", "other")
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "two")
    git(places.root, "checkout", "-q", "main")
    (told,) = take_over(env)
    assert told == "MEMORY.md: 1 line went with a checkout, a merge or a stash\n-CI has four runners"
    git(places.root, "checkout", "-q", "other")
    assert take_over(env) == []


def _merge_of_a_closed_line(places: Places, env: Env) -> str:
    """Merge main, where the old port stands beside a new line, into a branch that has a new port; the old one's id."""
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    old = said("the port is 8080", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "checkout", "-q", "-b", "other")
    assert remember_this(Claim("the port is 9090", "fact"), env)[0].outcome == "updated"
    git(places.root, "commit", "-qam", "two")
    git(places.root, "checkout", "-q", "main")
    take_over(env)
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "three")
    git(places.root, "checkout", "-q", "other")
    take_over(env)
    git(places.root, "merge", "-q", "main", "-m", "m")
    assert "the port is 8080" in places.memory_file.read_text()
    return old


def test_a_merge_that_brings_a_closed_line_back_opens_no_fact(places: Places, env: Env) -> None:
    old = _merge_of_a_closed_line(places, env)
    (told,) = take_over(env)
    assert told.startswith("MEMORY.md: 1 line of what holds no more came back: agentmem memory check --mend\n")
    assert words(env) == {"the port is 9090": "person", "CI has four runners": "person"}
    gone = open_annals(env).blame(old)
    assert gone.closed is not None and gone.closed.endswith(
        f"superseded by {open_annals(env).blame('MEMORY.md:7').fact}"
    )
    assert "  not believed any more: closed " in "\n".join(gone.lines())
    (found,) = checked(False, env)[1]
    assert (found.kind, found.what) == ("closed", "a merge brought it back, and it is closed: the port is 8080")
    assert checked(True, env)[1] == []
    assert "8080" not in places.memory_file.read_text()
    edit(places, "the port is 9090", "the port is 8080")  # what the person writes by hand holds again
    take_over(env)
    assert words(env) == {"the port is 8080": "person", "CI has four runners": "person"}


def test_what_was_forgotten_stays_so_when_a_merge_brings_it_back(places: Places, env: Env) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    own = said("the code name is Otto", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "checkout", "-q", "-b", "other")
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "two")
    git(places.root, "checkout", "-q", "main")
    take_over(env)
    desk = desk_of(env)
    wish, _ = oversight.sought(desk.places, "the code name is Otto")
    assert oversight.forget(wish, desk.places, desk.clock).done
    git(places.root, "commit", "-qam", "three")
    git(places.root, "merge", "-q", "other", "-m", "m")
    assert "Otto" in places.memory_file.read_text()
    assert words(env) == {"CI has four runners": "person"}
    assert remembered(desk.places, Wanted(100_000, trusted=True)).left_out == (
        "1 line of MEMORY.md came back with a merge but closed: agentmem memory check",
    )
    (found,) = checked(False, env)[1]
    assert (found.kind, found.mendable) == ("closed", True)
    assert "forgotten" in str(open_annals(env).blame(own).closed)
    assert checked(True, env)[1] == []
    assert "Otto" not in places.memory_file.read_text()


def test_lines_of_two_branches_that_took_the_place_of_one_are_told(places: Places, env: Env) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    said("the port is 8080", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    for branch, port in (("other", "9090"), ("main", "7070")):
        git(places.root, "checkout", "-q", *(["-b", branch] if branch == "other" else [branch]))
        take_over(env)
        assert remember_this(Claim(f"the port is {port}", "fact"), env)[0].outcome == "updated"
        git(places.root, "commit", "-qam", port)
    git(places.root, "merge", "-q", "other", "-m", "m")
    take_over(env)
    (found,) = checked(False, env)[1]
    assert (found.kind, found.where, found.mendable) == ("rival", "MEMORY.md:8", False)
    assert found.what == "took the place of the same fact as line 7: the port is 9090"


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_check_mends_what_a_clone_that_was_not_told_merged(places: Places, env: Env, style: str) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    said("the port is 8080", env)
    trust_folder(Path("."), env)
    git(places.root, "config", "merge.conflictStyle", style)
    git(places.root, "add", "MEMORY.md", "memory")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "checkout", "-q", "-b", "other")
    remember_this(Claim("the port is 9090", "fact"), env)
    git(places.root, "commit", "-qam", "two")
    git(places.root, "checkout", "-q", "main")
    take_over(env)
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "three")
    with pytest.raises(subprocess.CalledProcessError):
        git(places.root, "merge", "-q", "other", "-m", "m")
    marked = {one.where for one in checked(False, env)[1] if one.kind == "conflict"}
    assert marked == {"MEMORY.md", "memory/ledger.jsonl"}
    assert [one.kind for one in checked(True, env)[1]] == []
    assert b"<<<<" not in places.ledger.read_bytes() + places.memory_file.read_bytes()
    assert words(env) == {"the port is 9090": "person", "CI has four runners": "person"}
    assert "8080" not in places.memory_file.read_text()


def test_a_very_long_edit_is_told_by_its_beginning(places: Places, env: Env) -> None:
    places.memory_file.write_text("- first\n")
    trust_folder(Path("."), env)
    wide = "x" * 2_000
    places.memory_file.write_text("".join(f"- fact {at} of many\n" for at in range(100)) + f"- {wide}\n- first\n")
    (told,) = take_over(env)
    rows = told.split("\n")
    assert (rows[0], len(rows), rows[-1]) == ("MEMORY.md: 101 added by hand", 42, "… and 61 lines more: see MEMORY.md")
    places.memory_file.write_text(f"- {wide}\n")
    assert max(len(row) for row in take_over(env)[0].split("\n")) <= 1_002


def test_a_version_comes_back_as_a_new_write(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    first = open_annals(env).log("project", 1)[0].id
    before = places.memory_file.read_bytes()
    said("CI has four runners", env)
    edit(places, "8080", "9090")
    done = restored(first[:8], "project", False, env)
    assert done["changed"] is True
    assert places.memory_file.read_bytes() == before
    assert words(env) == {"the port is 8080": "person"}
    assert next(iter(open_annals(env).log("project", 9))).one("Op") in ("ADD", "EXPIRE")
    assert len(open_annals(env).log("project", 9)) == 4  # two writes, the hand edit, the way back
    assert restored(first[:8], "project", False, env)["changed"] is False
    found = open_annals(env).blame("MEMORY.md:2")
    assert found.reason == f"restored from {first[:12]}"
    with pytest.raises(NoVersion, match="is no commit"):
        restored("yesterday", "project", False, env)
    with pytest.raises(NoVersion, match="begins no commit"):
        restored("0000", "project", False, env)


@pytest.mark.parametrize("mark", ["AGENTMEM_AGENT", "AGENTMEM_CALL"])
def test_an_agent_brings_nothing_back_and_mends_nothing(places: Places, env: Env, mark: str) -> None:
    said("the port is 8080", env)
    with pytest.raises(NotThePerson):
        restored("HEAD", "project", False, {**env, mark: "1"})
    with pytest.raises(NotThePerson):
        checked(True, {**env, mark: "1"})


def test_the_difference_between_two_states(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    first = open_annals(env).log("project", 1)[0].id
    own = said("CI has four runners", env)
    rows = list(open_annals(env).diff("project", first[:8], None))
    assert rows[:2] == [f"--- MEMORY.md {first[:12]}", "+++ MEMORY.md now"]
    assert rows[-1] == f"+- CI has four runners ^{own}"
    assert list(open_annals(env).diff("project", None, None)) == []


def test_two_branches_that_learnt_things_merge_without_marks(places: Places, env: Env, tmp_path: Path) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    said("the port is 8080", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "checkout", "-q", "-b", "other")
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "two")
    git(places.root, "checkout", "-q", "main")
    assert words(env) == {"the port is 8080": "person"}
    said("the cache lives in redis", env)
    git(places.root, "commit", "-qam", "three")
    git(places.root, "merge", "-q", "other", "-m", "m")
    assert take_over(env) == []
    everything = {"the port is 8080", "CI has four runners", "the cache lives in redis"}
    assert words(env) == dict.fromkeys(everything, "person")
    assert checked(False, env)[1] == []


def test_what_a_clone_or_a_pull_brings_is_the_projects_word(
    places: Places, env: Env, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    said("the port is 8080", env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", str(places.root), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    theirs = {**env, "AGENTMEM_HOME": str(tmp_path / "their home")}
    (told,) = take_over(theirs)
    assert "1 line from elsewhere, kept as the word of the project" in told
    assert words(theirs) == {"the port is 8080": "project"}
    trust_folder(Path("."), theirs)
    assert words(theirs) == {"the port is 8080": "person"}
    monkeypatch.chdir(places.root)
    said("CI has four runners", env)
    git(places.root, "commit", "-qam", "two")
    monkeypatch.chdir(tmp_path / "clone")
    git(tmp_path / "clone", "pull", "-q")
    with (tmp_path / "clone" / "MEMORY.md").open("a") as file:
        file.write("- by hand\n")
    (told,) = take_over(theirs)
    assert "1 added by hand; 1 line from elsewhere" in told
    assert words(theirs) == {"the port is 8080": "person", "CI has four runners": "project", "by hand": "person"}
    found = open_annals(theirs).blame("MEMORY.md:8")
    assert (found.text, found.word) == ("CI has four runners", "project")
    assert found.speaker == "the person, as the ledger that came along says"
    assert "the project's word" in "\n".join(found.lines())


def test_facts_of_a_removed_work_tree_are_offered(
    places: Places, env: Env, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(places.root, "init", "-q", "-b", "main", ".")
    init(env)
    git(places.root, "add", "-A")
    git(places.root, "commit", "-qm", "one")
    git(places.root, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    monkeypatch.chdir(tmp_path / "linked")
    said("CI has four runners", env)
    assert "CI" not in places.memory_file.read_text()  # it never lands in another's checkout
    monkeypatch.chdir(places.root)
    assert checked(False, env)[1] == []
    git(places.root, "worktree", "remove", "--force", str(tmp_path / "linked"))
    (told,) = take_over(env)
    assert "1 belief of the work tree" in told
    assert take_over(env) == []  # told once
    (found,) = checked(False, env)[1]
    assert (found.kind, found.what) == ("worktree", "1 belief of a work tree that is gone")
    done = restored(found.where, "project", True, env)
    assert done["changed"] is True
    assert words(env) == {"CI has four runners": "person"}
    assert checked(False, env)[1] == []
    assert restored(found.where, "project", True, env)["changed"] is False


def test_a_damaged_history_is_told_and_stops_neither_writes_nor_edits(places: Places, env: Env) -> None:
    own = versions.project(places)
    said("the port is 8080", env)
    kept = own.head() or ""
    said("CI has four runners", env)
    blob = own.blob(own.head() or "", "MEMORY.md") or ""
    lost = own.objects / blob[:2] / blob[2:]
    lost.chmod(0o600)
    lost.write_bytes(b"garbage")
    with places.memory_file.open("a") as file:
        file.write("- by hand\n")
    (told,) = take_over(env)
    assert told == "MEMORY.md: 1 added by hand\n+CI has four runners\n+by hand"
    said("deploys go out on Mondays", env)
    assert words(env) == dict.fromkeys(
        ("the port is 8080", "CI has four runners", "by hand", "deploys go out on Mondays"), "person"
    )
    (own.objects / kept[:2] / kept[2:]).unlink()
    (found,) = checked(False, env)[1]
    assert (found.kind, found.what.startswith(f"the version {kept[:12]} cannot be read")) == ("damaged", True)
    assert [one.all("Op") for one in open_annals(env).log("project", 9)][:1] == [("ADD",)]


def test_a_memory_in_utf_16_is_left_alone_and_told(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    text = places.memory_file.read_text()
    held = text.encode("utf-16")
    places.memory_file.write_bytes(held)
    (told,) = take_over(env)
    assert told.endswith("were not looked at: it is no text (UTF-16?): save it as UTF-8")
    verdict, code = remember_this(Claim("CI has four runners", "fact"), env)
    assert (verdict.outcome, code, "save it as UTF-8" in verdict.reason) == ("refused", 1, True)
    assert places.memory_file.read_bytes() == held
    assert "damaged" in [one.kind for one in checked(False, env)[1]]
    desk = desk_of(env)
    receipt = oversight.forget(oversight.sought(desk.places, "the port is 8080")[0], desk.places, desk.clock)
    assert (receipt.done, receipt.left.unreadable) == (False, ["MEMORY.md: it is no text (UTF-16?): save it as UTF-8"])
    places.memory_file.write_text(text)
    assert oversight.forget(oversight.sought(desk.places, "the port is 8080")[0], desk.places, desk.clock).done


def test_check_tells_and_mends_what_a_bad_merge_left(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    text = places.memory_file.read_text()
    torn = text + "<<<<<<< HEAD\n- by hand\n=======\n- by hand\n- theirs\n>>>>>>> other\n"
    places.memory_file.write_text(torn)
    day = places.root / "memory" / "2026-11-30.md"
    day.write_text("<<<<<<< HEAD\n## 09:00 One ^e1\na\n=======\n## 09:00 One ^e1\na\n>>>>>>> other\n")
    (places.root / "memory" / "notes.md").write_text("x")
    with places.ledger.open("a") as file:
        file.write("<<<<<<< HEAD\n")
    _, found = checked(False, env)
    assert sorted({one.kind for one in found}) == ["conflict", "damaged", "stray", "twin"]
    mended, left = checked(True, env)
    assert sorted({one.kind for one in left}) == ["damaged", "stray"]
    assert "mended: MEMORY.md: a merge left its marks" in "\n".join(report(mended, left))
    assert places.memory_file.read_text() == text + "- by hand\n- theirs\n"
    assert day.read_text() == "## 09:00 One ^e1\na\n"


def test_check_tells_what_the_ledger_holds_and_no_line_says(places: Places, env: Env) -> None:
    own = said("the port is 8080", env)
    other = said("CI has four runners", env)
    record = json.loads(places.ledger.read_text().splitlines()[0]) | {"id": "l9", "fact": "mlost", "text": "lost words"}
    with places.ledger.open("a") as file:
        file.write(json.dumps(record) + "\n")
    (found,) = checked(False, env)[1]
    assert (found.kind, found.where) == ("orphan", "mlost")
    assert {own, other} == {row["fact"] for row in listed(env)}


def test_over_twice_the_budget_merges_and_old_ones_are_proposed(places: Places, env: Env) -> None:
    rows = [f"- one{at} two{at} three{at} four{at} five{at}" for at in range(420)]
    twins = [
        "- the nightly build uses clang of version 17 on linux",
        "- linux nightly build: clang version 17",
    ]
    places.memory_file.write_text("\n".join([*rows, *twins]) + "\n")
    trust_folder(Path("."), env)
    _, found = checked(False, env)
    kinds = [one.kind for one in found]
    assert "alike" in kinds
    assert kinds.count("archive") == 20
    alike = next(one for one in found if "nightly" in one.what)
    assert alike.where == "MEMORY.md:422"
    assert len(places.memory_file.read_text().splitlines()) == 422  # nothing is dropped by itself


def test_git_calls_the_merge_of_a_day(tmp_path: Path) -> None:
    for name, text in (("base", ""), ("ours", "## 09:00 a ^e1\n\n"), ("theirs", "## 08:00 b ^e2\n\n")):
        (tmp_path / name).write_text(text)
    merge_day(*(tmp_path / name for name in ("base", "ours", "theirs")))
    assert (tmp_path / "ours").read_text() == "## 08:00 b ^e2\n\n## 09:00 a ^e1\n\n"


def test_the_seals_are_read_off_the_history_where_their_file_is_lost(places: Places, env: Env) -> None:
    said("the port is 8080", env)
    (places.shared / "admitted").unlink()
    with places.memory_file.open("a") as file:
        file.write("- by hand\n")
    take_over(env)
    assert words(env) == {"the port is 8080": "person", "by hand": "person"}


def test_a_history_that_came_along_gives_no_standing(places: Places, env: Env, tmp_path: Path) -> None:
    said("the port is 8080", env)
    stranger = {**env, "AGENTMEM_HOME": str(tmp_path / "stranger")}
    take_over(stranger)
    assert words(stranger) == {"the port is 8080": "project"}
    assert replace(open_annals(stranger), trusted=True).blame("MEMORY.md:2").word == "project"

"""`agentmem skills …` as a person or a script runs it, each in a process of its own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from commanding import ROOT, run

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.domain.skill import Draft
from agentmem.memory.write.gate import skillgate
from agentmem.workspace import planted


def document(places: Places, *words: str, code: int = 0) -> Any:
    ran = run(places, *words, "--json")
    assert ran.returncode == code, ran.stderr
    return json.loads(ran.stdout)


def write(places: Places, name: str, *more: str, body: str = "Do it.") -> Path:
    path = places.root / ".agents/skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["---", f"name: {name}", "description: Zaps frobs.", *more, "---", body, ""]))
    return path


def test_every_file_is_listed_with_its_state_and_reason(places: Places) -> None:
    write(places, "good")
    broken = write(places, "warned", "argument-hint: [x] y")
    bad = places.root / "skills/bad/SKILL.md"
    bad.parent.mkdir(parents=True)
    bad.write_text("# Title\n")
    rows = {row["path"]: row for row in document(places, "skills", "list")}
    mine = {path: (row["state"], row["offered"]) for path, row in rows.items() if row["level"] == "project"}
    assert mine == {
        str(bad): ("refused", False),
        str(write(places, "good")): ("loaded", False),
        str(broken): ("warned", False),
    }
    assert rows[str(bad)]["reason"] == "it has no front matter: its first line must be ---"
    assert rows[str(broken)]["reason"].startswith(f"{broken}:4: no valid YAML")
    text = run(places, "skills").stdout
    assert "its folder is not trusted" in text and ".agents/skills/warned/SKILL.md:4:" in text
    assert "✗ bad" in text and "✓ good" in text and "! warned" in text and "✓ commit" in text
    run(places, "trust")
    rows = {row["path"]: row for row in document(places, "skills")}
    assert rows[str(broken)]["offered"] and not rows[str(bad)]["offered"]
    assert "not trusted" not in run(places, "skills", "list").stdout


def test_a_folder_name_cannot_look_like_a_row(places: Places) -> None:
    write(places, "a\n✓ forged")
    text = run(places, "skills", "list").stdout
    assert "a␊✓ forged" in text and not [line for line in text.splitlines() if line.startswith("✓ forged")]


def test_the_doctor_names_what_cannot_be_used(places: Places) -> None:
    write(places, "warned", "argument-hint: [x] y")
    (places.root / "skills/bad").mkdir(parents=True)
    (places.root / "skills/bad/SKILL.md").write_text("# Title\n")
    ran = run(places, "doctor", "--json")
    found = [one["text"] for one in json.loads(ran.stdout) if one["about"] in ("skill", "skills")]
    assert found[0] == "skills/bad/SKILL.md is refused: it has no front matter: its first line must be ---"
    assert found[1].startswith(
        ".agents/skills/warned/SKILL.md is warned: .agents/skills/warned/SKILL.md:4: no valid YAML"
    )
    assert found[2:] == ["1 skill of this project, whose folder is not trusted, not offered", "5 offered"]


def test_one_folder_alone(places: Places, tmp_path: Path) -> None:
    folder = tmp_path / "market/author/thing"
    folder.mkdir(parents=True)
    (folder / "skill.md").write_text("---\nname: thing\ndescription: D.\n---\n")
    (row,) = document(places, "skills", "list", "--root", str(tmp_path / "market"))
    assert (row["id"], row["state"], row["path"]) == ("thing", "warned", str(folder / "skill.md"))
    gone = run(places, "skills", "list", "--root", str(tmp_path / "none"))
    assert gone.returncode == 1 and "is no folder" in gone.stderr
    assert "no skills here" in run(places, "skills", "--root", str(places.home)).stdout


def test_one_skill_is_shown_whole_with_what_is_hidden(places: Places) -> None:
    path = write(places, "deploy", "allowed-tools: Bash(make:*), Read", body="Run\u200b it.\x1b[31m")
    (path.parent / "run.sh").write_text("true\n")
    shown = document(places, "skills", "show", "deploy")
    assert shown["scripts"] == ["run.sh"] and shown["hidden"] == ["SKILL.md:6: U+200B", "SKILL.md:6: U+001B"]
    assert shown["allowed_tools"] == ["Bash(make:*)", "Read"] and shown["seen"] is False
    text = run(places, "skills", "show", str(path.parent)).stdout
    assert "Run<U+200B> it.␛[31m" in text and "agentmem skills allow deploy" in text and "not offered" in text
    missing = run(places, "skills", "show", "deplay")
    assert missing.returncode == 1 and "did you mean deploy?" in missing.stderr
    assert run(places, "skills", "show").returncode == 2
    refused = run(places, "skills", "allow", "deploy", AGENTMEM_AGENT="1")
    assert refused.returncode == 3
    assert "scripts: run.sh" in run(places, "skills", "allow", "deploy").stdout
    assert document(places, "skills", "show", "deploy")["seen"] is True


def test_the_one_that_lost_can_be_shown(places: Places) -> None:
    write(places, "twin")
    (places.root / "skills/twin").mkdir(parents=True)
    (places.root / "skills/twin/SKILL.md").write_text("---\nname: twin\ndescription: First.\n---\n")
    assert document(places, "skills", "show", "twin")["description"] == "First."
    lost = document(places, "skills", "show", ".agents/skills/twin")
    assert lost["state"] == "refused" and "skills/twin/SKILL.md is: that one counts" in lost["reason"]


def test_why_a_skill_came(places: Places) -> None:
    write(places, "deploy", "triggers: [ship it]")
    run(places, "trust")
    script = places.home / "m.jsonl"
    script.write_text('{"text":"ok"}\n')
    ran = run(places, "-p", "ship it", "--model", f"scripted:{script}", "--output", "json")
    assert ran.returncode == 0, ran.stderr
    (came,) = document(places, "skills", "show", "--why")
    assert (came["name"], came["rule"], came["by"]) == ("deploy", "trigger", "ship it")
    assert "deploy               trigger: ship it" in run(places, "skills", "show", "--why").stdout
    assert run(places, "skills", "show", "other", "--why").stdout == "no skill came into that session\n"


def test_headless_and_untrusted_it_is_told(places: Places) -> None:
    write(places, "deploy", "triggers: [ship it]")
    script = places.home / "m.jsonl"
    script.write_text('{"text":"ok"}\n')
    ran = run(places, "-p", "ship it", "--model", f"scripted:{script}")
    assert ran.stdout == "ok\n"
    assert "skills of this project are not offered, its folder is not trusted: deploy" in ran.stderr
    assert document(places, "skills", "show", "--why") == []


def test_checking(places: Places) -> None:
    path = write(
        places, "deploy", "paths: '['", "frobnicate: yes", body="See [it](references/x.md) and `scripts/y.sh`."
    )
    (path.parent / "run.sh").write_text("true\n")
    found = document(places, "skills", "check", "deploy")
    (skill,) = found["skills"]
    assert skill["ok"] and skill["tokens"]["body"] > 5
    assert {(one["grade"], one["what"].split(":")[0]) for one in skill["findings"]} == {
        ("note", "keys that neither the open format nor agentmem knows"),
        ("note", "it brings a script"),
        ("warning", "`paths` holds '[', which matches nothing"),
        ("warning", "its body names references/x.md, which is not there"),
        ("warning", "its body names scripts/y.sh, which is not there"),
    }
    write(places, "bad", "prefetch: [bash]")
    found = document(places, "skills", "check", code=1)
    assert [one["ok"] for one in found["skills"]] == [False, True]
    text = run(places, "skills", "check", "bad")
    assert text.returncode == 1 and "error: `prefetch` names bash, which does more than read" in text.stdout
    long = write(places, "long", body="word " * 5_000)
    assert "of which 5,000 outlive a compaction" in run(places, "skills", "check", str(long)).stdout


def test_what_a_message_would_choose(places: Places, tmp_path: Path) -> None:
    draft = tmp_path / "draft/release/SKILL.md"
    draft.parent.mkdir(parents=True)
    draft.write_text("---\nname: release\ndescription: D.\ntriggers: [cut a release]\n---\nB\n")
    words = ("skills", "check", str(draft.parent), "--prompt", "please cut a release", "--prompt", "hi")
    first, second = document(places, *words)["prompts"]
    assert first["chosen"] == [{"id": "release", "rule": "trigger", "by": "cut a release"}]
    assert second == {"prompt": "hi", "chosen": [], "scores": {}}
    assert "“please cut a release” chooses release (trigger: cut a release)" in run(places, *words).stdout


def test_a_new_one(places: Places) -> None:
    ran = run(places, "skills", "new", "cut-release", "--description", 'Cut: a "release".')
    path = places.root / "skills/cut-release/SKILL.md"
    assert ran.stdout == f"made {path}\nwrite it, then: agentmem skills check cut-release\n"
    found = document(places, "skills", "check", "cut-release")["skills"]
    assert [(one["id"], one["findings"]) for one in found] == [("cut-release", [])]
    assert document(places, "skills", "show", "cut-release")["description"] == 'Cut: a "release".'
    assert run(places, "skills", "new", "cut-release").returncode == 1
    assert run(places, "skills", "new", "../up").returncode == 2
    assert run(places, "skills", "new", "").returncode == 2 and not (places.root / "skills/SKILL.md").exists()
    assert run(places, "skills", "new", "x", AGENTMEM_AGENT="1").returncode == 3
    assert document(places, "skills", "new", "mine", "--user") == {"path": str(places.home / "skills/mine/SKILL.md")}


TEXT = "---\nname: release\ndescription: {}\ntriggers: [{}]\n{}---\nTag it.\n"


def propose(places: Places, text: str) -> str:
    verdict = skillgate.propose(Draft(text, ("seen thrice",)), places, Clock())
    assert verdict.id
    return verdict.id


def test_what_waits_is_shown_approved_and_rolled_back(places: Places) -> None:
    assert run(places, "skills", "waiting").stdout == "no skill waits for you\n"
    own = propose(places, TEXT.format("First.", "cut it", ""))
    (row,) = document(places, "skills", "waiting")
    assert (row["id"], row["skill"], row["revises"], row["evidence"]) == (own, "release", False, ["seen thrice"])
    text = run(places, "skills", "waiting").stdout
    assert "--- /dev/null\n+++ b/skills/release/SKILL.md" in text and f"agentmem skills approve {own}" in text
    assert run(places, "skills", "approve", own, AGENTMEM_AGENT="1").returncode == 3
    review = run(places, "review")
    assert (review.stdout, review.stderr) == ("nothing waits for you\n", "1 skill waits too: agentmem skills waiting\n")
    assert "is a skill, no claim: agentmem skills waiting" in run(places, "review", "approve", own).stderr
    path = str(places.root / "skills/release/SKILL.md")
    assert document(places, "skills", "approve", own) == {"path": path, "checked": "it has no check"}
    assert document(places, "skills", "show", "release")["seen"] is True
    assert run(places, "skills", "rollback", "release", AGENTMEM_AGENT="1").returncode == 3
    assert "is gone: there was none before" in run(places, "skills", "rollback", "release").stdout
    assert not Path(path).exists()


@pytest.mark.parametrize(
    ("more", "words", "passes", "told"),
    [
        ("", (), False, "a revision needs a check that passes"),
        ("", ("--prompt", "please cut it now"), True, "1 message chooses it"),
        ("", ("--prompt", "something else"), False, "these messages do not choose it: something else"),
        ("golden: [cut it, 'oh, cut it']\n", (), True, "2 messages choose it"),
        ("check: 'test -d skills'\n", ("--yes",), True, "`test -d skills` passes"),
        ("check: 'test -d skills'\n", (), False, "its command was not run"),
        ("check: 'echo why; exit 3'\n", ("--yes",), False, "`echo why; exit 3` ended with 3\nwhy"),
        ("prefetch: [bash]\n", ("--prompt", "cut it"), False, "it cannot be used"),
    ],
)
def test_a_revision_is_promoted_once_its_check_passed(
    places: Places, more: str, words: tuple[str, ...], passes: bool, told: str
) -> None:
    path = places.root / "skills/release/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: release\ndescription: Old.\n---\n")
    own = propose(places, TEXT.format("New.", "cut it", more))
    ran = run(places, "skills", "approve", own, *words)
    assert (ran.returncode == 0) == passes
    assert told in ran.stdout + ran.stderr
    assert ("New." in path.read_text()) == passes
    if not passes:
        assert run(places, "skills", "reject", own, "--why", "no").stdout == f"rejected: {own}\n"
        assert run(places, "skills", "reject", own).returncode == 1
        assert run(places, "skills", "reject", own, AGENTMEM_AGENT="1").returncode == 3


def test_a_yes_to_a_text_is_none_to_scripts_that_lay_there(places: Places) -> None:
    (places.root / "skills/release").mkdir(parents=True)
    (places.root / "skills/release/run.sh").write_text("true\n")
    run(places, "skills", "approve", propose(places, TEXT.format("First.", "cut it", "")))
    assert document(places, "skills", "show", "release")["seen"] is False
    run(places, "skills", "allow", "release")
    own = propose(places, TEXT.format("Second.", "cut it", ""))
    ran = run(places, "skills", "approve", own, "--prompt", "cut it")
    assert "undo: agentmem skills rollback release" in ran.stdout
    assert document(places, "skills", "show", "release")["seen"] is True
    (places.root / "skills/release/more.sh").write_text("true\n")
    assert run(places, "skills", "rollback", "release").returncode == 0
    assert document(places, "skills", "show", "release")["seen"] is False


def test_a_draft_that_takes_the_place_of_another_says_so(places: Places) -> None:
    propose(places, "---\nname: commit\ndescription: Commits at once.\n---\nDo it.\n")
    (row,) = document(places, "skills", "waiting")
    assert (row["revises"], row["instead_of"]) == (False, str(ROOT / "skills/commit/SKILL.md"))
    assert f"it would count instead of {ROOT}/skills/commit/SKILL.md" in run(places, "skills", "waiting").stdout


def test_a_skill_that_a_command_wrote_is_not_offered_before_the_person_has_seen_it(places: Places) -> None:
    path = write(places, "mail")
    run(places, "trust")
    planted.hold(places.home, [(str(path), hashlib.sha256(path.read_bytes()).hexdigest())], "2026-11-30T09:00:00Z")
    (row,) = (row for row in document(places, "skills", "list") if row["id"] == "mail")
    assert (row["state"], row["offered"]) == ("refused", False)
    assert row["reason"] == "a command wrote it: agentmem skills show mail, then agentmem skills allow mail"
    assert run(places, "skills", "show", "mail").returncode == 0
    assert run(places, "skills", "allow", "mail").returncode == 0
    (row,) = (row for row in document(places, "skills", "list") if row["id"] == "mail")
    assert (row["state"], row["offered"]) == ("loaded", True)

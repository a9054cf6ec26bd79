"""Drafts always wait; what is approved is written, checked when it revises, and can be rolled back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.domain.skill import AdmittedSkill, Draft
from agentmem.memory.stores import procedural, versions
from agentmem.memory.write.gate import skillgate
from agentmem.memory.write.gate.skillgate import NotPromoted

CLOCK = Clock(now=lambda: 1_796_029_200.0)


@pytest.fixture
def places(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("HOME", str(places.home))
    return places


def text(description: str = "Cut a release.", name: str = "release", body: str = "Tag it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def propose(places: Places, said: str, **more: Any) -> str:
    verdict = skillgate.propose(Draft(said, **more), places, CLOCK)
    assert verdict.outcome == "queued" and verdict.id is not None
    return verdict.id


def test_a_draft_waits_with_its_evidence(places: Places) -> None:
    own = propose(places, text(), evidence=("done in three sessions",), by="dream", session="s1", entry="e1")
    item = json.loads((places.queue / f"waiting/{own}.json").read_text())
    assert item == {
        "id": own,
        "at": CLOCK.stamp(),
        "kind": "skill",
        "category": "procedure",
        "skill": "release",
        "text": text(),
        "path": "skills/release/SKILL.md",
        "evidence": ["done in three sessions"],
        "principal": "dream",
        "confidence": 0.6,
        "reason": "skills always wait for the person",
        "origin": {"session": "s1", "entry": "e1", "spoken_by": "agent"},
    }
    assert not (places.root / "skills").exists()
    again = skillgate.propose(Draft(text()), places, CLOCK)
    assert (again.outcome, again.id) == ("queued", own)
    assert len(skillgate.candidates(places)) == 1


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        ("no front matter", "it is no skill"),
        (text(name="Bad Name"), "small letters, digits and hyphens"),
        ("---\ndescription: No name.\n---\n", "small letters"),
        (text(name="../up"), "small letters"),
        (text(body="key: ghp_" + "a1B2" * 9), "it holds a secret"),
        (text(body="Tag\u200b it."), "line 5 holds a character that nobody sees (U+200B)"),
        (text(body="x" * 300_000), ""),
    ],
)
def test_what_is_no_skill_is_refused(places: Places, draft: str, why: str) -> None:
    if not why:
        assert skillgate.propose(Draft(draft), places, CLOCK).outcome == "queued"  # its size is told when it is read
        return
    verdict = skillgate.propose(Draft(draft), places, CLOCK)
    assert verdict.outcome == "refused" and why in verdict.reason
    assert not places.shared.exists()


def test_approving_writes_it_and_rolling_back_takes_it_away(places: Places) -> None:
    propose(places, text())
    path = skillgate.promote(skillgate.candidate(places, "release"), places, CLOCK, None)
    assert Path(path) == places.root / "skills/release/SKILL.md" and Path(path).read_text() == text()
    assert skillgate.candidates(places) == []
    assert skillgate.roll_back("release", places, CLOCK) == (path, False)
    assert not Path(path).exists() and not Path(path).parent.exists()
    with pytest.raises(NotPromoted, match="nothing to roll back"):
        skillgate.roll_back("release", places, CLOCK)


def test_a_revision_needs_a_check_and_can_be_taken_back(places: Places) -> None:
    folder = places.root / ".agents/skills/release"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text("First."))
    own = propose(places, text("Second."))
    one = skillgate.candidate(places, own[:5])
    assert one.revises and one.before == text("First.") and Path(one.path) == folder / "SKILL.md"
    with pytest.raises(NotPromoted, match="a revision needs a check"):
        skillgate.promote(one, places, CLOCK, None)
    assert (folder / "SKILL.md").read_text() == text("First.")
    skillgate.promote(one, places, CLOCK, "1 message chooses it")
    item = json.loads((places.queue / f"approved/{own}.json").read_text())
    assert (item["before"], item["checked"], item["approver"]) == (text("First."), "1 message chooses it", "user")
    later = propose(places, text("Third."))
    skillgate.promote(skillgate.candidate(places, later), places, Clock(now=lambda: 1_796_029_300.0), "yes")
    assert skillgate.roll_back("release", places, CLOCK) == (str(folder / "SKILL.md"), True)
    assert (folder / "SKILL.md").read_text() == text("Second.")
    skillgate.roll_back("release", places, CLOCK)
    assert (folder / "SKILL.md").read_text() == text("First.")


def test_what_changed_meanwhile_is_not_overwritten(places: Places) -> None:
    path = places.root / "skills/release/SKILL.md"
    propose(places, text())
    one = skillgate.candidate(places, "release")
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(NotPromoted, match="changed meanwhile; nothing was written"):
        skillgate.promote(one, places, CLOCK, None)
    assert path.read_text() == "mine" and len(skillgate.candidates(places)) == 1
    path.unlink()
    skillgate.promote(skillgate.candidate(places, "release"), places, CLOCK, None)
    path.write_text("mine")
    with pytest.raises(NotPromoted, match="changed since it was approved"):
        skillgate.roll_back("release", places, CLOCK)


def test_a_link_that_leads_out_is_not_written_through(places: Places, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (places.root / "skills").symlink_to(tmp_path / "away")
    propose(places, text())
    with pytest.raises(NotPromoted, match="leads out of the project"):
        skillgate.promote(skillgate.candidate(places, "release"), places, CLOCK, None)
    assert os.listdir(tmp_path / "away") == []


def test_rejecting(places: Places) -> None:
    own = propose(places, text())
    assert skillgate.reject("release", places, CLOCK, "too narrow") == own
    assert json.loads((places.queue / f"rejected/{own}.json").read_text())["why"] == "too narrow"
    with pytest.raises(NotPromoted, match="is no candidate"):
        skillgate.reject(own, places, CLOCK, None)


def test_two_with_one_beginning(places: Places) -> None:
    propose(places, text("A."))
    propose(places, text("B."))
    with pytest.raises(NotPromoted, match=r"means several candidates: q.*, q"):
        skillgate.candidate(places, "release")


def test_other_claims_in_the_queue_are_none_of_its(places: Places) -> None:
    folder = places.queue / "waiting"
    folder.mkdir(parents=True)
    (folder / "q1.json").write_text('{"id":"q1","category":"fact","text":"x"}')
    (folder / "q2.json").write_text("{")
    assert skillgate.candidates(places) == []


def test_only_what_the_gate_admits_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a/SKILL.md"
    procedural.write(AdmittedSkill("a", str(path), "one", None))
    with pytest.raises(procedural.SkillChanged):
        procedural.write(AdmittedSkill("a", str(path), "two", None))
    assert path.read_text() == "one" and path.stat().st_mode & 0o777 == 0o644


def test_the_history_of_memory_holds_skills_too_once_it_has_begun(places: Places) -> None:
    propose(places, text())
    skillgate.promote(skillgate.candidate(places, "release"), places, CLOCK, None)
    own = versions.project(places)
    assert not own.exists
    own.commit({"MEMORY.md": b"- one\n"}, "FOUND", [("Op", "FOUND")], 1.0)
    propose(places, text("Second."), session="s1", entry="e1")
    skillgate.promote(skillgate.candidate(places, "release"), places, CLOCK, "checked")
    skillgate.roll_back("release", places, CLOCK)
    rolled, promoted, _ = own.log()
    assert promoted.message.startswith("SKILL release") and promoted.trailers == (
        ("Op", "SKILL"),
        ("Skill", "release"),
        ("Session", "s1"),
        ("Entry", "e1"),
        ("Principal", "user"),
        ("Drafted-By", "agent"),
    )
    assert own.at(promoted.id, "skills/release/SKILL.md") == text("Second.").encode()
    assert own.at(rolled.id, "skills/release/SKILL.md") == text().encode()
    assert own.at(rolled.id, "MEMORY.md") == b"- one\n"

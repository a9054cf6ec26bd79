"""Where skills are read from: roots in their order, links, bounds, twins, trust, and a cache that may go."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
import zoo

from agentmem.domain.places import Places
from agentmem.memory.read.skillset import skills_below, skills_in
from agentmem.memory.stores import skillroots


@pytest.fixture
def person(places: Places, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(places.home))
    return places.home


def write(folder: Path, name: str | None = None, description: str = "Does it.", file: str = "SKILL.md") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name or folder.name}\ndescription: {description}\n---\nBody\n"
    (folder / file).write_text(text)
    return folder / file


def own(places: Places, trusted: bool = True) -> dict[str, str]:
    """The skills that can be used, without those that ship with agentmem: id -> path."""
    found = skills_in(places, trusted).skills.items()
    return {name: skill.path for name, skill in found if skill.level != "built-in"}


def test_the_whole_zoo_is_found_with_its_state(tmp_path: Path) -> None:
    beasts = zoo.beasts()
    for beast in beasts:
        path = tmp_path / "zoo" / beast.folder / beast.file
        path.parent.mkdir(parents=True)
        path.write_bytes(beast.data)
    found = skills_below(tmp_path / "zoo", tmp_path / "home")
    states = {os.path.relpath(row.path, tmp_path / "zoo"): row.state for row in found.rows}
    assert len(states) == len(beasts)
    assert {
        f"{beast.folder}/{beast.file}": (beast.state, states[f"{beast.folder}/{beast.file}"])
        for beast in beasts
        if states[f"{beast.folder}/{beast.file}"] != beast.state
    } == {}
    assert all(row.reason for row in found.rows if row.state == "refused")


def test_roots_count_in_their_order(places: Places, person: Path) -> None:
    where = [
        places.root / "skills",
        places.root / ".agents/skills",
        places.root / ".claude/skills",
        places.home / "skills",
        person / ".agents/skills",
    ]
    for number, root in enumerate(where):
        for other in range(number + 1):
            write(root / f"s{other}")
    assert own(places) == {f"s{number}": str(root / f"s{number}/SKILL.md") for number, root in enumerate(where)}


def test_the_project_wins_and_both_are_named(places: Places, person: Path) -> None:
    project = places.root / ".agents/skills/dogfood/SKILL.md"
    project.parent.mkdir(parents=True)
    project.write_text("---\ndescription: The project's.\n---\n")
    users = write(person / ".agents/skills/dogfood", description="The person's.")
    found = skills_in(places, True)
    assert found.skills["dogfood"].description == "The project's."
    rows = {row.path: row for row in found.rows}
    assert rows[str(project)].state == "warned" and rows[str(users)].state == "refused"
    warnings = rows[str(project)].skill.warnings if rows[str(project)].skill else ()
    assert any(str(project) in one and str(users) in one for one in warnings)
    assert str(project) in (rows[str(users)].reason or "")


def test_an_untrusted_project_offers_nothing_and_hides_nothing(places: Places, person: Path) -> None:
    write(places.root / "skills/mine")
    write(places.root / "skills/both")
    write(person / ".agents/skills/both", description="The person's.")
    found = skills_in(places, trusted=False)
    assert own(places, trusted=False) == {"both": str(person / ".agents/skills/both/SKILL.md")}
    assert found.withheld == ("both", "mine")
    assert {row.path for row in found.rows} >= {
        str(places.root / f"skills/{name}/SKILL.md") for name in ("mine", "both")
    }
    assert set(own(places, trusted=True)) == {"mine", "both"}


def test_a_skill_ends_the_way_down_but_at_the_top(places: Places, person: Path) -> None:
    write(places.root / "skills/outer")
    write(places.root / "skills/outer/nested")
    write(places.root / "skills/category/inner")
    write(places.root / "skills", "top")
    assert set(own(places)) == {"outer", "inner", "top"}


def test_two_spellings_in_one_folder(places: Places, person: Path) -> None:
    if (places.root / "SKILLS").exists():
        pytest.skip("this disk folds case")
    write(places.root / "skills/a", file="skill.md", description="Lower.")
    write(places.root / "skills/a", file="SKILL.md", description="Upper.")
    found = skills_in(places, True)
    assert found.skills["a"].description == "Upper." and found.skills["a"].warnings == ()
    rows = {os.path.basename(row.path): row.reason for row in found.rows if row.level == "project"}
    assert rows == {"SKILL.md": None, "skill.md": "SKILL.md in the same folder counts"}


def test_links(places: Places, person: Path, tmp_path: Path) -> None:
    away = tmp_path / "elsewhere"
    write(away / "linked")
    write(away / "many/hidden")
    (away / "secret.md").write_text("---\nname: leak\ndescription: Not yours.\n---\n")
    skills = places.root / "skills"
    write(skills / "group/real")
    (skills / "linked").symlink_to(away / "linked")
    (skills / "many").symlink_to(away / "many")
    (skills / "loop").symlink_to(".")
    (skills / "group/up").symlink_to("..")
    (skills / "again").symlink_to("group")
    (skills / "leak").mkdir()
    (skills / "leak/SKILL.md").symlink_to(away / "secret.md")
    (skills / "broken").mkdir()
    (skills / "broken/SKILL.md").symlink_to("gone.md")
    (skills / "odd").mkdir()
    (skills / "odd/SKILL.md").mkdir()
    (skills / "ring").mkdir()
    (skills / "ring/SKILL.md").symlink_to("SKILL.md")
    found = skills_in(places, True)
    assert {one for one in found.skills if found.skills[one].level == "project"} == {"linked", "real"}
    reasons = {
        os.path.relpath(row.path, skills): row.reason for row in found.rows if row.reason and row.level == "project"
    }
    assert set(reasons) == {"many", "leak/SKILL.md", "broken/SKILL.md", "odd/SKILL.md", "ring/SKILL.md"}
    assert "leads out" in str(reasons["many"]) and "leads out" in str(reasons["leak/SKILL.md"])


def test_one_file_by_two_ways_is_one_skill(places: Places, person: Path) -> None:
    write(places.root / ".agents/skills/pdf")
    (places.root / ".claude/skills").mkdir(parents=True)
    (places.root / ".claude/skills/pdf").symlink_to("../../.agents/skills/pdf")
    found = skills_in(places, True)
    assert found.skills["pdf"].warnings == ()
    assert [row.path for row in found.rows if row.level == "project"] == [
        str(places.root / ".agents/skills/pdf/SKILL.md")
    ]


def test_depth_and_number_are_bounded(places: Places, person: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = places.root / "skills" / "/".join("abcdefg")
    write(deep / "lost")
    found = skills_in(places, True)
    assert own(places) == {}
    assert [row.reason for row in found.rows if row.level == "project"] == ["deeper than 6 folders: not read"]
    write(places.root / "skills/a/b/c/d/e/six")
    assert set(own(places)) == {"six"}
    for number in range(skillroots.MOST_FOLDERS + 5):
        os.mkdir(places.root / f"skills/n{number:05}")
    told = [row.reason or "" for row in skills_in(places, True).rows if row.level == "project"]
    assert sum("more than 10,000 folders" in one for one in told) == 1


def test_a_home_directory_is_no_project(person: Path, places: Places) -> None:
    write(person / ".agents/skills/mine")
    at_home = replace(places, root=person, cwd=person, home=person / ".agentmem")
    assert own(at_home, trusted=False) == {"mine": str(person / ".agents/skills/mine/SKILL.md")}


def test_names_and_ids_both_find(places: Places, person: Path) -> None:
    write(places.root / "skills/ci", "CI/CD Pipeline")
    found = skills_in(places, True)
    assert [found.called(name) and found.called(name).id for name in ("ci-cd-pipeline", "CI/CD Pipeline", "x")] == [  # type: ignore[union-attr]
        "ci-cd-pipeline",
        "ci-cd-pipeline",
        None,
    ]


def test_the_cache_changes_nothing_but_the_time(places: Places, person: Path) -> None:
    chance = random.Random(3)
    for beast in zoo.beasts():
        path = places.root / "skills" / beast.folder / beast.file
        path.parent.mkdir(parents=True)
        path.write_bytes(beast.data)
    first = skills_in(places, True)
    (cache,) = (places.home / "cache/skills").iterdir()
    assert skills_in(places, True) == first
    changed = chance.choice([skill for skill in first.skills.values() if skill.level == "project"])
    Path(changed.path).write_text("---\nname: x\ndescription: Other.\n---\n")
    second = skills_in(places, True)
    assert second != first and skills_in(places, True) == second
    for text in ("", "[]", '{"by":"0"}', '{"by":"x","files":[]}', json.dumps({"files": {changed.path: [1]}})):
        cache.write_text(text)
        assert skills_in(places, True) == second
    held = json.loads(cache.read_text())
    held["files"] = {path: [mark, ["reason"]] for path, (mark, _) in held["files"].items()}
    cache.write_text(json.dumps(held))
    assert skills_in(places, True) == second


def test_an_unwritable_home_is_no_matter(places: Places, person: Path) -> None:
    for number in range(25):
        write(places.root / f"skills/s{number}")
    (places.home / "cache").write_text("a file")
    assert len(own(places)) == 25

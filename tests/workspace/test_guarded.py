from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentmem.domain.places import Places
from agentmem.workspace.guarded import memory_file
from agentmem.workspace.paths import resolve


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("AGENT.md", "AGENT.md"),
        ("./sub/../MEMORY.md", "MEMORY.md"),
        ("memory/2026-11-30.md", "memory/"),
        ("memory", "memory/"),
        ("memory/ledger.jsonl", "memory/"),
        ("skills/x/SKILL.md", "skills/"),
        (".agent/config.yaml", ".agent/"),
        (".agent/sessions/x.jsonl", ".agent/"),
        ("memory.md", "MEMORY.md"),
        ("Agent.MD", "AGENT.md"),
        (".AGENT/config.yaml", ".agent/"),
        (".ag\u200dent/config.yaml", ".agent/"),
        ("~/.agentmem/MEMORY.md", "MEMORY.md"),
        ("~/.agentmem/skills/x/SKILL.md", "skills/"),
        ("~/.agentmem/memory/2026-11-30.md", "memory/"),
        ("~/.agentmem/trust", "trust"),
        ("~/.agentmem/skills.seen", "skills.seen"),
        ("link.md", "MEMORY.md"),
        ("folder/2026-11-30.md", "memory/"),
        ("folder/../MEMORY.md", "MEMORY.md"),
        ("hard.md", "MEMORY.md"),
        ("hard-skill.md", "skills/"),
        ("hard-day.md", "memory/"),
        ("MEMORY.md/x", "MEMORY.md"),
        ("sub/MEMORY.md", None),
        ("MEMORY.md.bak", None),
        ("AGENTS.md", None),
        ("memory2/x", None),
        ("sub/skills/x", None),
        ("sub/.agent/config.yaml", None),
        ("hard-other.md", None),
        ("~/.agentmem/config.yaml", None),
        ("new/x", None),
    ],
)
def test_memory(places: Places, monkeypatch: pytest.MonkeyPatch, named: str, name: str | None) -> None:
    person = places.home
    monkeypatch.setenv("HOME", str(person))
    places = replace(places, home=person / ".agentmem")
    root = places.root
    for folder in ("memory", "skills/x", "sub", ".agent"):
        (root / folder).mkdir(parents=True)
    for file in ("MEMORY.md", "memory/2026-11-30.md", "skills/x/SKILL.md", "sub/other.md"):
        (root / file).write_text("")
    (root / "link.md").symlink_to("MEMORY.md")
    (root / "folder").symlink_to("memory")
    os.link(root / "MEMORY.md", root / "hard.md")
    os.link(root / "skills/x/SKILL.md", root / "hard-skill.md")
    os.link(root / "memory/2026-11-30.md", root / "hard-day.md")
    os.link(root / "sub/other.md", root / "hard-other.md")
    assert memory_file(resolve(named, root), places) == name


def test_nothing_has_to_exist(places: Places) -> None:
    assert memory_file(places.root / "memory/2026-11-30.md", places) == "memory/"
    assert memory_file(places.root / "x", places) is None


def test_the_main_work_trees_memory(places: Places, tmp_path: Path) -> None:
    places = replace(places, shared=tmp_path / "main/.agent")
    assert memory_file(tmp_path / "main/MEMORY.md", places) == "MEMORY.md"
    assert memory_file(tmp_path / "main/.agent/sessions/x", places) == ".agent/"
    assert memory_file(places.root / ".agent/config.yaml", places) == ".agent/"
    assert memory_file(tmp_path / "main/src/x", places) is None


def test_memory_that_lies_elsewhere_behind_a_link(places: Places, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (places.root / "memory").symlink_to(tmp_path / "notes")
    assert memory_file(tmp_path / "notes/2026-11-30.md", places) == "memory/"


def test_a_folder_of_the_projects_own(places: Places) -> None:
    """On a disk that tells case apart `Memory/` is another folder; a link to itself makes this one fold that name."""
    (places.root / "Memory").mkdir()
    if (places.root / "memory").exists():
        pytest.skip("this disk folds case")
    assert memory_file(places.root / "Memory/x", places) is None
    (places.root.parent / "W").symlink_to("w")
    assert memory_file(places.root / "Memory/x", places) == "memory/"
    assert memory_file(places.root.parent / "W/MEMORY.md", places) == "MEMORY.md"

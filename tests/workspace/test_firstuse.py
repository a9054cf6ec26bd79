"""What a skill brings along is seen, and one that changed is new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmem.domain.visible import hidden
from agentmem.workspace.firstuse import baggage, keep_seen, seen


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    path = tmp_path / "deploy/SKILL.md"
    (path.parent / "scripts").mkdir(parents=True)
    path.write_text("---\nname: deploy\ndescription: Ships.\n---\nShip it. \U0001f680 \U0001f469\u200d\U0001f4bb\n")
    return path


def test_text_alone_is_harmless(skill: Path) -> None:
    (skill.parent / "reference.md").write_text("more\tof it\r\n")
    found = baggage(str(skill))
    assert (found.scripts, found.hidden, found.harmless) == ((), (), True)


def test_scripts_are_named(skill: Path) -> None:
    (skill.parent / "scripts/run.PY").write_text("pass\n")
    (skill.parent / "install").write_text("#!/bin/sh\n")
    (skill.parent / "tool").write_text("x")
    os.chmod(skill.parent / "tool", 0o755)
    (skill.parent / "data.csv").write_text("1\n")
    (skill.parent / "Makefile").write_text("all:\n")
    (skill.parent / "program").write_bytes(b"\x7fELF\x02")
    found = baggage(str(skill))
    assert found.scripts == ("Makefile", "install", "program", "tool", "scripts/run.PY")
    assert not found.harmless


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\u200bb", ["1: U+200B"]),
        ("a\n\u202etxt\u202c", ["2: U+202E", "2: U+202C"]),
        ("\U000e0041\U000e0042", ["1: U+E0041", "1: U+E0042"]),
        ("soft\u00adhyphen", ["1: U+00AD"]),
        ("\ufeffa\ufeff", ["1: U+FEFF"]),
        ("a\x1b[31m", ["1: U+001B"]),
        ("\u200b\u200b", ["1: U+200B"]),
        ("naïve — “quoted” 日本語 \U0001f469\u200d\U0001f4bb \u2764\ufe0f", []),
        ("tab\tand\r\nline", []),
    ],
)
def test_what_a_person_does_not_see(text: str, told: list[str]) -> None:
    assert [f"{line}: {what}" for line, what in hidden(text)] == told


def test_hidden_characters_of_all_its_texts(skill: Path) -> None:
    (skill.parent / "reference.md").write_text("one\ntwo\u200b\n")
    (skill.parent / "picture.png").write_text("\u200b")
    assert baggage(str(skill)).hidden == ("reference.md:2: U+200B",)


def test_a_skill_that_changed_is_new(skill: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert seen(home, str(skill)) is None
    first = baggage(str(skill))
    keep_seen(home, str(skill), first.digest, "2026-11-30T09:14:03Z")
    assert seen(home, str(skill)) == baggage(str(skill)).digest == first.digest
    (skill.parent / "scripts/new.sh").write_text("true\n")
    changed = baggage(str(skill))
    assert changed.digest != first.digest
    keep_seen(home, str(skill), changed.digest, "2026-12-01T00:00:00Z")
    assert seen(home, str(skill)) == changed.digest
    assert len((home / "skills.seen").read_text().splitlines()) == 1
    assert (home / "skills.seen").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_read_counts_all_the_same(skill: Path) -> None:
    first = baggage(str(skill))
    os.mkfifo(skill.parent / "pipe")
    (skill.parent / "dangling").symlink_to("nowhere")
    second = baggage(str(skill))
    assert second.digest != first.digest
    (skill.parent / "huge.md").write_bytes(b"x" * ((1 << 20) + 1))
    assert baggage(str(skill)).digest != second.digest


def test_too_many_files_are_not_harmless(skill: Path) -> None:
    for number in range(510):
        (skill.parent / f"f{number}.txt").write_text("")
    found = baggage(str(skill))
    assert not found.whole and not found.harmless


def test_a_script_is_seen_wherever_the_body_could_run_it_from(skill: Path, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away/run.sh").write_text("true\n")
    (skill.parent / "linked").symlink_to("../away")
    (skill.parent / "scripts/ring").symlink_to("..")
    for name in ("node_modules", "__pycache__"):
        (skill.parent / name).mkdir()
        (skill.parent / name / "run.sh").write_text("true\n")
    found = baggage(str(skill))
    assert found.scripts == ("__pycache__/run.sh", "linked/run.sh", "node_modules/run.sh") and found.whole
    (tmp_path / "away/run.sh").write_text("false\n")
    assert baggage(str(skill)).digest != found.digest


def test_what_python_compiles_is_no_change(skill: Path) -> None:
    first = baggage(str(skill))
    (skill.parent / "__pycache__").mkdir()
    (skill.parent / "__pycache__/x.cpython-311.pyc").write_bytes(b"x")
    assert baggage(str(skill)) == first


def test_a_file_that_became_a_script_is_a_change(skill: Path) -> None:
    (skill.parent / "tool").write_text("x")
    first = baggage(str(skill))
    os.chmod(skill.parent / "tool", 0o755)
    assert baggage(str(skill)).digest != first.digest


@pytest.mark.parametrize("others", [0, 510])
def test_a_change_beyond_the_bounds_is_seen_by_its_time(skill: Path, others: int) -> None:
    for number in range(others):
        (skill.parent / f"f{number}.txt").write_text("")
    last = skill.parent / "scripts/z"
    last.write_bytes(b"x" * ((1 << 20) + 1))
    os.utime(last, ns=(1, 1))
    first = baggage(str(skill))
    assert not first.whole
    os.utime(last, ns=(2, 2))
    assert baggage(str(skill)).digest != first.digest

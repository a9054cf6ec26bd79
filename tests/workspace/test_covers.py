from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.domain.feature import Feature
from agentmem.workspace.covers import covered, guarded, guarding
from agentmem.workspace.glob import BadGlob


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def test_paths_folders_and_globs_cover_what_they_name(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "src/b.py", "src/deep/c.py", "docs/d.md", ".agent/x.py", "MEMORY.md", "memory/2026-01-01.md")
    (tmp_path / ".gitignore").write_text("*.log\n")
    put(tmp_path, "build.log")
    names = {
        (): [".gitignore", "a.py", "docs/d.md", "src/b.py", "src/deep/c.py"],
        ("a.py",): ["a.py"],
        ("./a.py",): ["a.py"],
        ("src",): ["src/b.py", "src/deep/c.py"],
        ("src/",): ["src/b.py", "src/deep/c.py"],
        ("src/*.py",): ["src/b.py"],
        ("**/*.md", "a.py"): ["a.py", "docs/d.md"],
        ("build.log",): ["build.log"],
        (".agent/x.py", "nothing"): [],
        (".",): [".gitignore", "a.py", "docs/d.md", "src/b.py", "src/deep/c.py"],
    }
    assert {patterns: list(covered(tmp_path, patterns).files) for patterns in names} == names


def test_a_pattern_that_means_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadGlob, match=r"'src/\[': a \[ is not closed"):
        covered(tmp_path, ["src/["])
    with pytest.raises(BadGlob, match=r"'\.\./a\.py': it goes up"):
        guarded(tmp_path, Feature("A", "a", guards=("../a.py",)), "")


def test_the_hash_follows_names_and_bytes(tmp_path: Path) -> None:
    put(tmp_path, "a", "b")
    first = covered(tmp_path, ()).tree
    assert covered(tmp_path, ()).tree == first
    (tmp_path / "a").rename(tmp_path / "c")
    moved = covered(tmp_path, ()).tree
    (tmp_path / "c").write_text("other")
    assert len({first, moved, covered(tmp_path, ()).tree}) == 3


def test_a_link_counts_by_where_it_leads(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("1")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("../outside")
    first = covered(root, ()).tree
    outside.write_text("2")
    assert covered(root, ()).tree == first
    (root / "link").unlink()
    (root / "link").symlink_to("../elsewhere")
    assert covered(root, ()).tree != first


def test_tests_build_files_and_what_the_check_names_guard_it(tmp_path: Path) -> None:
    put(
        tmp_path,
        "app.py",
        "tests/test_a.py",
        "tests/data.json",
        "conftest.py",
        "Makefile",
        "scripts/check.sh",
        "x.spec.ts",
    )
    found = guarded(tmp_path, Feature("A", "a"), "bash scripts/check.sh && pytest tests/test_a.py::test_one")
    wanted = ["Makefile", "conftest.py", "scripts/check.sh", "tests/data.json", "tests/test_a.py", "x.spec.ts"]
    assert sorted(found.files) == sorted(wanted)
    assert sorted(guarded(tmp_path, Feature("A", "a", guards=("app.py",)), "sh 'unclosed").files) == ["app.py"]
    rests = guarding(tmp_path, Feature("A", "a"), "sh gone/check.sh")
    assert [rests(path) for path in ("gone/check.sh", "tests/gone.py", "src/app.py")] == [True, True, False]


def test_a_check_may_run_what_its_feature_is_about(tmp_path: Path) -> None:
    put(tmp_path, "app.py", "tests/test_a.py", "rules.mk")
    feature = Feature("A", "a", "python app.py && pytest tests/test_a.py", covers=("app.py", "tests"))
    assert sorted(guarded(tmp_path, feature, feature.check).files) == ["rules.mk", "tests/test_a.py"]

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from agentmem.workspace.walk import Ground, walk

GIT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

NAMES = [
    *("a", "b", "ab", "a.py", "b.log", "c d", "é", "build", "x.d", "foo.txt", "[z]", "-q", ".h", "A"),
    *("a*b", "{k}", "#h", "!n", "t ", "fo"),
]
PIECES = [
    *("a", "b", "ab", "*", "a*", "*b", "?", "[ab]", "[!a]", "[a-c]*", "*.py", "*.log", "build", "**", "x.d"),
    *("\\[z\\]", "é", "c d", "*.*", ".*", "foo.txt", "\\#h", "\\!n", "a\\*b", "[[:alpha:]]", "fo*o", "**a", "{k}"),
    *("*a*b*", "[^b]", "b.l?g", "t\\ ", "-q", "A"),
]


def make(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def listed(ground: Ground) -> list[str]:
    troubles: list[str] = []
    found = [
        "/".join(one.names) + {"folder": "/", "link": "@", "file": ""}[one.kind]
        for one in walk(ground, lambda path, error: troubles.append(path))
    ]
    assert troubles == []
    return found


def test_order_kinds_and_what_is_left_out(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "*.log\n/out/\n",
            ".git/config": "",
            "foo.txt": "",
            "foo/z": "",
            "foo/.gitignore": "!keep.log\n",
            "foo/keep.log": "",
            "foo/drop.log": "",
            "out/x": "",
            "foo/out/x": "",
            "B": "",
            "é": "",
        },
    )
    os.symlink("foo", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    assert listed(Ground(str(tmp_path))) == [
        *(".gitignore", "B", "foo/", "foo/.gitignore", "foo/keep.log", "foo/out/", "foo/out/x", "foo/z"),
        *("foo.txt", "link@", "é"),
    ]
    assert listed(Ground(str(tmp_path), ("foo", "out"))) == ["foo/out/x"]
    assert listed(Ground(str(tmp_path), ("out",))) == []
    assert listed(Ground(str(tmp_path), ("out",), ignored=True)) == ["out/x"]
    assert listed(Ground(str(tmp_path), (".git",), ignored=True)) == []
    assert "out/x" in listed(Ground(str(tmp_path), ignored=True))


def test_a_repository_inside_answers_only_to_its_own_rules(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*.log\n", "in/.git/x": "", "in/a.log": "", "in/.gitignore": "b\n", "in/b": ""})
    assert listed(Ground(str(tmp_path))) == [".gitignore", "in/", "in/.gitignore", "in/a.log"]
    assert listed(Ground(str(tmp_path), ("in",))) == ["in/.gitignore", "in/a.log"]


def test_rules_above_the_root_do_not_count(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*\n", "w/a": ""})
    assert listed(Ground(str(tmp_path / "w"))) == ["a"]


def test_a_rules_file_that_is_no_file_is_none(tmp_path: Path) -> None:
    make(tmp_path, {"rules": "a\n", "a": "", "x/a": "", "y/a": ""})
    os.symlink("rules", tmp_path / ".gitignore")
    os.mkfifo(tmp_path / "x" / ".gitignore")
    (tmp_path / "y" / ".gitignore").mkdir()
    assert listed(Ground(str(tmp_path))) == [*(".gitignore@", "a", "rules", "x/", "x/a", "y/", "y/.gitignore/", "y/a")]


def test_what_cannot_be_listed_is_told(tmp_path: Path) -> None:
    troubles: list[tuple[str, int | None]] = []
    ground = Ground(str(tmp_path / "gone"))
    assert list(walk(ground, lambda path, error: troubles.append((path, error.errno)))) == []
    assert troubles == [(str(tmp_path / "gone"), 2)]


def test_deep_trees_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(300):
        path = path / "d"
        path.mkdir()
    assert len(listed(Ground(str(tmp_path)))) == 300


def grown(folder: Path, depth: int, dice: random.Random) -> None:
    """A random tree with random .gitignore files."""
    for name in dice.sample(NAMES, dice.randint(1, 6)):
        if depth and dice.random() < 0.5:
            (folder / name).mkdir()
            grown(folder / name, depth - 1, dice)
        else:
            (folder / name).write_bytes(b"x\n")
    if dice.random() < (0.9 if depth == 3 else 0.35):
        lines = "".join(rule(dice) + dice.choice(["\n", "\n", "\r\n"]) for _ in range(dice.randint(1, 6)))
        (folder / ".gitignore").write_bytes(lines.encode())


def rule(dice: random.Random) -> str:
    path = "/".join(dice.choice(PIECES) for _ in range(dice.choice([1, 1, 1, 2, 2, 3])))
    signs = [("!", 0.3), ("/", 0.2)]
    start = "".join(sign for sign, chance in signs if dice.random() < chance)
    return start + path + ("/" if dice.random() < 0.25 else "") + ("  " if dice.random() < 0.05 else "")


@pytest.mark.parametrize("seed", range(60))
def test_git_itself_gives_the_same_answer(tmp_path: Path, seed: int) -> None:
    grown(tmp_path, 3, random.Random(seed))
    ours = [path for path in listed(Ground(str(tmp_path))) if not path.endswith("/")]
    subprocess.run(["git", "init", "-q", str(tmp_path)], env=GIT, check=True)
    said = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-files", "-z", "--others", "--exclude-standard"],
        env=GIT,
        check=True,
        capture_output=True,
    ).stdout
    theirs = [os.fsdecode(path) for path in said.split(b"\0") if path]
    assert ours == sorted(theirs, key=lambda path: [os.fsencode(name) for name in path.split("/")])

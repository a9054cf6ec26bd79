from __future__ import annotations

import os
import random
import shutil
import stat
import threading
import time
from pathlib import Path

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.workspace.pattern import BadPattern, read_pattern
from agentmem.workspace.search import Done, Means, Spot, find_lines, find_lines_of, find_paths
from agentmem.workspace.walk import Ground

RIPGREP = shutil.which("rg")
WITH = {"PATH": os.environ["PATH"]}
WITHOUT = {"PATH": "/no/such/folder"}

both = pytest.mark.parametrize(
    "env",
    [
        pytest.param(WITH, id="rg", marks=pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")),
        pytest.param(WITHOUT, id="python"),
    ],
)


def lines(
    root: Path, text: str, env: dict[str, str], only: str | None = None, start: tuple[str, ...] = ()
) -> list[Spot]:
    spots: list[Spot] = []
    done = find_lines(
        Ground(str(root), start), read_pattern(text), only, Means(env, Cancel()), lambda spot: bool(spots.append(spot))
    )
    assert done == Done("exit")
    return spots


def put(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


@both
def test_places_of_matches(tmp_path: Path, env: dict[str, str]) -> None:
    put(
        tmp_path,
        {
            "b/-x": "é foo foo\r\nbar\r\nfoo".encode(),
            "a.txt": b"foo\n",
            ".hidden": b"foo\n",
            ".git/config": b"foo\n",
            ".gitignore": b"out\n",
            "out": b"foo\n",
            "bin": b"foo\n\0",
            "sub$": b"",
            "late": b"foo\n" + b"y" * 70_000 + b"\0 foo\n",
            "new\nline": b"foo\n",
            "wide": b"\xff\xfef\0o\0o\0",
        },
    )
    os.symlink("a.txt", tmp_path / "link")
    assert lines(tmp_path, "foo", env) == [
        Spot(".hidden", 1, 1, 0),
        Spot("a.txt", 1, 1, 0),
        Spot("b/-x", 1, 4, 0),
        Spot("b/-x", 3, 1, 17),
        Spot("late", 1, 1, 0),
        Spot("late", 2, 70_003, 4),
        Spot("new\nline", 1, 1, 0),
    ]
    assert [spot.path for spot in lines(tmp_path, "foo", env, only="*.txt")] == ["a.txt"]
    assert [spot.path for spot in lines(tmp_path, "foo$", env, start=("b",))] == ["b/-x", "b/-x"]
    assert lines(tmp_path, "-x", env) == []


@both
def test_one_file_is_searched_though_ignored(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path, {".gitignore": b"*\n", "-out": b"x\nfoo\n"})
    spots: list[Spot] = []
    means = Means(env, Cancel())
    done = find_lines_of(str(tmp_path), "-out", read_pattern("foo"), means, lambda spot: bool(spots.append(spot)))
    assert (done, spots) == (Done("exit"), [Spot("-out", 2, 1, 2)])


@both
def test_enough_is_enough(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path, {"a": b"foo\n" * 100_000, "b": b"foo\n"})
    spots: list[Spot] = []

    def take(spot: Spot) -> bool:
        spots.append(spot)
        return len(spots) == 10

    assert find_lines(Ground(str(tmp_path)), read_pattern("foo"), None, Means(env, Cancel()), take) == Done("enough")
    assert len(spots) == 10


@both
def test_more_files_than_a_command_line_holds(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path, {f"d{number % 7}/{'n' * 100}{number:05}": b"foo\n" for number in range(1_300)})
    spots = lines(tmp_path, "foo", env)
    paths = [spot.path for spot in spots]
    assert len(paths) == 1_300
    assert paths == sorted(paths)


def test_files_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything can be read by root")
    put(tmp_path, {"a": b"foo\n", "b": b"foo\n", "c/d": b"foo\n"})
    (tmp_path / "a").chmod(0)
    (tmp_path / "c").chmod(0)
    spots: list[Spot] = []
    for env in (WITH, WITHOUT):
        means = Means(env, Cancel())
        done = find_lines(
            Ground(str(tmp_path)), read_pattern("foo"), None, means, lambda spot: bool(spots.append(spot))
        )
        assert done == Done("exit", unread=2)
    (tmp_path / "c").chmod(0o700)


def test_a_pattern_that_never_ends_is_stopped(tmp_path: Path) -> None:
    put(tmp_path, {"a": b"a" * 5_000 + b"\n"})
    pattern = read_pattern("(?=a)(a+)+b")
    done = find_lines(Ground(str(tmp_path)), pattern, None, Means(WITHOUT, Cancel(), 0.3), lambda spot: False)
    assert done == Done("timeout")


def test_a_search_is_cancelled_from_outside(tmp_path: Path) -> None:
    put(tmp_path, {"a": b"a" * 5_000 + b"\n"})
    cancel = Cancel()
    timer = threading.Timer(0.1, cancel.cancel)
    timer.start()
    began = time.monotonic()
    done = find_lines(Ground(str(tmp_path)), read_pattern("(?=a)(a+)+b"), None, Means(WITH, cancel), lambda spot: False)
    assert done == Done("cancelled")
    assert time.monotonic() - began < 10
    timer.join()
    assert find_paths(Ground(str(tmp_path)), Means(WITH, cancel), print) == Done("cancelled")
    assert find_paths(Ground(str(tmp_path)), Means(WITH, Cancel(), 0.0), print) == Done("timeout")


@pytest.mark.parametrize("script", ["exit 2", "kill -9 $$", "echo nonsense >&2; exit 2"])
def test_a_ripgrep_that_fails_is_done_without(tmp_path: Path, script: str) -> None:
    program = tmp_path / "bin" / "rg"
    put(tmp_path, {"bin/rg": f"#!/bin/sh\n{script}\n".encode(), "w/a": b"foo\n"})
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert lines(tmp_path / "w", "foo", {"PATH": str(program.parent)}) == [Spot("a", 1, 1, 0)]


def test_a_search_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    pattern, gone = read_pattern("foo"), str(tmp_path / "gone")
    for env in (WITH, WITHOUT):
        done = find_lines_of(gone, "a", pattern, Means(env, Cancel()), lambda spot: False)
        assert done == Done("exit", error="the search process could not be run")


def test_the_person_s_settings_of_ripgrep_do_not_count(tmp_path: Path) -> None:
    put(tmp_path, {"rc": b"--files-with-matches\n", "w/a": b"foo\n"})
    env = {**WITH, "RIPGREP_CONFIG_PATH": str(tmp_path / "rc")}
    assert lines(tmp_path / "w", "foo", env) == [Spot("a", 1, 1, 0)]


SIGNS = [*'abcAB1 \t_-.(){}éÉſK中[]\\$^|",', "\u2003", "\x1c", "\x85"]
ATOMS = [
    *("a", "b", "c", "A", "1", " ", "_", "é", "中", "ſ", "k", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\t"),
    *(r"\.", r"\(", r"\x41", r"\u00e9", r"\\", r"\r", "{", "}", "]", r"\-", '"', ",", "^", "$", r"\b", "[abc]"),
    *("[^a]", "[a-c1]", r"[^\w]", r"[\d\s]", "[]a]", "[^]a]", r"[a\]]", "[a-]", "[-a]", "[é-ü]", "[ -~]"),
    *(r"[\x00-\x7f]", "[^ -~]", "[{}]", "[a&&b]", "[[a]", "[[:alpha:]]", "[^[:space:]]", r"[\w.]", r"[^\s]"),
    *(r"[\u4e00-\uffff]", "[$^.]", "[A-Z]", r"[\t-\r]", "[a||b]"),
]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "*?", "+?", "??", "{2}?"]


def expression(dice: random.Random, depth: int = 2) -> str:
    text = ""
    for _ in range(dice.randint(1, 3)):
        atom = dice.choice(ATOMS)
        if depth and dice.random() < 0.25:
            atom = dice.choice(["(", "(?:", "(?P<n>"]) + expression(dice, depth - 1) + ")"
        edge = atom in ("^", "$", r"\b")
        text += atom + (dice.choice(REPEATS) if dice.random() < 0.3 and not edge else "")
    return f"{text}|{expression(dice, 0)}" if dice.random() < 0.15 else text


def line(dice: random.Random) -> bytes:
    text = "".join(dice.choice(SIGNS) for _ in range(dice.randint(0, 8))).encode()
    if dice.random() < 0.1:
        text += dice.choice([b"\xff", b"\xe9", b"\xf0\x9f", b"\xed\xa0\x80"]) + b"a"
    return text + (b"\r" if dice.random() < 0.1 else b"")


@pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("seed", range(8))
def test_both_ways_give_the_same_answers(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    for number in range(25):
        text = b"\n".join(line(dice) for _ in range(dice.randint(0, 12)))
        (tmp_path / f"f{number}").write_bytes(text + (b"\n" if dice.random() < 0.6 else b""))
    compared = 0
    while compared < 15:
        text = expression(dice)
        try:
            if read_pattern(text).rust is None:
                continue
        except BadPattern:
            continue
        compared += 1
        assert lines(tmp_path, text, WITH) == lines(tmp_path, text, WITHOUT), text

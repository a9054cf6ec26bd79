from __future__ import annotations

import re
import time

import pytest

from agentmem.workspace.glob import BadGlob, PathGlob, Wanted, name_regex


def fits(glob: str, name: str) -> bool:
    return re.compile(name_regex(glob), re.DOTALL).fullmatch(name) is not None


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*", ["", "a", ".b", "a\nb"], []),
        ("*.py", ["a.py", ".py"], ["a.pyc", "py"]),
        ("a*b*c", ["abc", "axbxbc"], ["ab", "abcd"]),
        ("a**b", ["ab", "axb"], ["a"]),
        ("?x", ["ax"], ["x", "aax"]),
        ("[a-c]", ["a", "c"], ["d", "ab"]),
        ("[!a-c]", ["d", "]"], ["a", ""]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[\\]^]", ["]", "^"], ["\\"]),
        ("[[:digit:][:upper:]_]", ["3", "X", "_"], ["x", ":"]),
        ("[z-a]", [], ["z", "a"]),
        ("[!z-a]", ["z"], [""]),
        ("\\*\\[", ["*["], ["x["]),
        ("a.+(b)|$", ["a.+(b)|$"], ["aa"]),
        ("é?", ["éx"], ["e"]),
    ],
)
def test_names(glob: str, yes: list[str], no: list[str]) -> None:
    assert ([name for name in yes if not fits(glob, name)], [name for name in no if fits(glob, name)]) == ([], [])


@pytest.mark.parametrize("glob", ["[", "[a", "[]", "[!", "[[:digit:", "[[:nonsense:]]", "a\\"])
def test_names_that_mean_nothing(glob: str) -> None:
    with pytest.raises(BadGlob):
        name_regex(glob)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("a/b", ["a/b"], ["b", "a", "a/b/c", "x/a/b"]),
        ("**/b", ["b", "a/b", "a/x/b"], ["b/c"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "b", "xa/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b"]),
        ("**", ["a", "a/b"], []),
        ("**/a/**/b/**/c", ["a/b/c", "x/a/y/b/b/z/c"], ["a/c", "b/a/c"]),
        ("*/*", ["a/b"], ["a", "a/b/c"]),
    ],
)
def test_paths(glob: str, yes: list[str], no: list[str]) -> None:
    pattern = PathGlob(glob.split("/"))
    assert [path for path in yes if not pattern.matches(path.split("/"))] == []
    assert [path for path in no if pattern.matches(path.split("/"))] == []


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.md", ["a.md", "x/y/a.md"], ["a.mdx"]),
        ("./*.md", ["a.md"], ["x/a.md"]),
        ("/*.md", ["a.md"], ["x/a.md"]),
        ("src/**/test_*", ["src/test_a", "src/x/test_b"], ["test_a", "x/src/test_a"]),
        ("src//a", ["src/a"], ["a"]),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.js", "a.{ts,tsx}"]),
        ("{src,lib/{a,b}}/*.c", ["src/x.c", "lib/a/x.c", "lib/b/x.c"], ["lib/x.c", "x.c"]),
        ("{a}", ["{a}"], ["a"]),
        ("{a,b", ["{a,b"], ["a"]),
        ("a\\{b,c\\}", ["a{b,c}"], ["ab"]),
        ("{,x}a", ["a", "xa"], ["ya"]),
    ],
)
def test_what_is_wanted(glob: str, yes: list[str], no: list[str]) -> None:
    wanted = Wanted(glob)
    assert [path for path in yes if not wanted.matches(path.split("/"))] == []
    assert [path for path in no if wanted.matches(path.split("/"))] == []


def test_a_slash_at_the_end_wants_directories() -> None:
    assert Wanted("a/").matches(["x", "a"], directory=True)
    assert not Wanted("a/").matches(["x", "a"])
    assert Wanted("a").matches(["a"], directory=True)


@pytest.mark.parametrize("glob", ["", "/", "./", "../a", "a/../b", "[", "{a,b}" * 9])
def test_what_cannot_be_wanted(glob: str) -> None:
    with pytest.raises(BadGlob):
        Wanted(glob)


def test_hostile_patterns_take_no_time() -> None:
    began = time.process_time()
    assert not fits("*a" * 60 + "b", "a" * 255)
    assert not PathGlob(["**", "a"] * 30 + ["b"]).matches(["a"] * 200)
    assert not Wanted("**/*a*/" * 20 + "b").matches(["a" * 50] * 100)
    assert time.process_time() - began < 5

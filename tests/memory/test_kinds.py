"""What a piece of text names by its shape, and that no text takes long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read.kinds import Memo, errors, named, runs_of


def found(text: str) -> list[tuple[str, str]]:
    return sorted(named(text, Memo()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/db/pool.py:12:5 and ./run.sh.", [("path", "./run.sh"), ("path", "src/db/pool.py")]),
        ("`/etc/hosts`, ~/.ssh/config", [("path", "/etc/hosts"), ("path", "~/.ssh/config")]),
        (r"C:\work\app\main.py!", [("path", r"C:\work\app\main.py"), ("path", "main.py")]),
        ("package.json and .gitignore", [("path", ".gitignore"), ("path", "package.json")]),
        ("@scope/pkg", [("path", "@scope/pkg")]),
        ("and/or, his/hers, 1/2, read/write", []),
        ("</table> </div>", []),
        ("commit a35c73d of #412", [("hash", "#412"), ("hash", "a35c73d")]),
        ("PROJ-17 v2.10.3", [("hash", "PROJ-17"), ("hash", "v2.10.3")]),
        ("4d5611e5-241a-462a-8d15-5122611a9569", [("hash", "4d5611e5-241a-462a-8d15-5122611a9569")]),
        ("deadbeef facade 1234567", []),
        ("took 42 s, 1,204 tests, 3.5MB, 80%",
         [("number", "1,204 tests"), ("number", "3.5MB"), ("number", "42 s"), ("number", "80%")]),
        ("\x1b[38;5;39m 12 apples utf-8 files", []),
        ("(see https://a.example/x?b=1), ok", [("url", "https://a.example/x?b=1")]),
        ("https://a.example/x_(y)", [("url", "https://a.example/x_(y)")]),
        ("localhost:5433 db.internal:6379 10.0.0.7",
         [("host", "10.0.0.7"), ("host", "db.internal:6379"), ("host", "localhost:5433")]),
        ("redis:6379 main.py:6379", [("host", "redis:6379"), ("path", "main.py")]),
        ("plain words, A Title; nothing here.", []),
        ("getUser user_id Foo.bar mount/2", [("name", "Foo.bar"), ("name", "getUser"), ("name", "user_id")]),
    ],
)  # fmt: skip
def test_what_a_text_names(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  x.y.TypeError: a is undefined\nnext", ["x.y.TypeError: a is undefined"]),
        ("src/a.ts(3,1): error TS2322: Type 'a' is not b.", ["error TS2322: Type 'a' is not b."]),
        ("error[E0308]: mismatched types", ["error[E0308]: mismatched types"]),
        ("FAILED tests/test_a.py::test_b", ["FAILED tests/test_a.py::test_b"]),
        ("fatal: not a git repository", ["fatal: not a git repository"]),
        ("    raise ValueError: no\n# Error: no", []),
        ("isError: boolean;\n{ Error: ${text} }", []),
        ("Error: " + "word " * 60, [("Error: " + "word " * 60)[:156].rstrip()]),
    ],
)
def test_error_texts(text: str, expected: list[str]) -> None:
    assert list(errors(text)) == expected


def test_each_name_comes_once_in_the_order_of_the_text() -> None:
    assert named("b/x.py a/y.py b/x.py", Memo()) == [("path", "b/x.py"), ("path", "a/y.py")]


HOSTILE = (
    "a", "a/", "a.", "1", "1,", "1.", ":", "://", "http://a", "#", "Error", "Error: ", "a.Error", "-", "_", "@", "C:\\",
    "0f", "x:1", "/", "<", "</", " 1", "\n", "`", "` ", "$ ", "~", "é", "a_", "aB", "::",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    text = (piece * (300_000 // len(piece) + 1))[:300_000] + " http://x C:\\y Error: z"
    begun = time.process_time()
    named(text, Memo())
    assert time.process_time() - begun < 3  # it takes 0.1 s; what is quadratic takes hours


@given(st.text(alphabet="ab/.:#-_1 \n`'\"Er", max_size=200))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    assert [name for _, name in named(text, Memo()) if name not in text] == []


_SIGNS = ["a", "b.c", "/", "<", "</", ">", "(", "'", "\\", "→", "…", "«", "é", "\u00a0", "\t", "\n", ","]


@given(st.lists(st.sampled_from(_SIGNS), max_size=30).map("".join))
def test_the_runs_of_a_text_are_those_of_a_pattern(text: str) -> None:
    assert runs_of(text) == re.findall(r"(?<!<(?=/))[^\s\"'`<>()\[\]{}|,;=&\\→│…“”‘’«»]++", text)


@given(st.lists(st.text(alphabet="ab/.:#-_1 \n`'\"Er", max_size=60), max_size=5))
def test_what_was_read_before_changes_nothing(texts: list[str]) -> None:
    memo = Memo()
    assert [named(text, memo) for text in texts] == [named(text, Memo()) for text in texts]

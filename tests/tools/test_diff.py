from __future__ import annotations

import random
import time

import pytest

from agentmem.tools.diff import unified


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        (b"a\n", b"a\n", ""),
        (b"", b"", ""),
        (None, b"", "--- /dev/null\n+++ b/f\n"),
        (None, b"a", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"),
        (b"a\n", b"", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n"),
        (b"a", b"a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (b"a\r\n", b"a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"),
        (b"\xef\xbb\xbfa\n", b"a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\ufeffa\n+a\n"),
        (b"\xe9\n", b"\xe8\0\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\\xe9\n+\\xe8\\x00\n"),
        (
            b"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            b"1\n2\n3\n4\nx\ny\n6\n7\n8\n9\n",
            "--- a/f\n+++ b/f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n",
        ),
    ],
)
def test_unified(old: bytes | None, new: bytes, diff: str) -> None:
    assert unified(old, new, "f") == diff


def test_two_hunks_and_one() -> None:
    old = [b"%d\n" % n for n in range(30)]
    far, near = list(old), list(old)
    far[2], far[20] = b"x\n", b"y\n"
    near[2], near[8] = b"x\n", b"y\n"
    heads = [row for row in unified(b"".join(old), b"".join(far), "f").split("\n") if row.startswith("@@")]
    assert heads == ["@@ -1,6 +1,6 @@", "@@ -18,7 +18,7 @@"]
    heads = [row for row in unified(b"".join(old), b"".join(near), "f").split("\n") if row.startswith("@@")]
    assert heads == ["@@ -1,12 +1,12 @@"]


def test_names() -> None:
    assert unified(b"", b"a\n", "/x/y").startswith("--- /x/y\n+++ /x/y\n")
    assert unified(b"", b"a\n", "x\n\udce9").startswith("--- a/x\\n\\xe9\n")


def test_a_long_line_is_cut_to_what_changed() -> None:
    old = b'{"k":"' + b"x" * 200_000 + b'","end":1}\n'
    rows = unified(old, old.replace(b":1}", b":2}"), "f").split("\n")
    assert rows == [
        "--- a/f",
        "+++ b/f",
        "@@ -1 +1 @@",
        "-…" + "x" * 72 + '","end":1}',
        "+…" + "x" * 72 + '","end":2}',
        "",
    ]
    rows = unified(b"", b"y" * 3_000, "f").split("\n")
    assert rows[3:] == ["+" + "y" * 2_000 + "…", "\\ No newline at end of file", ""]


def test_a_long_diff_is_cut_and_says_so() -> None:
    diff = unified(None, b"a\n" * 50_000, "f")
    assert diff.endswith("+a\n\\ 30003 more lines of this diff are not shown\n")
    assert diff.count("\n") == 20_001


def test_large_files_are_compared_quickly() -> None:
    chance = random.Random(7)
    old = [b"line %d\n" % chance.randrange(5_000) for _ in range(100_000)]
    new = list(old)
    for at in (3, 50_000, 99_990):
        new[at] = b"changed\n"
    start = time.process_time()
    diff = unified(b"".join(old), b"".join(new), "f")
    same = unified(b"a\nb\n" * 50_000, b"b\na\n" * 50_000, "f")
    assert time.process_time() - start < 3
    assert diff.count("\n+changed") == 3
    assert same.count("\n") == 12

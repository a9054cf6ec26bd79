"""What stands in a name."""

from __future__ import annotations

import pytest

from agentmem.memory.read.contained import pieces, within
from agentmem.memory.read.kinds import Memo


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pool", []),
        ("pool.py", ["pool", "py"]),
        ("a.b.c", ["a", "a.b", "b", "b.c", "c"]),
        ("src/pool.py", ["pool", "pool.py", "pool.py/", "py", "src", "src/"]),
        ("/a/b", ["", "/", "/a", "/a/", "a", "a/", "a/b", "a/b/", "b", "b/"]),
        ("a/b/c/d", ["a", "a/", "a/b", "a/b/", "a/b/c", "a/b/c/", "b", "b/", "b/c", "b/c/", "b/c/d", "b/c/d/",
                     "c", "c/", "c/d", "c/d/", "d", "d/"]),
    ],
)  # fmt: skip
def test_pieces(name: str, expected: list[str]) -> None:
    assert sorted(set(pieces(name))) == expected


def test_only_what_is_a_name_stands_within() -> None:
    names = {"sed -i s/x/y/ src/db/pool.py": True, "src/db/pool.py": False, "pool.py": False, "src/db": False}
    assert within(names.items(), Memo()) == {
        "sed -i s/x/y/ src/db/pool.py": ("src/db/pool.py", "src/db", "pool.py"),
        "src/db/pool.py": ("src/db", "pool.py"),
    }

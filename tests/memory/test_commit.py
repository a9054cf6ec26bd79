"""A commit as bytes, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.stores.commit import Commit, commit_bytes, parse_commit
from agentmem.objects import Damaged

TREE, PARENT = "4b" * 20, "9d" * 20
KEYS = st.sampled_from(["Op", "Fact", "Session", "Entry"])


def test_it_is_written_as_git_writes_it() -> None:
    assert commit_bytes(TREE, PARENT, 1796040131, "ADD m1", [("Op", "ADD"), ("Fact", "m1")]).decode() == (
        f"tree {TREE}\nparent {PARENT}\n"
        "author agentmem <agentmem@localhost> 1796040131 +0000\n"
        "committer agentmem <agentmem@localhost> 1796040131 +0000\n"
        "\nADD m1\n\nOp: ADD\nFact: m1\n"
    )


@given(st.text(), st.lists(st.tuples(KEYS, st.text())))
def test_whatever_is_said_it_reads_back_with_its_own_trailers(message: str, trailers: list[tuple[str, str]]) -> None:
    found = parse_commit("x", commit_bytes(TREE, None, 7, message, [("Op", "ADD"), *trailers]))
    assert (found.tree, found.parents, found.at) == (TREE, (), 7)
    assert [key for key, _ in found.trailers] == ["Op", *(key for key, _ in trailers)]


def test_the_values_of_a_trailer() -> None:
    one = Commit("x", TREE, (), 0, "", (("Fact", "m1"), ("Fact", "m2"), ("Entry", "c3")))
    assert (one.all("Fact"), one.one("Entry"), one.one("Op")) == (("m1", "m2"), "c3", None)


@pytest.mark.parametrize("data", [b"", b"no commit", b"tree 4b\n\nADD", b"\xff\0"])
def test_what_is_no_commit_is_told(data: bytes) -> None:
    with pytest.raises(Damaged, match="x is no commit"):
        parse_commit("x", data)

"""The files of a commit, made of those before and what has changed: the same tree as if they were all put at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem import objects
from agentmem.memory.stores.edition import Edition, Kept

PATHS = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "f/a"])
STEPS = st.lists(st.dictionaries(PATHS, st.none() | st.binary(max_size=2), min_size=1, max_size=4), max_size=6)


def edition(folder: Path) -> Edition:
    return Edition(folder, lambda name: objects.tree_items(name, objects.get(folder, name)))


@given(steps=STEPS)
def test_step_by_step_it_is_the_tree_of_what_is_left(
    steps: list[dict[str, bytes | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = edition(tmp_path_factory.mktemp("o"))
    tree: str | None = None
    left: dict[str, bytes] = {}
    for step in steps:
        tree = made.over(tree, step)
        left = {path: data for path, data in {**left, **step}.items() if data is not None}
    assert (tree or made.over(None, {})) == made.over(None, left)


def test_a_mode_is_kept_and_a_file_may_become_a_folder(tmp_path: Path) -> None:
    made = edition(tmp_path)
    first = made.over(None, {"run": Kept(b"#!", "100755")})
    assert [(one.mode, one.name) for one in made.items(first)] == [("100755", b"run")]
    second = made.over(first, {"run/it": b"x"})
    assert [(one.mode, one.name) for one in made.items(second)] == [("40000", b"run")]
    assert made.items(made.over(second, {"run/it": None})) == []

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.claim import Edit
from agentmem.memory.stores.bullets import derived, keyed, parse
from agentmem.memory.write.compared import edits


def test_added_changed_removed_and_moved() -> None:
    before = "## A\n- one ^m1\n- two ^m2\n- three ^m3\n"
    after = "## A\n- three ^m3\n- one more ^m1\n- new\n"
    assert edits(before, after, "project") == [
        Edit("project", "m1", "one", "one more", "A"),
        Edit("project", derived("new"), None, "new", "A"),
        Edit("project", "m2", "two", None, "A"),
    ]


def test_an_id_that_went_or_came_keeps_the_belief() -> None:
    (edit,) = edits("- one thing ^m1\n", "- one thing\n", "project")
    assert edit == Edit("project", "m1", "one thing", "one thing", "", becomes=derived("one thing"))
    (edit,) = edits("- one thing\n", "- one thing ^m1\n", "project")
    assert edit == Edit("project", derived("one thing"), "one thing", "one thing", "", becomes="m1")


def test_another_line_in_the_same_place_is_no_rewording() -> None:
    found = edits("- the port is 8080\n", "- lunch is at noon\n", "project")
    assert [(one.before, one.after) for one in found] == [(None, "lunch is at noon"), ("the port is 8080", None)]


lines = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]).map(lambda word: f"- {word} x"), max_size=6
)


@given(lines, lines)
def test_the_edits_make_the_one_of_the_other(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    held = {one.text for one in keyed(parse(old)).values()}
    for edit in edits(old, new, "project"):
        held -= {edit.before}
        held |= {edit.after} if edit.after is not None else set()
    assert held == {one.text for one in keyed(parse(new)).values()}
    assert edits(new, new, "project") == []

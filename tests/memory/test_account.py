"""What a person is told of an entry that changed the prompt: what left, why, and the way back."""

from __future__ import annotations

from histories import entry, user

from agentmem.domain.entry import Entry, Header
from agentmem.memory.read.account import account, headline
from agentmem.memory.read.outline import outline
from agentmem.memory.read.tree import Tree

TOKENS = {"before": 16_119, "after": 9_175}


def lines(one: Entry) -> list[str]:
    return list(account(one, "s1"))


def test_a_form_says_what_it_did_why_and_how_it_comes_back() -> None:
    one = entry(
        "compaction",
        form="collapse",
        targets=[{"entry": "a"}, {"entry": "b"}],
        why="54% of the window was in use",
        tokens=TOKENS,
    )
    assert lines(one) == [
        "compacted: 2 results collapsed to a line each; 16,119 → 9,175 tokens in use",
        "why: 54% of the window was in use",
        f"back: agentmem expand s1 {one.id}",
    ]


def test_a_snapshot_says_what_its_receipt_says() -> None:
    receipt = {
        "survival": 0.96,
        "kinds": {"path": {"salient": 25, "kept": 24, "missing": ["a.py"]}, "url": {"salient": 1, "kept": 1}},
    }
    span = {"first": "a1", "last": "z9", "messages": 41}
    one = entry("compaction", form="summary", first_kept="k", summary="…", span=span, receipt=receipt, tokens=TOKENS)
    assert lines(one) == [
        "compacted: 41 messages (a1 to z9) left the prompt; a summary stands for it; 16,119 → 9,175 tokens in use",
        "96% of what they name is in it: path 24 of 25, url 1 of 1",
        "not in it: a.py",
        f"back: agentmem expand s1 {one.id}",
    ]


def test_a_failed_summary_is_said_to_be_one_with_its_archive() -> None:
    one = entry(
        "compaction",
        form="window",
        first_kept="k",
        summary="…",
        span={"messages": 1},
        fault="it is empty",
        archive=".agent/archive/s1/a.md",
    )
    assert lines(one) == [
        "compacted: 1 message (None to None) left the prompt; a summary made by rule stands for it",
        "made by rule, for the model's summary failed: it is empty",
        "all of it is in .agent/archive/s1/a.md",
        f"back: agentmem expand s1 {one.id}",
    ]


def test_others_are_told_in_a_line() -> None:
    assert headline(entry("compaction", form="summary", first_kept="k", summary="…")) == (
        "compacted: what was said before left the prompt; a summary stands for it"
    )
    assert (
        headline(entry("compaction", form="window", first_kept="k"))
        == "compacted: what was said before left the prompt"
    )
    assert headline(entry("compaction", form="summary", first_kept="k", summary="…", retold=True)) == (
        "compacted: a part of what is told before the prompt was told anew"
    )
    assert headline(entry("compaction", form="hologram")) == "compacted: hologram"
    assert (
        headline(entry("strike", of="d4", targets=[{"entry": "d4"}]))
        == "struck: 1 line that no later prompt shows (d4)"
    )
    assert headline(entry("expand", of="g7")) == "expanded: g7 is as it was"
    assert headline(user("hi")) == ""


def test_a_tree_has_a_row_for_each() -> None:
    said = user("hi")
    strike = Entry("strike", "s", said.id, "t", {"of": said.id, "targets": [{"entry": said.id}]})
    rows = outline(Tree(Header("x", "t", "/", "0"), (said, strike), ()))
    assert [(row.who, row.text) for row in rows] == [
        ("you", "hi"),
        ("mark", f"struck: 1 line that no later prompt shows ({said.id})"),
    ]

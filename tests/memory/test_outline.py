from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmem.domain.entry import Entry, Header
from agentmem.memory.read.outline import Twig, labels_of, last_exchange, name_of, outline
from agentmem.memory.read.tree import Tree


def entry(kind: str, own: str, parent: str | None, **body: Any) -> Entry:
    return Entry(kind, own, parent, "2026-11-30T12:02:11Z", body)


def user(own: str, parent: str | None, text: str, **more: Any) -> Entry:
    parts = [
        {"type": "text", "text": text, "origin": "person"},
        {"type": "text", "text": "[Today is x.]", "origin": "harness"},
    ]
    return entry("message", own, parent, role="user", content=parts, **more)


def agent(own: str, parent: str | None, text: str, *calls: str) -> Entry:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text, "origin": "agent"}] if text else []
    parts += [{"type": "tool_call", "id": one, "name": "bash", "arguments": {}} for one in calls]
    return entry("message", own, parent, role="assistant", content=parts)


def result(own: str, parent: str, call: str) -> Entry:
    return entry("message", own, parent, role="tool", call_id=call, content="ok", origin="tool")


def tree(entries: Sequence[Entry]) -> Tree:
    return Tree(Header("s", "", "/w", "0"), tuple(entries), ())


def drawn(rows: Sequence[Twig]) -> list[str]:
    return [
        f"{row.rails}{row.id}>{row.end} {row.who}: {row.text}"
        + (f" ({row.calls})" if row.calls else "")
        + (f" [{row.label}]" if row.label else "")
        + (" *" if row.on_path else "")
        + (" here" if row.here else "")
        for row in rows
    ]


TALK = [
    user("u1", None, "mend\n it"),
    entry("call", "k1", "u1"),
    agent("a1", "k1", "I look.", "c1", "c2"),
    result("r1", "a1", "c1"),
    result("r2", "r1", "c2"),
    entry("call", "k2", "r2"),
    agent("a2", "k2", "Done."),
]


def test_a_line_of_talk_is_a_row_a_message() -> None:
    assert drawn(outline(tree(TALK))) == [
        "u1>None you: mend it *",
        "a1>r2 agent: I look. (2) *",
        "a2>a2 agent: Done. * here",
    ]


def test_branches_stand_under_the_row_they_leave() -> None:
    more = [
        user("u2", "a2", "try sqlite"),
        agent("a3", "u2", "No."),
        entry("move", "m1", "a2", to="a2", why="x"),
        user("u3", "m1", "try postgres"),
        agent("a4", "u3", "Yes."),
        entry("move", "m2", "r1", to="r1", why="again"),
        entry("label", "l1", "m2", of="a3", label="dead end"),
    ]
    assert drawn(outline(tree(TALK + more))) == [
        "u1>None you: mend it *",
        "a1>r1 agent: I look. (2) *",
        "├─ a2>a2 agent: Done.",
        "│  ├─ u2>a2 you: try sqlite",
        "│  │  a3>a3 agent: No. [dead end]",
        "│  └─ u3>m1 you: try postgres",
        "│     a4>a4 agent: Yes.",
        "└─ l1>l1 mark: label * here",
    ]


def test_a_move_alone_is_told_and_two_roots_are_drawn() -> None:
    more = [entry("move", "m1", None, to=None, why="from the start")]
    assert drawn(outline(tree(TALK[:1] + more))) == [
        "├─ u1>None you: mend it",
        "└─ m1>m1 mark: moved here: from the start * here",
    ]


def test_marks_notices_and_labelled_results() -> None:
    log = [
        user("u1", None, "go"),
        agent("a1", "u1", "", "c1"),
        result("r1", "a1", "c1"),
        user("n1", "r1", "a notice", notice=True),
        entry("interrupt", "i1", "n1", reason="user"),
        entry("label", "l1", "i1", of="r1", label="the run"),
    ]
    assert drawn(outline(tree(log))) == [
        "u1>None you: go (1) *",
        "r1>n1 agent: ok [the run] *",
        "i1>l1 mark: interrupted by you * here",
    ]
    assert outline(tree(log))[0].again == "go"


def test_a_deep_tree_needs_no_deep_stack() -> None:
    log = [user("u0", None, "0")]
    for number in range(1, 5000):
        log.append(user(f"u{number}", f"u{max(0, number - 2)}", str(number)))
    rows = outline(tree(log))
    assert len(rows) == 5000


def test_names_and_labels_the_last_one_counts() -> None:
    log = [
        entry("session_info", "n1", None, name="old"),
        entry("label", "l1", "n1", of="a", label="x"),
        entry("label", "l2", "l1", of="b", label="y"),
        entry("label", "l3", "l2", of="a", label=None),
        entry("label", "l4", "l3", of=7, label="z"),
        entry("session_info", "n2", "l4", name="new"),
        entry("session_info", "n3", "n2", name=4),
    ]
    assert labels_of(log) == {"b": "y"}
    assert name_of(log) == "new"
    assert (labels_of([]), name_of([])) == ({}, "")


def test_the_last_exchange() -> None:
    assert last_exchange(TALK) == ("mend\n it", "Done.")
    assert last_exchange(TALK[:4]) == ("mend\n it", "I look.")
    assert last_exchange(TALK[2:]) == ("", "Done.")
    assert last_exchange([]) == ("", "")

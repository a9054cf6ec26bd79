"""The yardstick of compaction: what it counts, on talks small enough to count by hand."""

from __future__ import annotations

import ast
from pathlib import Path

from memory.spans import Talk

from agentmem.domain.message import Message, Text
from agentmem.domain.prompt import Prompt
from benchmarks import compaction, yardstick


def talk() -> Talk:
    made = Talk().user("we use src/a.py, never src/b.py; it took 42 s on localhost:8080")
    return made.bash("make all").bash("cat c.txt", exit=1).agent("see #12 and a35c73d")


def test_what_must_survive() -> None:
    found = {kind: names for kind, names in yardstick.salient(talk().entries).items() if names}
    assert {kind: sorted(names) for kind, names in found.items()} == {
        "command": ["make all"],
        "decision": ["we use src/a.py, never src/b.py; it took 42 s on localhost:8080"],
        "hash": ["#12", "a35c73d"],
        "host": ["localhost:8080"],
        "number": ["42 s"],
        "path": ["src/a.py", "src/b.py"],
    }


def test_what_is_mutated() -> None:
    assert yardstick.mutated("src/a.py took 43 s, a35c73d, src/x.py", talk().entries) == ["43 s", "src/x.py"]


def test_what_is_carried_over() -> None:
    before = Talk().bash("cat src/a.py src/b.py").entries
    after = Talk().edit("src/a.py").bash("cat src/b.py").entries
    assert yardstick.carried(before, after, "only src/a.py") == 0.5
    assert yardstick.carried(before, Talk().user("src/a.py").entries, "") is None
    assert yardstick.plain_list(before, 12).split("\n") == ["src/a.py"]


def test_the_summariser_leaves_out_garbles_and_makes_up() -> None:
    made = Talk()
    for number in range(30):
        made.user(f"look at src/file_{number}.py")
    model = compaction.Summariser(made.entries, "- {}")
    record = "\n".join(f"src/file_{number}.py" for number in range(30))
    answered = model(Prompt("", (), (Message("user", (Text(record),)),)))
    assert answered.reply is not None
    found = yardstick.mutated(answered.reply.text, made.entries)
    assert any("invented" in name for name in found)
    assert model.garbled == 4
    assert len(found) >= 4
    kept = [one for one in range(30) if yardstick.stands(f"src/file_{one}.py", answered.reply.text)]
    assert len(kept) == 10


def test_it_shares_nothing_with_the_product_but_the_words() -> None:
    tree = ast.parse(Path(yardstick.__file__).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert {name for name in modules if name.startswith("agentmem")} == {
        "agentmem.domain.entry",
        "agentmem.domain.message",
    }

"""A session as a Markdown page: readable, and nothing in it can break out of its place."""

from __future__ import annotations

from typing import Any

from histories import assistant, entry, interrupt, notice, result, user
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.entry import Entry, Header
from agentmem.memory.memory import page
from agentmem.memory.read.fencing import code, fenced, quoted, sound
from agentmem.memory.read.tree import Tree

HEADER = Header("2026-11-30T09-02-11-4f2a91", "2026-11-30T09:02:11Z", "/w", "0.1.0")


def grown(*entries: Entry, hang: dict[int, int] | None = None) -> Tree:
    """Each entry hangs on the one before, but those that `hang` on another place."""
    out: list[Entry] = []
    for place, one in enumerate(entries):
        on = (hang or {}).get(place, place - 1)
        out.append(Entry(one.type, f"e{place}", f"e{on}" if on >= 0 else None, one.at, one.body))
    return Tree(HEADER, tuple(out), ())


def shown(tree: Tree, **options: Any) -> str:
    return "\n\n".join(page(tree, **options))


def call(name: str, **arguments: Any) -> Entry:
    content = [{"type": "tool_call", "id": "c1", "name": name, "arguments": arguments}]
    return entry("message", role="assistant", content=content)


def test_a_page_tells_who_said_what() -> None:
    tree = grown(
        user("Fix *it*"),
        entry("model", model="openai/gpt"),
        assistant("On it.", thinking="hm"),
        call("bash", command="ls", timeout=5, script="a\nb"),
        result("c1", "```\nfenced\n```\n\x1b[31mred\x1b[0m"),
        notice("[AGENTS.md changed.]"),
        assistant("Done.", calls=["c2"]),
        entry(
            "message", role="tool", call_id="c2", content="", origin="tool", error=True, exit=1, offload=".agent/o/1"
        ),
        interrupt(),
        entry("compaction", form="summary", summary="We fixed it.", first_kept="e0"),
        user("thanks", origin="import"),
        entry("label", of="e2", label="good"),
        entry("session_info", name="The # fix"),
    )
    assert (
        shown(tree)
        == """\
# The \\# fix

- Session: `2026-11-30T09-02-11-4f2a91`
- Started: 2026-11-30 09:02 UTC in `/w`
- Entries: 13 on the current branch, 13 in all

## You · 2026-11-30 12:02 UTC

> Fix *it*

*Model: openai/gpt*

*Label: good*

## Agent · 2026-11-30 12:02 UTC

*Thinking*

```text
hm
```

On it.

**bash**

- command: `ls`
- timeout: `5`

- script:

```text
a
b
```

*Result of bash*

````text
```
fenced
```
red
````

## Notice · 2026-11-30 12:02 UTC

> [AGENTS.md changed.]

## Agent · 2026-11-30 12:02 UTC

Done.

**bash**

- n: `0`

*Result of bash* (failed, exit 1, whole output in `.agent/o/1`)

*(no output)*

*Interrupted by the user.*

---

*compacted: what was said before left the prompt; a summary stands for it*

> We fixed it.

---

## User · 2026-11-30 12:02 UTC

> thanks"""
    )


def test_the_current_branch_alone_or_the_whole_tree() -> None:
    tree = grown(
        user("Hi"),
        assistant("First try"),
        user("left alone"),
        assistant("also left"),
        user("Another way"),
        assistant("Second try"),
        user("a root of its own"),
        user("Back"),
        hang={4: 1, 6: -1, 7: 5},
    )
    alone = shown(tree)
    assert "left alone" not in alone
    assert "a root of its own" not in alone
    assert alone.index("Second try") < alone.index("Back")
    whole = shown(tree, whole_tree=True)
    assert whole.startswith(alone)
    assert (
        whole[len(alone) :]
        == """

---

# Another branch, after `e1`

## You · 2026-11-30 12:02 UTC

> left alone

## Agent · 2026-11-30 12:02 UTC

also left

---

# Another branch, from the beginning

## You · 2026-11-30 12:02 UTC

> a root of its own"""
    )


def test_where_it_came_from_and_images() -> None:
    picture = {"type": "image", "media_type": "image/png", "data": "A" * 4000, "origin": "import"}
    source = {"tool": "claude-code", "version": "2.1", "file": "/their/`log`.jsonl"}
    tree = grown(
        entry("message", role="user", content=[picture], source=source),
        call("look"),
        entry("message", role="tool", call_id="c1", content=[picture], origin="tool"),
        entry("message", role="assistant", content=[{"type": "tool_call", "id": "c2", "name": "x", "raw": "{broken"}]),
    )
    told = shown(tree)
    assert "- Imported from: claude-code 2.1, ``/their/`log`.jsonl``" in told
    assert told.count("*(an image, image/png, 3 kB)*") == 2
    assert "- arguments: `{broken`" in told


def test_an_empty_session_and_a_sub_session() -> None:
    header = Header("own", "", "", "0", parent_session="outer")
    assert (
        shown(Tree(header, (), ()))
        == """\
# Session own

- Session: `own`
- Sub-session of: `outer`
- Entries: 0 on the current branch, 0 in all"""
    )


def test_what_a_text_opens_ends_with_it() -> None:
    assert sound("~~~~py\nx\n~~~") == "~~~~py\nx\n~~~\n~~~~"
    assert sound("```py\nx\n```  \nok") == "```py\nx\n```  \nok"
    assert sound("``` a`b\n<!-- gone") == "``` a`b\n\\<!-- gone"
    assert sound("<details>\n```\n<b>\n```\n <script>") == "\\<details>\n```\n<b>\n```\n \\<script>"
    assert sound("<https://x.test> a < b") == "<https://x.test> a < b"
    assert quoted("a\n\n```\nb") == "> a\n>\n> ```\n> b\n> ```"
    assert code("a `b`") == "`` a `b` ``"
    assert code("") == "` `"


@given(st.text(alphabet="`~ \nab>", max_size=60))
def test_a_fence_holds_any_text(text: str) -> None:
    mark, *inside, last = fenced(text).split("\n")
    width = len(mark) - len("text")
    assert last == "`" * width
    assert all("`" * width not in line for line in inside)


@given(st.text(alphabet="`~ \na", max_size=60))
def test_no_fence_stays_open(text: str) -> None:
    made = sound(text)
    assert sound(made) == made

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.claim import Admitted
from agentmem.memory.stores import semantic
from agentmem.memory.stores.bullets import Bullet, derived, identified, keyed, parse

PAGE = """\
---
title: notes
tags: [a]
---
Memory
======

<!-- not a belief -->
<!--
nor this
-->
Prose that a person wrote and that is wrapped at some width, as editors do it
on the next line.
A second fact.

## Decisions ##
- one ^m1
  goes on here
  - nested *deep* ^m2
* two
1. third
2) fourth ^x-2
- [ ] a task ^m3
-
***
| name | port |
|------|------|
| api | 8080 |

```
- code
```
~~~
- open code
"""


def test_every_shape_of_a_page() -> None:
    assert parse(PAGE) == [
        Bullet(
            "Prose that a person wrote and that is wrapped at some width, as editors do it on the next line.",
            None,
            12,
            13,
            "Memory",
        ),
        Bullet("A second fact.", None, 14, 14, "Memory"),
        Bullet("one", "m1", 17, 17, "Decisions"),
        Bullet("goes on here", None, 18, 18, "Decisions", 2),
        Bullet("nested *deep*", "m2", 19, 19, "Decisions", 2),
        Bullet("two", None, 20, 20, "Decisions"),
        Bullet("third", None, 21, 21, "Decisions"),
        Bullet("fourth", "x-2", 22, 22, "Decisions"),
        Bullet("a task", "m3", 23, 23, "Decisions"),
        Bullet("| name | port |", None, 26, 26, "Decisions"),
        Bullet("| api | 8080 |", None, 28, 28, "Decisions"),
    ]


def test_a_bullet_goes_on_in_indented_lines() -> None:
    assert parse("- one\n  two\n  three ^m1\n- four") == [
        Bullet("one two three", "m1", 1, 3, ""),
        Bullet("four", None, 4, 4, ""),
    ]


def test_short_lines_of_prose_are_facts_of_their_own() -> None:
    assert [one.text for one in parse("port is 8080\nhost is h1")] == ["port is 8080", "host is h1"]


def test_nothing_and_odd_ends() -> None:
    assert (parse(""), parse("---\nopen front matter"), parse("# A\n\n## B\n")) == (
        [],
        [Bullet("open front matter", None, 2, 2, "")],
        [],
    )
    assert parse("- code `a` ^m1 ") == [Bullet("code `a`", "m1", 1, 1, "")]
    assert [one.section for one in parse("Title\n---\n- a\n# \n- b")] == ["Title", ""]


def test_an_id_of_its_own_text() -> None:
    assert derived("Use  tabs") == derived("use tabs") != derived("use spaces")
    assert len(derived("x")) == 13


def test_twins_are_one_and_a_second_text_under_an_id_has_its_own() -> None:
    found = parse("- a ^m1\n- a ^m1\n- b ^m1\n- c\n- c")
    assert list(keyed(found)) == ["m1", derived("b"), derived("c")]
    assert [key for key, _ in identified(found)] == ["m1", "m1", derived("b"), derived("c"), derived("c")]


ROWS = ["# H", "- a ^m1", "- b", "  more", "  - deep ^m2", "prose", "", "```", "<!-- x", "-->", "---", "- c ^m1"]


def admitted(op: str, fact: str, replaces: str | None = None) -> Admitted:
    return Admitted(op, fact, "new text", "Facts", replaces)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from(ROWS), max_size=10), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_change_made_twice_is_made_once_and_touches_its_own_lines(rows: list[str], end: str, final: bool) -> None:
    old = (end.join(rows) + (end if final else "")).encode()
    expired = Admitted("EXPIRE", "m1", "a", "Facts", "m1")
    for one in (admitted("ADD", "m9"), admitted("UPDATE", "m9", "m1"), expired):
        new = semantic.changed(old, [one])
        assert semantic.changed(new, [one]) == new
        kept = [row for row in old.splitlines() if b"m1" not in row]
        left = iter(new.splitlines())
        assert all(row in left for row in kept), "a line of somebody else's went, or moved"
        if one.op != "EXPIRE":
            assert new.count(b"^m9") == 1


def test_a_line_is_replaced_where_it_stands() -> None:
    old = b"\xef\xbb\xbf- a ^m1\r\n  - b ^m2\r\n    wrapped\r\n- a ^m1\r\n- end"
    new = semantic.changed(old, [admitted("UPDATE", "m9", "m2")])
    assert new == b"\xef\xbb\xbf- a ^m1\r\n  - new text ^m9\r\n    wrapped\r\n- a ^m1\r\n- end"
    assert semantic.changed(old, [admitted("UPDATE", "m9", "m1")]) == (
        b"\xef\xbb\xbf- new text ^m9\r\n  - b ^m2\r\n    wrapped\r\n- end"
    )
    assert semantic.changed(b"port 1\n", [Admitted("EXPIRE", derived("port 1"), "port 1", "")]) == b""
    assert semantic.changed(b"- x\n", [admitted("UPDATE", "m9", "m404")]) == b"- x\n\n## Facts\n- new text ^m9\n"


def test_old_line_ends_are_read_and_kept() -> None:
    assert [one.at for one in parse(semantic.text_of(b"- a\r- b\r"))] == [1, 2]
    assert semantic.changed(b"- a ^m1\r- b\r", [Admitted("EXPIRE", "m1", "", "")]) == b"- b\r"

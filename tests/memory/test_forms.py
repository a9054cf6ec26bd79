"""Each form of compaction by itself: what it takes, in which order, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from histories import assistant, call, entry, notice, result, short, user

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.collapse import collapse
from agentmem.memory.manage.compact.cutting import cut
from agentmem.memory.manage.compact.drop import drop
from agentmem.memory.manage.compact.layout import Layout, Room, layout
from agentmem.memory.manage.compact.offloading import offload
from agentmem.memory.manage.compact.pipeline import Aim, plan
from agentmem.memory.read import edits
from agentmem.memory.read.cut import Active
from agentmem.memory.read.replay import Replay

WIDE = Room(window=100_000, used=90_000, fixed=0, ratio=4.0)
EVERYTHING = 10**9


def laid(entries: Sequence[Entry]) -> Layout:
    return layout(Active(tuple(entries)), ".agent/offload/s")


def tool(own: str, name: str, arguments: dict[str, Any], text: str, **more: Any) -> list[Entry]:
    """A step of one call."""
    said = entry(
        "message",
        role="assistant",
        content=[
            {"type": "text", "text": f"now {own}"},
            {"type": "tool_call", "id": own, "name": name, "arguments": arguments},
        ],
    )
    return [call(), said, entry("message", role="tool", call_id=own, content=text, origin="tool", **more)]


def read(own: str, path: str, size: int = 2_000) -> list[Entry]:
    return tool(own, "read", {"path": path}, "x" * size)


def steps(count: int, size: int = 2_000) -> list[Entry]:
    return [one for number in range(count) for one in read(f"c{number}", f"f{number}.py", size)]


def names(found: Layout, targets: object) -> list[str]:
    ids = {one.id: str(one.body.get("call_id", "reply")) for one in found.entries}
    return [ids[own] for own in targets] if isinstance(targets, dict) else []


def test_units_hold_a_reply_and_its_results_together() -> None:
    entries = [
        user("ask"),
        call(),
        assistant("say", ["a", "b"]),
        result("a", "1"),
        notice("between"),
        result("b", "2"),
        entry("checkpoint"),
        assistant("more"),
        user("again"),
    ]
    found = laid(entries)
    assert [(unit.start, unit.end, unit.said) for unit in found.units] == [
        (0, 2, True),
        (2, 7, False),
        (7, 8, False),
        (8, 9, True),
    ]
    assert sum(unit.size for unit in found.units) == sum(found.sizes)


def test_an_empty_branch_has_no_units() -> None:
    assert laid([]).units == ()
    assert laid([entry("checkpoint")]).units == ()


def test_the_last_three_steps_are_left_alone_up_to_a_fifth_of_the_window() -> None:
    found = laid([user("go"), *steps(6)])
    assert found.protected(WIDE) == 4
    assert found.protected(Room(4_000, 3_900, 0, 4.0)) == 6
    assert found.protected(Room(10, 10, 0, 4.0)) == 6  # the last one stays whatever it holds


def test_long_messages_before_the_last_are_not_left_alone() -> None:
    letter = "word " * 1_000
    window = Room(4_000, 3_900, 0, 4.0)
    assert laid([user(letter), assistant("read"), user(letter)]).protected(window) == 1
    assert laid([user(letter), user("short"), user(letter), user("go")]).protected(window) == 3
    assert laid([user("go"), assistant("read"), user(letter)]).protected(window) == 1
    assert laid([user(letter)]).protected(window) == 0
    assert laid([user("a"), assistant("b"), user("c")]).protected(window) == 0


def test_collapse_takes_what_was_overtaken_first_then_the_oldest() -> None:
    entries = [
        user("go"),
        *read("old", "old.py"),
        *read("a1", "a.py"),
        *tool("e1", "edit", {"path": "b.py", "edits": []}, "edited " + "x" * 900),
        *read("b1", "b.py"),
        *read("a2", "a.py"),
        *tool("e2", "edit", {"path": "b.py", "edits": []}, "edited " + "x" * 900),
        *steps(3),
    ]
    found = laid(entries)
    change = collapse(found, WIDE, EVERYTHING)
    assert change is not None
    assert names(found, change.targets) == ["a1", "b1", "old", "e1", "a2", "e2"]
    few = collapse(found, WIDE, 2_500)
    assert few is not None
    assert names(found, few.targets) == ["a1", "b1"]


def test_a_collapsed_result_says_what_it_was_and_where_all_of_it_lies() -> None:
    entries = [
        user("go"),
        *tool("t1", "bash", {"command": "make test"}, "line\n" * 300, exit=2, offload=".agent/offload/s/whole.log"),
        *read("r1", "a.py"),
        *steps(3),
    ]
    found = laid(entries)
    change = collapse(found, WIDE, EVERYTHING)
    assert change is not None
    ran, seen = change.targets.values()
    assert (
        ran
        == "[collapsed: bash make test (exit 2) gave 301 lines, 1.5 kB; all of it: `read` .agent/offload/s/whole.log]"
    )
    own = next(iter(change.files))
    assert seen == f"[collapsed: read a.py gave 1 line, 2.0 kB; all of it: `read` {own}]"
    assert list(change.files.values()) == [b"x" * 2_000]
    after = found.after(change)
    assert sum(found.sizes) - sum(after.sizes) == change.freed
    assert collapse(after, WIDE, EVERYTHING) is None


def test_small_results_the_todo_list_and_what_was_brought_back_are_not_collapsed() -> None:
    todo = tool("t", "todo", {"items": [{"text": "a"}]}, "[ ] a " * 200)
    entries = [user("go"), *read("small", "s.py", 300), *todo, *read("back", "b.py"), *steps(3)]
    back = entries[-10].id
    assert entries[-10].body["call_id"] == "back"
    entries.append(entry("expand", of=back))
    assert collapse(laid(entries), WIDE, EVERYTHING) is None


def test_offload_keeps_the_ends_of_a_big_result() -> None:
    text = "start " + "x" * 9_000 + " end"
    entries = [user("go"), *tool("g", "grep", {"pattern": "x"}, text), *read("r", "a.py"), *steps(3)]
    change = offload(laid(entries), WIDE, EVERYTHING)
    assert change is not None
    ((_, marker),) = change.targets.items()
    assert marker is not None
    assert (marker[:6], marker[-4:]) == ("start ", " end")
    assert f"all of it: `read` {next(iter(change.files))}" in marker
    assert next(iter(change.files.values())) == text.encode()


def test_as_a_last_resort_the_biggest_result_of_the_last_steps_goes_to_a_file() -> None:
    entries = [user("go"), *read("a", "a.py", 9_000), *read("b", "b.py", 30_000)]
    found = laid(entries)
    assert offload(found, WIDE, EVERYTHING) is None
    change = offload(found, WIDE, 1_000, last=True)
    assert change is not None
    assert names(found, change.targets) == ["b"]


def test_malformed_steps_go_once_a_good_one_followed() -> None:
    bad = tool("bad", "read", {}, "read: `path` is missing", error=True, malformed="arguments")
    none = tool("none", "browse", {"url": "x"}, "There is no tool `browse`", error=True, malformed="tool")
    refused = tool("no", "bash", {"command": "rm x"}, "Refused: the user said no", error=True)
    found = laid([user("go"), *bad, *none, *refused, *steps(4)])
    change = drop(found, WIDE, 1)
    assert change is not None
    assert names(found, change.targets) == ["reply", "none", "reply", "bad"]
    messages = Replay()
    force = edits.in_force(
        [*found.entries, entry("compaction", form="drop", targets=[{"entry": own} for own in change.targets])]
    )
    for one in found.entries:
        if one.id not in force:
            messages.add(one)
    assert short(messages.messages())[:3] == ["user: go", "assistant: now no [no]", "no! Refused: the user said no"]
    assert drop(laid([user("go"), *steps(3), *bad, *steps(1)]), WIDE, 1) is None  # too near to the end
    assert drop(laid([user("go"), *bad, *tool("w", "bash", {"command": "ls"}, "a"), *steps(0)]), WIDE, 1) is None


def test_a_cut_takes_no_more_than_it_must() -> None:
    entries = [user("first"), *steps(20, 4_000), user("second"), *steps(4, 4_000)]
    found = laid(entries)
    some = cut(found, WIDE, 20_000)
    most = cut(found, WIDE, EVERYTHING)
    assert some is not None and most is not None
    assert found.entries[some.first].body["role"] == "assistant"
    assert 20_000 <= some.freed < 45_000
    assert [one.id for one in most.pinned] == [entries[61].id]
    assert most.first == found.units[found.protected(WIDE)].start


def test_nothing_is_cut_that_is_not_worth_it() -> None:
    assert (
        cut(laid([user("first"), assistant("yes"), user("second"), assistant("no"), *steps(3)]), WIDE, EVERYTHING)
        is None
    )


def test_the_pipeline_stops_as_soon_as_use_is_down() -> None:
    entries = [user("first"), *steps(10, 12_000), assistant("y" * 6_000), user("second"), *steps(4)]
    found = laid(entries)
    used = sum(found.sizes) // 4
    room = Room(100_000, used, 0, 4.0)
    little = plan(found, room, Aim(used - 3_000, 90_000, cut=True))
    assert [change.form for change in little.changes] == ["offload"]
    assert little.cut is None
    assert little.room.used <= used - 3_000
    more = plan(found, room, Aim(4_500, 90_000, cut=True))
    assert [change.form for change in more.changes] == ["offload", "collapse"]
    assert set(more.changes[0].targets) <= set(more.changes[1].targets)  # only their ends were left
    assert more.cut is None
    all_ = plan(found, room, Aim(1_000, 90_000, cut=True))
    assert all_.cut is not None
    kept = plan(found, room, Aim(1_000, 90_000, cut=False, worth=used))
    assert kept.empty


def test_an_image_is_kept_as_a_file_of_its_own_kind() -> None:
    picture = {"type": "image", "media_type": "image/png", "data": "aGVsbG8=", "origin": "tool"}
    broken = {**picture, "data": "???"}
    shots = [
        user("go"),
        *tool("a", "read", {"path": "a.png"}, ""),
        *tool("b", "read", {"path": "b.png"}, ""),
        *steps(3),
    ]
    found = laid(
        [
            one
            if one.body.get("call_id") not in ("a", "b")
            else replace(one, body={**one.body, "content": [picture if one.body["call_id"] == "a" else broken]})
            for one in shots
        ]
    )
    change = collapse(found, WIDE, EVERYTHING)
    assert change is not None
    assert [(path[-4:], data) for path, data in change.files.items()] == [(".png", b"hello"), (".txt", b"")]
    assert all("gave an image; all of it" in str(marker) for marker in change.targets.values())


def test_an_id_that_is_no_name_names_no_file() -> None:
    step = read("r", "a.py")
    own = replace(step[2], id="../../x")
    change = collapse(laid([user("go"), step[0], step[1], own, *steps(3)]), WIDE, EVERYTHING)
    assert change is not None
    (path,) = change.files
    assert path.startswith(".agent/offload/s/") and ".." not in path

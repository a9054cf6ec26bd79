from __future__ import annotations

from typing import Any

from agentmem.domain.entry import Entry, Header
from agentmem.memory.read import tree
from agentmem.memory.stores.lines import Fault

HEAD = {"type": "session", "id": "s", "version": 1, "at": "t0", "cwd": "/w", "parent_session": None, "agentmem": "0.1"}


def message(own: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "message", "id": own, "parent_id": parent, "at": "t", "role": "user", "content": own, **more}


def grown(*values: dict[str, Any], faults: tuple[Fault, ...] = ()) -> tree.Tree:
    return tree.grow("s.jsonl", "s", list(enumerate(values, 1)), faults)


def path(of: tree.Tree) -> list[str]:
    return [entry.id for entry in of.branch()]


def test_a_sound_log_has_nothing_to_tell() -> None:
    found = grown(HEAD, message("a", None), message("b", "a"))
    assert found.header == Header("s", "t0", "/w", "0.1")
    assert (path(found), found.notices) == (["a", "b"], ())
    assert found.entries[1].body == {"role": "user", "content": "b"}


def test_an_empty_log_is_an_empty_branch() -> None:
    assert grown(HEAD).branch() == []


def test_the_leaf_is_the_last_entry_and_the_branch_its_path() -> None:
    found = grown(HEAD, message("a", None), message("b", "a"), message("c", "a"))
    assert path(found) == ["a", "c"]
    assert path(grown(HEAD, message("a", None), message("b", None))) == ["b"]


def test_a_move_goes_on_where_it_points() -> None:
    moved = {"type": "move", "id": "m", "parent_id": "b", "at": "t", "to": "a"}
    assert path(grown(HEAD, message("a", None), message("b", "a"), moved, message("c", "m"))) == ["a", "m", "c"]


def test_lost_and_future_parents_join_the_entry_before() -> None:
    found = grown(HEAD, message("a", None), message("b", "gone"), message("c", "d"), message("d", "d"))
    assert path(found) == ["a", "b", "c", "d"]
    assert found.notices == ("s.jsonl: lines 3, 4, 5 joined to the entry before (its parent is not there)",)
    assert path(grown(HEAD, message("a", None), {"type": "x", "id": "b"})) == ["a", "b"]


def test_the_same_entry_twice_counts_once() -> None:
    found = grown(HEAD, message("a", None), message("a", None), message("b", "a"))
    assert path(found) == ["a", "b"]
    assert found.notices == ("s.jsonl: line 3 skipped (the same entry again)",)


def test_two_entries_under_one_id_are_both_kept() -> None:
    values = [HEAD, message("a", None), message("a", "a", content="other"), message("b", "a"), message("c", "a~2")]
    found = grown(*values, message("a", "a", content="other"), message("a", "c", content="third"))
    assert [entry.id for entry in found.entries] == ["a", "a~2", "b", "c", "a~3"]
    assert path(found) == ["a", "a~2", "c", "a~3"]
    assert found.notices == (
        "s.jsonl: lines 3, 7 kept under another name (an id that was used before); "
        "line 6 skipped (the same entry again)",
    )


def test_objects_that_are_no_entries_are_told() -> None:
    odd = [{"silly": 1}, {"type": "message"}, {"type": "", "id": "x"}, {"type": "message", "id": 3}]
    found = grown(HEAD, message("a", None), *odd, message("b", "a"))
    assert path(found) == ["a", "b"]
    assert found.notices == ("s.jsonl: lines 3, 4, 5, 6 skipped (an object that is no entry)",)


def test_unknown_types_are_kept() -> None:
    found = grown(HEAD, {"type": "hologram", "id": "h", "parent_id": None, "at": 5, "x": [1]}, message("a", "h"))
    assert found.entries[0] == Entry("hologram", "h", None, "", {"x": [1]})
    assert path(found) == ["h", "a"]


def test_a_header_may_be_missing_or_late_or_there_twice() -> None:
    missing = grown(message("a", None))
    assert missing.header == Header("s", "t", "", "")
    assert missing.notices == ("s.jsonl: missing: the header that belongs first",)
    late = grown(message("a", None), {**HEAD, "id": "another"}, HEAD)
    assert late.header == Header("s", "t0", "/w", "0.1")
    assert late.notices == ("s.jsonl: line 2 out of place (the header is not first); line 3 skipped (a second header)",)


def test_a_log_of_a_newer_agentmem_is_read_and_told() -> None:
    found = grown({**HEAD, "version": 7, "cwd": 3}, message("a", None))
    assert (found.header.version, found.header.cwd) == (7, "")
    assert found.notices == ("s.jsonl: line 1 written by a newer agentmem (log version 7)",)


def test_faults_are_told_once_with_their_lines() -> None:
    faults = (*(Fault(n, "NUL bytes") for n in range(2, 9)), Fault(9, "damaged characters", lost=False))
    assert grown(HEAD, faults=faults).notices == (
        "s.jsonl: lines 2, 3, 4, 5, 6 and 2 more skipped (NUL bytes); line 9 read in part (damaged characters)",
    )

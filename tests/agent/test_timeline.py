from __future__ import annotations

from typing import Any

from agentmem.agent.timeline import Written, files_by_turn, last_rewind, snapshot_since, written_since
from agentmem.domain.checkpoint import ABSENT, State
from agentmem.domain.entry import Entry

ONE, TWO, THREE = (State("file", digit * 40, 0o644) for digit in "123")


def entry(own: str, **body: Any) -> Entry:
    return Entry("checkpoint", own, None, "", body)


def before(own: str, path: str, state: State, turn: str = "t1", **more: Any) -> Entry:
    return entry(own, kind="before", turn=turn, files=[{"path": path, "before": str(state), **more}])


def after(of: str, path: str, state: State) -> Entry:
    return entry(f"{of}+", kind="after", of=of, files=[{"path": path, "after": str(state)}])


def test_the_first_state_and_the_last_are_told() -> None:
    log = [before("a", "x", ONE), after("a", "x", TWO), before("b", "x", TWO, made=3), after("b", "x", THREE)]
    assert written_since(log, 0) == {b"x": Written(b"x", ONE, TWO, THREE, True, 0)}
    assert written_since(log, 2) == {b"x": Written(b"x", TWO, TWO, THREE, True, 3)}
    assert written_since(log, 4) == {}


def test_a_call_that_was_cut_off_is_not_known_to_have_written() -> None:
    one = written_since([before("a", "x", ONE)], 0)[b"x"]
    assert one == Written(b"x", ONE, ONE, None, False, 0)
    assert (one.holds(ONE), one.holds(TWO)) == (True, False)


def test_a_call_that_changed_nothing_counts_as_not_made() -> None:
    log = [before("a", "x", ONE), after("a", "x", TWO), before("b", "x", TWO), after("b", "x", TWO)]
    assert written_since(log, 0) == written_since(log[:2], 0)
    assert written_since([before("a", "x", ONE), after("a", "x", ONE)], 0) == {}


def test_a_rewind_is_a_write_that_may_have_been_cut_off() -> None:
    files = [{"path": "x", "before": str(TWO), "after": str(ONE)}]
    log = [before("a", "x", ONE), after("a", "x", TWO), entry("r", kind="rewind", files=files)]
    one = written_since(log, 0)[b"x"]
    assert (one.first, one.holds(ONE), one.holds(TWO), one.holds(THREE)) == (ONE, True, True, False)
    assert last_rewind(log) == 2
    assert last_rewind(log[:2]) is None


def test_what_is_malformed_is_passed_over() -> None:
    bad: list[Any] = [
        None,
        3,
        {"path": "../x", "before": "absent"},
        {"path": "/a/../b", "before": "absent"},
        {"path": "", "before": "absent"},
        {"path": ".", "before": "absent"},
        {"path": "a//b", "before": "absent"},
        {"path": "a\0b", "before": "absent"},
        {"path_hex": "zz", "before": "absent"},
        {"path": "x", "before": "file 0644 short"},
        {"path": "x"},
        {"path": "y", "before": "absent", "made": "many"},
    ]
    log = [entry("a", kind="before", files=bad), entry("b", kind="before", files="x"), after("zzz", "y", ONE)]
    assert written_since(log, 0) == {b"y": Written(b"y", ABSENT, ABSENT, None, False, 0)}


def test_the_first_snapshot_since_counts() -> None:
    log = [
        entry("a", kind="tree", tree="no object"),
        entry("b", kind="tree", tree="4" * 40, seen="x"),
        entry("c", kind="tree", tree="5" * 40, seen="6" * 40),
    ]
    assert snapshot_since(log, 0) == ("4" * 40, None)
    assert snapshot_since(log, 2) == ("5" * 40, "6" * 40)
    assert snapshot_since(log, 3) is None


def test_files_are_counted_by_turn() -> None:
    log = [before("a", "x", ONE), before("b", "x", TWO), before("c", "y", TWO), before("d", "x", ONE, turn="t2")]
    assert files_by_turn(log) == {"t1": 2, "t2": 1}
    assert files_by_turn([Entry("message", "m", None, "", {"kind": "before", "turn": "t1"})]) == {}


def test_a_write_that_changed_nothing_is_not_counted() -> None:
    refused = [before("a", "x", ONE), after("a", "x", ONE)]
    assert files_by_turn(refused) == {}
    cut_off = before("b", "y", ONE)
    assert files_by_turn([*refused, cut_off]) == {"t1": 1}
    assert files_by_turn([*refused, before("c", "x", ONE), after("c", "x", TWO)]) == {"t1": 1}

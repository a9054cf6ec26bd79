"""A log read from its end gives what the whole log gives, whatever was cut, moved or damaged, and reads no more."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from histories import assert_legal, short
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.read import cut, resume, tree
from agentmem.memory.read.replay import Replay
from agentmem.memory.session import Session
from agentmem.memory.stores import lines, stretch

HEAD = {"type": "session", "id": "s", "version": 1, "at": "t0", "cwd": "/w", "parent_session": None, "agentmem": "0.1"}


@dataclass
class Log:
    """A log as its bytes, and where each entry begins."""

    data: bytearray = field(default_factory=bytearray)
    at: dict[str, int] = field(default_factory=dict)
    path: dict[str, list[str]] = field(default_factory=dict)
    leaf: str | None = None

    def add(self, kind: str, **body: Any) -> str:
        own = f"e{len(self.at)}"
        parent = body["to"] if kind == "move" else body.pop("parent_id", self.leaf)
        if not self.data:
            self.data += lines.dump(HEAD)
        self.at[own] = len(self.data)
        self.path[own] = [*(self.path[parent] if parent else []), own]
        self.data += lines.dump({"type": kind, "id": own, "parent_id": parent, "at": "t", **body})
        self.leaf = own
        return own

    def say(self, role: str, text: str) -> str:
        return self.add("message", role=role, content=text, origin="agent" if role == "assistant" else "person")

    def snapshot(self, kept: str, segments: Sequence[str] | None = (), **more: Any) -> str:
        body: dict[str, Any] = {"form": "summary", "first_kept": kept, "first_kept_offset": self.at[kept], **more}
        if segments is not None:
            body["segments"] = [{"entry": own, "offset": self.at[own]} for own in segments]
        return self.add("compaction", **body)


def both(data: bytes | bytearray, folder: Path) -> tuple[tree.Tree, tree.Tree]:
    path = folder / "s.jsonl"
    path.write_bytes(data)
    return tree.grow("s.jsonl", "s", *lines.read(path)), resume.read(path, "s.jsonl", "s")


def shown(of: tree.Tree) -> tuple[list[Any], str, tuple[Message, ...]]:
    """The active entries (names given anew where two entries had one id left aside), what is told before them, and the
    messages."""
    part = of.active(of.entries[-1].id if of.entries else None)
    replay = Replay(part.before)
    for entry in part.entries:
        replay.add(entry)
    entries = [
        re.sub(r"~\d+", "", json.dumps([e.type, e.id, "" if n == 0 else e.parent_id, e.body]))
        for n, e in enumerate(part.entries)
    ]
    return entries, part.before, replay.messages()


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """Talks with snapshots, moves, resets and names at random places; offsets are right, sometimes not said."""
    log = Log()
    for number in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["talk", "talk", "talk", "snapshot", "snapshot", "move", "reset", "name", "other"]))
        branch = log.path[log.leaf] if log.leaf else []
        if kind == "snapshot" and branch:
            kept = draw(st.sampled_from(branch))
            told = draw(st.sampled_from([None, "what went before", " "]))
            more = {} if told is None else {"summary": f"{told} {number}"}
            before = [own for own in log.at if draw(st.booleans())][:3]
            log.snapshot(
                kept,
                draw(st.sampled_from([None, before])),
                form=draw(st.sampled_from(["summary", "window"])),
                name="named" if draw(st.booleans()) else None,
                **more,
            )
        elif kind == "move" and log.at:
            log.add("move", to=draw(st.sampled_from([None, *log.at])), why="")
        elif kind == "reset":
            log.add("reset", **({"parent_id": None} if draw(st.booleans()) else {}))
        elif kind == "name":
            log.add("session_info", name=f"name {number}")
        elif kind == "other":
            log.add("compaction", form="collapse", targets=list(log.at)[:2], first_kept="e0")
        else:
            log.say("user", f"ask {number}")
            log.say("assistant", f"answer {number} " + "x" * draw(st.integers(0, 60)))
    return log


def _drop(rows: list[bytes], low: int, high: int) -> None:
    del rows[low]


def _hole(rows: list[bytes], low: int, high: int) -> None:
    rows.insert(low, b"\0" * (high + 1))


def _cut(rows: list[bytes], low: int, high: int) -> None:
    rows[high] = rows[high][: 7 * low]


def _again(rows: list[bytes], low: int, high: int) -> None:
    rows.insert(high + 1, rows[low])  # a copy that some tool made stands after what it copies


def _changed(rows: list[bytes], low: int, high: int) -> None:
    rows.insert(high + 1, rows[low].replace(b"ask", b"ASK"))


def _block(rows: list[bytes], low: int, high: int) -> None:
    rows += rows[low : high + 1]


def _swap(rows: list[bytes], low: int, high: int) -> None:
    rows[low], rows[high] = rows[high], rows[low]


def _glue(rows: list[bytes], low: int, high: int) -> None:
    rows[low : low + 2] = [b"".join(rows[low : low + 2])]


def _flip(rows: list[bytes], low: int, high: int) -> None:
    at = 11 * low % (len(rows[high]) or 1)
    rows[high] = rows[high][:at] + b"\x8f" + rows[high][at + 1 :]


def _spaces(rows: list[bytes], low: int, high: int) -> None:
    rows[high] = rows[high].replace(b'":"', b'": "')


DAMAGE = [_drop, _hole, _cut, _again, _changed, _block, _swap, _glue, _flip, _spaces]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    rows = bytes(draw(logs()).data).split(b"\n")
    for _ in range(draw(st.integers(0, 3))):
        places = st.integers(0, len(rows) - 1)
        low, high = sorted((draw(places), draw(places)))
        draw(st.sampled_from(DAMAGE))(rows, low, high)
        rows = rows or [b""]
    return b"\n".join(rows)


@given(logs())
def test_the_end_tells_what_the_whole_tells(tmp_path_factory: pytest.TempPathFactory, log: Log) -> None:
    whole, end = both(log.data, tmp_path_factory.getbasetemp())
    assert shown(end) == shown(whole)
    assert_legal(shown(end)[2])
    assert (end.header, end.notices) == (whole.header, whole.notices)


@settings(max_examples=max(300, settings.default.max_examples))
@given(damaged())
def test_the_end_of_a_damaged_log_tells_what_the_whole_tells(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    whole, end = both(data, tmp_path_factory.getbasetemp())
    assert shown(end) == shown(whole)


def talked(turns: int, size: int = 20) -> Log:
    log = Log()
    for number in range(turns):
        log.say("user", f"ask {number}")
        log.say("assistant", f"answer {number} " + "x" * size)
    return log


def test_without_a_cut_the_whole_branch_is_shown(tmp_path: Path) -> None:
    whole, end = both(talked(3).data, tmp_path)
    assert end == whole
    assert [entry.id for entry in end.branch()] == ["e0", "e1", "e2", "e3", "e4", "e5"]


def test_after_a_snapshot_only_what_it_kept_is_read(tmp_path: Path) -> None:
    log = talked(3)
    log.snapshot("e4", summary="three things", name="the bug", model={"model": "m", "max_output": 9})
    log.say("user", "go on")
    _, end = both(log.data, tmp_path)
    assert [entry.id for entry in end.entries] == ["e4", "e5", "e6", "e7"]
    assert end.name == "the bug"
    part = end.active("e7")
    assert part.before == f"{cut.SUMMARISED}\n\nthree things"
    assert cut.model_of(end.entries[2]) == {"model": "m", "max_output": 9}
    assert short(shown(end)[2]) == [
        f"user: {cut.SUMMARISED}\n\nthree things | ask 2",
        f"assistant: answer 2 {'x' * 20}",
        "user: go on",
    ]


def test_live_segments_are_told_oldest_first_and_others_are_not(tmp_path: Path) -> None:
    log = talked(2)
    one = log.snapshot("e2", summary="one")
    log.say("user", "more")
    two = log.snapshot("e5", summary="two", segments=[one])
    log.say("user", "and more")
    last = log.snapshot("e7", [one, two], form="window")
    assert short(shown(both(log.data, tmp_path)[1])[2]) == [f"user: {cut.SUMMARISED}\n\none\n\ntwo | and more"]
    log.add("move", to=last, why="")
    alone = log.snapshot("e7", None, summary="all of it")
    assert short(shown(both(log.data, tmp_path)[1])[2]) == [f"user: {cut.SUMMARISED}\n\nall of it | and more"]
    assert log.leaf == alone
    log.snapshot("e7", [], form="window")
    assert short(shown(both(log.data, tmp_path)[1])[2]) == [f"user: {cut.NOT_SHOWN} | and more"]


def test_a_lost_segment_is_said_to_be_missing(tmp_path: Path) -> None:
    log = talked(2)
    one = log.snapshot("e2", summary="one")
    log.say("user", "more")
    log.snapshot("e5", [one, "gone"][:1], summary="two")
    rows = bytes(log.data).split(b"\n")
    del rows[5]
    whole, end = both(b"\n".join(rows), tmp_path)
    assert shown(end) == shown(whole)
    assert short(shown(end)[2]) == [f"user: {cut.SUMMARISED}\n\n{cut.UNREADABLE}\n\ntwo | more"]


@pytest.mark.parametrize("hole", [b"", b"\0" * 300 + b"\n", b"{torn\n" * 7])
def test_offsets_that_damage_has_shifted_are_looked_for(tmp_path: Path, hole: bytes) -> None:
    log = talked(9)
    one = log.snapshot("e16", summary="one")
    log.say("user", "more")
    log.snapshot("e19", [one], summary="two")
    log.say("user", "go on")
    first = log.at["e1"]
    whole, end = both(log.data[:first] + hole + log.data[first:], tmp_path)
    assert [entry.id for entry in end.entries] == ["e19", "e20", "e21"]
    assert shown(end) == shown(whole)
    assert end.notices == ()  # damage before the cut is not read


def test_damage_after_the_cut_is_told_with_the_lines_of_the_file(tmp_path: Path) -> None:
    log = talked(9)
    log.snapshot("e16", summary="one")
    log.say("user", "more")
    after = log.at["e19"]
    _, end = both(log.data[:after] + b"\0\0\n" + log.data[after:] + b"{torn", tmp_path)
    assert end.notices == ("s.jsonl: line 21 skipped (NUL bytes); line 23 skipped (cut short or no JSON)",)


def test_a_snapshot_whose_first_kept_entry_is_gone_covers_nothing(tmp_path: Path) -> None:
    log = talked(3)
    log.snapshot("e4", summary="one")
    log.say("user", "more")
    rows = bytes(log.data).split(b"\n")
    del rows[5]
    whole, end = both(b"\n".join(rows), tmp_path)
    assert [entry.id for entry in end.entries] == ["e0", "e1", "e2", "e3", "e5", "e6", "e7"]
    assert shown(end) == shown(whole)


def test_an_old_line_that_stands_at_the_end_again_moves_nothing(tmp_path: Path) -> None:
    log = talked(3)
    log.snapshot("e4", summary="one")
    log.say("user", "more")
    rows = bytes(log.data).split(b"\n")
    for again in (1, 2, 5, 7):
        whole, end = both(log.data + rows[again] + b"\n", tmp_path)
        assert shown(end) == shown(whole)
        assert end.entries[-1].id == "e7"


def test_a_lost_parent_after_the_cut_is_joined_to_the_entry_before(tmp_path: Path) -> None:
    log = talked(3)
    log.snapshot("e4", summary="one")
    for text in ("a", "b", "c"):
        log.say("user", text)
    rows = bytes(log.data).split(b"\n")
    del rows[9]
    _, end = both(b"\n".join(rows), tmp_path)
    assert [entry.id for entry in end.entries] == ["e4", "e5", "e6", "e7", "e9"]
    assert end.notices == ("s.jsonl: line 10 joined to the entry before (its parent is not there)",)


def test_a_reset_begins_an_empty_branch_and_a_move_leaves_it(tmp_path: Path) -> None:
    log = talked(3)
    log.add("reset")
    log.say("user", "fresh")
    assert short(shown(both(log.data, tmp_path)[1])[2]) == ["user: fresh"]
    log.add("move", to="e1", why="back")
    assert [entry.id for entry in both(log.data, tmp_path)[1].branch()] == ["e0", "e1", "e8"]


def test_little_of_a_long_log_is_read(tmp_path: Path) -> None:
    """Counted in bytes that the reader asks the system for, not in time."""
    log = talked(4000, 1000)
    kept = log.say("user", "kept")
    log.snapshot(kept, summary="all")
    log.say("user", "go on")
    path = tmp_path / "s.jsonl"
    path.write_bytes(log.data)
    begun = Path("/proc/self/io")
    if not begun.exists():
        pytest.skip("the system does not count what a process reads")
    before = int(begun.read_text().split("rchar: ")[1].split()[0])
    found = resume.read(path, "s.jsonl", "s")
    read = int(begun.read_text().split("rchar: ")[1].split()[0]) - before
    assert len(found.entries) == 3
    assert read < len(log.data) / 3 < 2_000_000


def test_searching_backwards_finds_all_also_across_blocks(tmp_path: Path) -> None:
    size = 1 << 18
    data = bytearray(b"." * (2 * size + 100))
    places = [0, 3, size - 2, size + 98, 2 * size + 97]
    for place in places:
        data[place : place + 3] = b"abc"
    path = tmp_path / "x"
    path.write_bytes(data)
    with stretch.opened(path) as handle:
        assert list(stretch.backwards(handle, (b"abc",), len(data))) == places[::-1]
        assert list(stretch.backwards(handle, (b"abc",), 5)) == [0]
        assert list(stretch.backwards(handle, (b"abc", b"bc"), 8)) == [4, 3, 1, 0]


def test_line_places(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one\ntwo\nthree")
    with stretch.opened(path) as handle:
        assert [stretch.line_start(handle, at) for at in (0, 3, 4, 9)] == [0, 0, 4, 8]
        assert [stretch.line_at(handle, at) for at in (0, 4, 8, 5, -1, 99)] == [
            b"one\n",
            b"two\n",
            b"three",
            None,
            None,
            None,
        ]
        assert [stretch.count_lines(handle, at) for at in (0, 4, 13)] == [0, 1, 2]


def test_a_session_stands_after_its_own_snapshot_where_a_resume_does(places: Places, clock: Clock) -> None:
    session = memory.new_session(places, clock, "0")
    session.begin_epoch((), 200_000)
    for number in range(4):
        session.record_user([Text(f"ask {number}", "person")])
        session.record_call("m", b"")
    kept = session.entries[-2]
    body = {
        "form": "summary",
        "first_kept": kept.id,
        "summary": "three asks",
        "segments": [],
        "model": next(entry.body for entry in session.entries if entry.type == "model"),
    }
    session._record(lambda parent: Entry("compaction", clock.new_id(), parent, "t", body))
    live = session.prompt()
    assert short(live.messages) == [f"user: {cut.SUMMARISED}\n\nthree asks | ask 3"]
    assert [entry.type for entry in session.entries] == ["message", "call", "compaction"]
    session.close()
    again: Session = memory.resume_session(places, clock, session.id)
    again.begin_epoch((), 200_000)
    assert again.prompt() == live
    assert again.entries == session.entries
    for one in (again,):
        one.record_user([Text("next", "person")])
        one.record_call("m", b"")
    # The model is not named again; the day is, its first telling is out of the prompt.
    assert [entry.type for entry in again.entries] == ["message", "call", "compaction", "message", "call"]
    assert short(again.prompt().messages)[-1].endswith("next | [Today is 2026-11-30.]")
    again.close()


def test_a_parent_that_stands_further_down_is_no_parent(tmp_path: Path) -> None:
    """As in a whole log: who is read first cannot hang on who is read later."""
    log = talked(2)
    log.snapshot("e2", summary="one")
    log.say("user", "more")
    rows = bytes(log.data).split(b"\n")
    rows[1], rows[5] = rows[5], rows[1]
    whole, end = both(b"\n".join(rows), tmp_path)
    assert shown(end) == shown(whole)
    assert [entry.id for entry in end.branch()] == [entry.id for entry in whole.branch()]

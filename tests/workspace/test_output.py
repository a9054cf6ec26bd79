from __future__ import annotations

import os
import resource
import signal
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.workspace import output
from agentmem.workspace.output import LIMIT, Output, View


def of(data: bytes, pieces: int = 65_536) -> Output:
    taken = Output()
    for at in range(0, len(data), pieces):
        taken.add(data[at : at + pieces])
    return taken


def test_short_output_is_shown_whole() -> None:
    taken = of(b"one\ntwo")
    assert taken.view() == View("one\ntwo")
    assert taken.view().exact
    assert taken.whole() == b"one\ntwo"


def test_the_limit_itself_is_shown_whole() -> None:
    assert of(b"x" * LIMIT).view() == View("x" * LIMIT)


def test_head_and_tail_are_cut_between_lines() -> None:
    data = b"".join(b"line %06d\n" % number for number in range(10_000))
    taken = of(data, 777)
    view = taken.view()
    assert view.head.endswith("line 001582\n")
    assert view.tail.startswith("line 007501\n")
    assert view.tail.endswith("line 009999\n")
    assert (view.left_bytes, view.left_lines) == (71_016, 5_918)
    assert taken.whole() == data
    assert (taken.total, taken.stored) == (120_000, 120_000)
    taken.close()
    taken.close()


@pytest.mark.parametrize("sign", ["é", "🙂", "あ"])
@pytest.mark.parametrize("before", range(4))
def test_no_character_is_broken(sign: str, before: int) -> None:
    data = b"x" * before + sign.encode() * 40_000
    taken = of(data)
    view = taken.view()
    assert set(view.head) | set(view.tail) == {*"x" * before, sign}
    assert len(view.head.encode()) + len(view.tail.encode()) + view.left_bytes == len(data)
    assert not view.undecodable
    taken.close()


def test_bytes_that_grow_when_shown_stay_within_the_limit() -> None:
    for size in (20_000, 48_000, 100_000):
        taken = of(b"\xff\xfe" * (size // 2))
        view = taken.view()
        assert len(view.head.encode()) + len(view.tail.encode()) <= LIMIT
        assert view.head and view.tail
        assert view.undecodable
        assert len(view.head) + len(view.tail) + view.left_bytes == size
        taken.close()


@settings(max_examples=30)
@given(st.lists(st.binary(min_size=1, max_size=30_000), max_size=8))
def test_nothing_is_lost_or_counted_twice(pieces: list[bytes]) -> None:
    taken = Output()
    for piece in pieces:
        taken.add(piece)
    data = b"".join(pieces)
    view = taken.view()
    assert taken.whole() == data
    assert taken.total == len(data)
    assert 0 <= view.left_bytes <= len(data)
    assert 0 <= view.left_lines <= data.count(b"\n")
    assert len((view.head + view.tail).encode()) <= LIMIT
    taken.close()


def test_a_flood_takes_little_memory_and_a_bounded_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "KEEP", 1_000_000)
    taken = Output()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2_000):
        taken.add(b"y\n" * 32_768)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (taken.total, taken.stored, taken.lost) == (131_072_000, 1_000_000, None)
    assert len(taken.whole()) == 1_000_000
    assert grown < 20_000  # KiB
    taken.close()


def test_without_a_place_for_the_file_head_and_tail_are_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    taken = of(b"a" * 30_000 + b"b" * 60_000 + b"c" * 30_000)
    view = taken.view()
    assert (view.head, view.tail) == ("a" * 19_000, "c" * 30_000)
    assert (taken.lost, taken.stored) == ("No such file or directory", 19_000)
    assert taken.whole() == b"a" * 19_000


def test_a_full_disk_is_told_and_survived() -> None:
    old, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    taken = Output()
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    try:
        for _ in range(4):
            taken.add(b"x" * 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert (taken.total, taken.stored, taken.lost) == (262_144, 100_000, os.strerror(27))
    taken.close()

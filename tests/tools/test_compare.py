from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.tools.compare import Block, compared

_LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n", b"f\n"]), max_size=14)


@pytest.mark.parametrize(
    ("old", "new", "blocks"),
    [
        (b"", b"", []),
        (b"abc", b"abc", []),
        (b"abc", b"", [(0, 3, 0, 0)]),
        (b"", b"abc", [(0, 0, 0, 3)]),
        (b"abc", b"axc", [(1, 2, 1, 2)]),
        (b"aabb", b"aaxbb", [(2, 2, 2, 3)]),
        (b"abcabba", b"cbabac", [(0, 2, 0, 0), (3, 3, 1, 2), (5, 6, 4, 4), (7, 7, 5, 6)]),
        (b"xaya", b"aya", [(0, 1, 0, 0)]),
        (b"abcd", b"cdab", [(0, 0, 0, 2), (2, 4, 4, 4)]),
    ],
)
def test_blocks(old: bytes, new: bytes, blocks: list[Block]) -> None:
    got = list(compared([bytes([one]) for one in old], [bytes([one]) for one in new]))
    assert sum(i2 - i1 + j2 - j1 for i1, i2, j1, j2 in got) == sum(i2 - i1 + j2 - j1 for i1, i2, j1, j2 in blocks)
    assert _applied(old, new, got) == new


def _applied(old: bytes, new: bytes, blocks: list[Block]) -> bytes:
    out, at = b"", 0
    for i1, i2, j1, j2 in blocks:
        out += old[at:i1] + new[j1:j2]
        at = i2
    return out + old[at:]


@settings(max_examples=300, deadline=None)
@given(_LINES, _LINES)
def test_blocks_turn_one_text_into_the_other(a: list[bytes], b: list[bytes]) -> None:
    blocks = list(compared(a, b))
    out: list[bytes] = []
    at = last = 0
    for i1, i2, j1, j2 in blocks:
        assert i1 > last or at == 0 == i1 or not out
        assert i1 - at == j1 - len(out)
        out += a[at:i1] + b[j1:j2]
        at = last = i2
    assert out + a[at:] == b


def test_a_stretch_without_likeness_is_one_block() -> None:
    a = [b"%d\n" % (n % 700) for n in range(1_400)]
    b = [b"%d\n" % (n % 700 + 5_000) for n in range(1_400)]
    assert list(compared(a, b)) == [(0, 1_400, 0, 1_400)]

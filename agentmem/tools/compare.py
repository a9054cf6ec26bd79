"""Compare: which lines of one text became which of another, in time that stays near the length of the texts.

Lines that stand once in both are anchors (patience diff). What lies between two anchors is compared by Myers' greedy
algorithm (1986, figure 2), up to a bound; beyond it the whole stretch counts as changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Block = tuple[int, int, int, int]  # old lines i1 to i2 became new lines j1 to j2
Pair = tuple[int, int]  # an old line and the new one equal to it

_EDITS_MOST = 400
_STEPS_MOST = 1_000_000


def compared(a: Sequence[bytes], b: Sequence[bytes]) -> Iterator[Block]:
    """What changed from `a` to `b`, in order; no two blocks touch."""
    i = j = 0
    for x, y in [*_equal(a, b), (len(a), len(b))]:
        if i < x or j < y:
            yield i, x, j, y
        i, j = x + 1, y + 1


def _equal(a: Sequence[bytes], b: Sequence[bytes]) -> list[Pair]:
    """Pairs of equal lines, rising on both sides: common start and end, anchors, and what is equal between them."""
    start = 0
    least = min(len(a), len(b))
    while start < least and a[start] == b[start]:
        start += 1
    end = 0
    while end < least - start and a[-1 - end] == b[-1 - end]:
        end += 1
    pairs = [(index, index) for index in range(start)]
    i = j = start
    for x, y in [*_anchors(a, b, (start, len(a) - end, start, len(b) - end)), (len(a) - end, len(b) - end)]:
        pairs += [(i + one, j + other) for one, other in _common(a[i:x], b[j:y])] if i < x and j < y else []
        pairs += [(x, y)] if x < len(a) - end else []
        i, j = x + 1, y + 1
    return pairs + [(len(a) - end + index, len(b) - end + index) for index in range(end)]


def _anchors(a: Sequence[bytes], b: Sequence[bytes], block: Block) -> list[Pair]:
    """The longest run of lines that stand once on either side of the block."""
    i1, i2, j1, j2 = block
    in_a, in_b = Counter(a[i1:i2]), Counter(b[j1:j2])
    place = {b[j]: j for j in range(j1, j2) if in_b[b[j]] == 1}
    return _rising([(i, place[a[i]]) for i in range(i1, i2) if in_a[a[i]] == 1 and a[i] in place])


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest subsequence whose second numbers rise (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        previous.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        ends[pile : pile + 1] = [index]
    run = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = previous[index]
    return run[::-1]


def _common(a: Sequence[bytes], b: Sequence[bytes]) -> list[Pair]:
    """The longest common subsequence, empty when it takes too many edits or steps to find."""
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    steps = 0
    for edits in range(min(len(a) + len(b), _EDITS_MOST) + 1):
        trace.append(dict(reach))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = start = reach[k + 1] if down else reach[k - 1] + 1
            while x < len(a) and x - k < len(b) and a[x] == b[x - k]:
                x += 1
            reach[k] = x
            steps += x - start + 1
            if x >= len(a) and x - k >= len(b):
                return _walked(trace, len(a), len(b))
        if steps > _STEPS_MOST:
            break
    return []


def _walked(trace: Sequence[dict[int, int]], x: int, y: int) -> list[Pair]:
    """The diagonal steps of the shortest way, read back from its end."""
    pairs: list[Pair] = []
    for edits in range(len(trace) - 1, -1, -1):
        reach, k = trace[edits], x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        before = k + 1 if down else k - 1
        start_x = reach[before] if edits else 0
        start_y = start_x - before if edits else 0
        turn = start_x if down or not edits else start_x + 1
        while x > turn:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start_x, start_y
    return pairs[::-1]

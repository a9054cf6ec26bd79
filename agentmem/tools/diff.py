"""Diff: a change to a file as a unified diff, in time linear in the file.

Lines that stand once in both texts are anchors (patience diff); only small gaps between them are compared line by line.
Very long lines are cut to the part that changed, with `…` on the cut sides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from agentmem.tools.content import BOM, lines, shown

CONTEXT = 3
LINE_MOST = 2_000  # bytes of a line that are shown whole
LINES_MOST = 20_000  # lines of a diff
_GAP_MOST = 10_000  # lines times lines of a gap that are compared one by one
_AROUND = 80  # characters kept around the change in a cut line

Block = tuple[int, int, int, int]  # old lines i1 to i2 became new lines j1 to j2


def unified(old: bytes | None, new: bytes, name: str) -> str:
    """The change from `old` (None: there was no file) to `new` as a unified diff with three lines of context; empty
    when nothing changed. Bytes that are not UTF-8 stand as `\\xNN`; a byte order mark that both have is not shown."""
    before = old or b""
    if before.startswith(BOM) and new.startswith(BOM):
        before, new = before[len(BOM) :], new[len(BOM) :]
    a, b = lines(before), lines(new)
    blocks = list(_blocks(a, b))
    if not blocks and old is not None:
        return ""
    label = shown(name.encode("utf-8", "surrogateescape")).replace("\n", "\\n")
    source = "/dev/null" if old is None else _side("a", label)
    out = [f"--- {source}", f"+++ {_side('b', label)}"]
    for hunk in _hunks(blocks):
        out += _hunk(a, b, hunk)
    if len(out) > LINES_MOST:
        out[LINES_MOST:] = [f"\\ {len(out) - LINES_MOST} more lines of this diff are not shown"]
    return "\n".join(out) + "\n"


def _side(side: str, label: str) -> str:
    return label if label.startswith("/") else f"{side}/{label}"


def _blocks(a: Sequence[bytes], b: Sequence[bytes]) -> Iterator[Block]:
    """What changed, in order; no two blocks touch."""
    i = j = 0
    pending: Block | None = None
    for x, y in [*_anchors(a, b), (len(a), len(b))]:
        for i1, i2, j1, j2 in _gap(a, b, (i, x, j, y)) if i < x or j < y else ():
            if pending is not None and (pending[1], pending[3]) == (i1, j1):
                pending = (pending[0], i2, pending[2], j2)
                continue
            if pending is not None:
                yield pending
            pending = (i1, i2, j1, j2)
        i, j = x + 1, y + 1
    if pending is not None:
        yield pending


def _anchors(a: Sequence[bytes], b: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of equal lines, rising on both sides: the common start and end, and between them the longest run of lines
    that stand once in each."""
    start = 0
    least = min(len(a), len(b))
    while start < least and a[start] == b[start]:
        start += 1
    end = 0
    while end < least - start and a[-1 - end] == b[-1 - end]:
        end += 1
    head = [(index, index) for index in range(start)]
    tail = [(len(a) - end + index, len(b) - end + index) for index in range(end)]
    return head + _unique(a, b, (start, len(a) - end, start, len(b) - end)) + tail


def _unique(a: Sequence[bytes], b: Sequence[bytes], block: Block) -> list[tuple[int, int]]:
    i1, i2, j1, j2 = block
    in_a, in_b = Counter(a[i1:i2]), Counter(b[j1:j2])
    place = {b[j]: j for j in range(j1, j2) if in_b[b[j]] == 1}
    pairs = [(i, place[a[i]]) for i in range(i1, i2) if in_a[a[i]] == 1 and a[i] in place]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
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


def _gap(a: Sequence[bytes], b: Sequence[bytes], block: Block) -> Iterator[Block]:
    i1, i2, j1, j2 = block
    if not (i1 < i2 and j1 < j2) or (i2 - i1) * (j2 - j1) > _GAP_MOST:
        yield block
        return
    from difflib import SequenceMatcher

    for tag, x1, x2, y1, y2 in SequenceMatcher(None, a[i1:i2], b[j1:j2], autojunk=False).get_opcodes():
        if tag != "equal":
            yield i1 + x1, i1 + x2, j1 + y1, j1 + y2


def _hunks(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks whose contexts meet go together."""
    hunk: list[Block] = []
    for block in blocks:
        if hunk and block[0] - hunk[-1][1] > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _hunk(a: Sequence[bytes], b: Sequence[bytes], hunk: Sequence[Block]) -> Iterator[str]:
    before = min(CONTEXT, hunk[0][0])
    after = min(CONTEXT, len(a) - hunk[-1][1])
    i, i_end = hunk[0][0] - before, hunk[-1][1] + after
    j, j_end = hunk[0][2] - before, hunk[-1][3] + after
    yield f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@"
    for i1, i2, j1, j2 in hunk:
        for line in a[i:i1]:
            yield from _line(" ", line, None)
        for offset in range(i2 - i1):
            yield from _line("-", a[i1 + offset], b[j1 + offset] if offset < j2 - j1 else None)
        for offset in range(j2 - j1):
            yield from _line("+", b[j1 + offset], a[i1 + offset] if offset < i2 - i1 else None)
        i = i2
    for line in a[i:i_end]:
        yield from _line(" ", line, None)


def _range(start: int, end: int) -> str:
    """Lines as a hunk's header counts them: from 1, an empty range by the line before it."""
    count = end - start
    return f"{start + 1 if count else start}" + ("" if count == 1 else f",{count}")


def _line(sign: str, line: bytes, partner: bytes | None) -> Iterator[str]:
    body = line.removesuffix(b"\n")
    text = shown(body) if len(body) <= LINE_MOST else _cut(shown(body), shown(partner or b"").rstrip("\n"))
    yield sign + text
    if body == line:
        yield "\\ No newline at end of file"


def _cut(text: str, partner: str) -> str:
    """The part of a long line that its partner on the other side does not have, with a little around it."""
    least = min(len(text), len(partner))
    start = next((index for index in range(least) if text[index] != partner[index]), least)
    same = 0
    while same < least - start and text[-1 - same] == partner[-1 - same]:
        same += 1
    start = max(0, start - _AROUND)
    end = min(len(text) - same + _AROUND, start + LINE_MOST)
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"

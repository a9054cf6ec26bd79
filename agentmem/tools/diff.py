"""Diff: a change to a file as a unified diff; of very long lines only the part that changed, `…` on the cut sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentmem.tools.compare import Block, compared
from agentmem.tools.content import BOM, lines, shown

CONTEXT = 3
LINE_MOST = 2_000  # bytes of a line that are shown whole
LINES_MOST = 20_000  # lines of a diff
_AROUND = 80  # characters kept around the change in a cut line


def unified(old: bytes | None, new: bytes, name: str) -> str:
    """The change from `old` (None: there was no file) to `new` as a unified diff with three lines of context; empty
    when nothing changed. Bytes that are not UTF-8 stand as `\\xNN`; a byte order mark that both have is not shown."""
    before = old or b""
    if before.startswith(BOM) and new.startswith(BOM):
        before, new = before[len(BOM) :], new[len(BOM) :]
    a, b = lines(before), lines(new)
    blocks = list(compared(a, b))
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

"""Day merge: two versions of a day file become one, block by block: no episode is torn, lost, or there twice.

## 09:14 Switch the test database  ^e51b20d77f2
session …
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(rb"##[ \t]+(?P<time>\d{1,2}:\d{2})?[^\n]*?(?:[ \t]\^(?P<id>[A-Za-z0-9-]+))?[ \t]*\r?")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_MARKS = re.compile(rb"(?:<{7}|>{7}|\|{7})(?: [^\n]*)?\r?|={7}\r?")


@dataclass(frozen=True, slots=True)
class Block:
    """An episode, or what stands before the first; `key` is its id, else its own bytes."""

    key: bytes
    time: bytes
    data: bytes


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """What both sides made of `base`. A block that one side changed or removed is as that side has it; one that both
    changed stands in both forms, ours first."""
    was, here, there = (_keyed(blocks(data)) for data in (base, ours, theirs))
    made: list[Block] = []
    for key, block in here.items():
        other, old = there.get(key), was.get(key)
        if other is None:
            if old is None or old.data != block.data:  # else they removed it
                made.append(block)
        elif other.data == block.data or (old is not None and other.data == old.data):
            made.append(block)
        elif old is not None and block.data == old.data:
            made.append(other)
        else:
            made += [block, other]
    new = [one for key, one in there.items() if key not in here and (key not in was or was[key].data != one.data)]
    for block in new:
        made.insert(_place(made, block), block)
    return _joined(made)


def mended(data: bytes) -> bytes:
    """A day file without the marks that a merge without us left in it, and without the twins of a block. Rows behind a
    conflict that both sides ended in belong to the blocks of both."""
    rows = data.split(b"\n")
    ours, theirs = _side(rows, b"<"), _side(rows, b">")
    whole = unmarked(data) if ours is None or theirs is None else merge(b"", ours, theirs)
    seen: dict[bytes, Block] = {}
    for block in blocks(whole):
        known = seen.get(block.key)
        if known is None or len(block.data) > len(known.data):
            seen[block.key] = block
    return _joined(list(seen.values()))


def unmarked(data: bytes) -> bytes:
    """A file of lines that each stand for themselves without the marks of a merge: the rows of both sides, and none of
    what both had before."""
    rows = data.split(b"\n")
    both = _side(rows, b"<>")
    return b"\n".join(row for row in rows if not _MARKS.fullmatch(row)) if both is None else both


def _side(rows: list[bytes], wanted: bytes) -> bytes | None:
    """What one side (``<`` ours, ``>`` theirs; ``<>`` both) had before a merge marked where they differ; None where the
    marks do not belong together."""
    kept: list[bytes] = []
    within = b""  # the side whose rows these are, the mark of the base too; empty where both agree
    for row in rows:
        mark = row[:1] if _MARKS.fullmatch(row) else b""
        if mark == b"<" and not within:
            within = b"<"
        elif mark == b"|" and within == b"<":
            within = b"|"
        elif mark == b"=" and within in (b"<", b"|"):
            within = b">"
        elif mark == b">" and within == b">":
            within = b""
        elif mark in (b"<", b"|", b">"):
            return None
        elif within in wanted:  # what both agree on is within neither
            kept.append(row)
    return None if within else b"\n".join(kept)


def marked(data: bytes) -> bool:
    """Whether a merge left its marks in a file."""
    rows = data.split(b"\n")
    return any(row.startswith(b"<<<<<<<") for row in rows) and any(row.startswith(b">>>>>>>") for row in rows)


def blocks(data: bytes) -> list[Block]:
    """A file's blocks in their order; the bytes of all of them are the file's."""
    found: list[list[bytes]] = [[]]
    fence = b""
    for row in data.splitlines(keepends=True):
        mark = _FENCE.match(row)
        if fence:
            if mark and mark[1].startswith(fence) and not row.strip().strip(fence[:1]):
                fence = b""
        elif mark:
            fence = mark[1]
        elif row.startswith(b"## "):
            found.append([])
        found[-1].append(row)
    return [_block(b"".join(rows)) for rows in found if rows]


def _block(data: bytes) -> Block:
    heading = _HEADING.fullmatch(data.partition(b"\n")[0])
    if heading is None:
        return Block(b"" if not data.startswith(b"## ") else data, b"", data)
    return Block(heading["id"] or data.strip(), (heading["time"] or b"").rjust(5, b"0"), data)


def _keyed(found: list[Block]) -> dict[bytes, Block]:
    keyed: dict[bytes, Block] = {}
    for one in found:
        known = keyed.setdefault(one.key, one)
        if known.data != one.data:  # two of one id that say different things are two
            keyed[one.key + b"\0" + one.data] = one
    return keyed


def _place(made: list[Block], block: Block) -> int:
    """Behind the last block that is not later."""
    if not block.key:
        return 0
    return next((at + 1 for at in range(len(made) - 1, -1, -1) if made[at].time <= block.time), 0)


def _joined(made: list[Block]) -> bytes:
    out = b""
    for block in made:
        if out and not out.endswith(b"\n"):
            out += b"\n"
        if out and block.key and not out.endswith((b"\n\n", b"\r\n\r\n")):
            out += b"\n"
        out += block.data
    return out

"""Packfile: objects of a git pack read without git, as gitformat-pack(5) describes it (index version 2, SHA-1)."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from agentmem import regular
from agentmem.objects import Damaged

_MOST = 1 << 31  # bytes of one pack
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET, _NAMED = 6, 7
_CHUNK = 1 << 16


class Pack:
    """One pack; `path` names its index, ``….idx``. Raises `Damaged`, `OSError` when it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places = _index(path)
        self._handle = regular.opened(path.with_suffix(".pack"))
        if os.pread(self._handle, 4, 0) != b"PACK" or os.fstat(self._handle).st_size > _MOST:
            os.close(self._handle)
            raise Damaged(f"{path.with_suffix('.pack')} is no pack that can be read")

    def close(self) -> None:
        """Let the file go."""
        os.close(self._handle)

    def read(self, name: str) -> tuple[str, bytes]:
        """Kind and bytes of an object that the index names. Raises `Damaged`."""
        try:
            return self._whole(self.places[name])
        except (zlib.error, struct.error, IndexError, KeyError) as error:
            raise Damaged(f"the object {name} in {self.path.with_suffix('.pack')} is damaged") from error

    def _whole(self, at: int) -> tuple[str, bytes]:
        deltas: list[bytes] = []
        while True:
            kind, size, after = self._head(at)
            if kind in _KINDS:
                data = self._inflated(after, size)
                for delta in reversed(deltas):
                    data = _applied(delta, data)
                return _KINDS[kind], data
            base = at
            if kind == _OFFSET:
                back, after = self._distance(after)
                base = at - back
            elif kind == _NAMED:
                base = self.places[os.pread(self._handle, 20, after).hex()]
                after += 20
            if base == at:
                raise IndexError
            deltas.append(self._inflated(after, size))
            at = base

    def _head(self, at: int) -> tuple[int, int, int]:
        data = os.pread(self._handle, 16, at)
        kind, size, shift, place = data[0] >> 4 & 7, data[0] & 15, 4, 1
        while data[place - 1] & 0x80:
            size |= (data[place] & 0x7F) << shift
            shift, place = shift + 7, place + 1
        return kind, size, at + place

    def _distance(self, at: int) -> tuple[int, int]:
        data = os.pread(self._handle, 16, at)
        back, place = data[0] & 0x7F, 1
        while data[place - 1] & 0x80:
            back = (back + 1) << 7 | data[place] & 0x7F
            place += 1
        return back, at + place

    def _inflated(self, at: int, size: int) -> bytes:
        inflate, out = zlib.decompressobj(), []
        while not inflate.eof:
            chunk = os.pread(self._handle, _CHUNK, at)
            if not chunk:
                raise IndexError
            out.append(inflate.decompress(chunk))
            at += len(chunk)
        data = b"".join(out)
        if len(data) != size:
            raise IndexError
        return data


def _index(path: Path) -> dict[str, int]:
    """Where each object begins."""
    data = regular.read(path, _MOST)
    if data[:8] != b"\xfftOc\0\0\0\x02":
        raise Damaged(f"{path} is in a form that cannot be read")
    try:
        count = struct.unpack_from(">I", data, 8 + 255 * 4)[0]
        names, offsets = 8 + 1024, 8 + 1024 + count * 24
        wide = offsets + count * 4
        places = {}
        for number, place in enumerate(struct.unpack_from(f">{count}I", data, offsets)):
            if place & 0x80000000:
                place = struct.unpack_from(">Q", data, wide + (place & 0x7FFFFFFF) * 8)[0]
            places[data[names + number * 20 : names + number * 20 + 20].hex()] = place
    except struct.error as error:
        raise Damaged(f"{path} is damaged") from error
    return places


def _applied(delta: bytes, base: bytes) -> bytes:
    """What a delta makes of its base."""
    at = 0
    for _ in range(2):  # the sizes of base and result
        while delta[at] & 0x80:
            at += 1
        at += 1
    out = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if not code & 0x80:
            out.append(delta[at : at + code])
            at += code
            continue
        fields = []
        for bit in range(7):
            fields.append(delta[at] if code >> bit & 1 else 0)
            at += code >> bit & 1
        start = int.from_bytes(bytes(fields[:4]), "little")
        size = int.from_bytes(bytes(fields[4:]), "little") or 0x10000
        out.append(base[start : start + size])
    return b"".join(out)

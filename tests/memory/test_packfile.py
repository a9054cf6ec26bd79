from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from agentmem.memory.stores.packfile import Pack
from agentmem.objects import Damaged, name_of

BASE = b"one line\n" * 40


def head(kind: int, size: int) -> bytes:
    first, rest = kind << 4 | size & 15, size >> 4
    out = bytearray([first | (0x80 if rest else 0)])
    while rest:
        out.append(rest & 0x7F | (0x80 if rest > 0x7F else 0))
        rest >>= 7
    return bytes(out)


def written(folder: Path, items: dict[str, bytes], wide: bool = False) -> Path:
    """A pack with these objects, each already packed, and its index."""
    body, places = b"PACK" + struct.pack(">II", 2, len(items)), {}
    for name, data in items.items():
        places[name] = len(body)
        body += data
    (folder / "p.pack").write_bytes(body + bytes(20))
    names = sorted(places)
    index = b"\xfftOc\0\0\0\x02" + b"".join(
        struct.pack(">I", sum(int(n[:2], 16) <= fan for n in names)) for fan in range(256)
    )
    index += b"".join(bytes.fromhex(name) for name in names) + bytes(4 * len(names))
    offsets = [0x80000000 | at if wide else places[name] for at, name in enumerate(names)]
    index += struct.pack(f">{len(names)}I", *offsets)
    index += b"".join(struct.pack(">Q", places[name]) for name in names) if wide else b""
    (folder / "p.idx").write_bytes(index + bytes(40))
    return folder / "p.idx"


def blob(data: bytes) -> tuple[str, bytes]:
    return name_of("blob", data), head(3, len(data)) + zlib.compress(data)


@pytest.mark.parametrize("wide", [False, True])
def test_whole_objects_and_deltas_by_name_are_read(tmp_path: Path, wide: bool) -> None:
    name, packed = blob(BASE)
    delta = bytes([0xE8, 0x02, 13]) + bytes([0x80 | 0x10, 9]) + bytes([4]) + b"two\n"
    other = BASE[:9] + b"two\n"
    by_name = head(7, len(delta)) + bytes.fromhex(name) + zlib.compress(delta)
    pack = Pack(written(tmp_path, {name: packed, name_of("blob", other): by_name}, wide))
    assert pack.read(name) == ("blob", BASE)
    assert pack.read(name_of("blob", other)) == ("blob", other)
    pack.close()


@pytest.mark.parametrize(
    "packed",
    [
        head(3, 9) + zlib.compress(b"short"),
        head(3, 5) + b"no zlib",
        head(3, 5),
        head(6, 3) + b"\0" + zlib.compress(b"abc"),
        head(7, 3) + bytes(20) + zlib.compress(b"abc"),
    ],
    ids=["size", "no zlib", "cut", "its own base", "a base that is not there"],
)
def test_damage_is_told(tmp_path: Path, packed: bytes) -> None:
    pack = Pack(written(tmp_path, {"a" * 40: packed}))
    with pytest.raises(Damaged):
        pack.read("a" * 40)
    with pytest.raises(Damaged):
        pack.read("b" * 40)
    pack.close()


def test_what_is_no_pack_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, dict([blob(BASE)]))
    path.with_suffix(".pack").write_bytes(b"JUNK" + bytes(40))
    with pytest.raises(Damaged, match="no pack"):
        Pack(path)
    path.write_bytes(path.read_bytes()[:1100])
    with pytest.raises(Damaged):
        Pack(path)
    path.write_bytes(b"old form")
    with pytest.raises(Damaged, match="form"):
        Pack(path)

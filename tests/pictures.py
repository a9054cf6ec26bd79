"""Images for tests."""

from __future__ import annotations

import base64
import struct
import zlib


def png(width: int = 2, height: int = 2, more: int = 0) -> str:
    """A PNG in base64 that says it has these sides; `more` bytes of nothing make it larger."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"teXt", b"\0" * more) + chunk(b"IDAT", zlib.compress(b"\0" * 14))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")).decode()

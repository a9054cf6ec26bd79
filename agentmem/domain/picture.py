"""Picture: the kind and size of an image, from its first bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A media type, and width and height in pixels (0 where the header does not say)."""

    media_type: str
    width: int
    height: int


def picture(head: bytes) -> Picture | None:
    """What image the bytes begin, None when they begin none. PNG, JPEG, GIF and WebP are known."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Picture("image/png", _big(head[16:20]), _big(head[20:24]))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return Picture("image/gif", _little(head[6:8]), _little(head[8:10]))
    if head.startswith(b"\xff\xd8\xff"):
        return _jpeg(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _jpeg(head: bytes) -> Picture:
    """Walk the segments up to the frame header (ITU-T T.81, B.1 and B.2)."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return Picture("image/jpeg", _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7]))
        at += 1 if marker == 0xFF else 2 + max(2, _big(head[at + 2 : at + 4]))
    return Picture("image/jpeg", 0, 0)


def _webp(head: bytes) -> Picture:
    """The three forms of RFC 9649: extended, lossless, lossy."""
    if head[12:16] == b"VP8X":
        return Picture("image/webp", _little(head[24:27]) + 1, _little(head[27:30]) + 1)
    if head[12:16] == b"VP8L":
        bits = _little(head[21:25])
        return Picture("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    return Picture("image/webp", _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF)

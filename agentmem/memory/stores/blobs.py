"""Blobs, `.agent/blobs/<sha256>`: prompt parts and the manifests that name them, kept once by content."""

from __future__ import annotations

import re
from pathlib import Path

from agentmem import regular
from agentmem.memory.stores import folder

MOST = 64 << 20  # bytes of one blob
_NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)
_START = re.compile(r"[0-9a-f]{8,64}", re.ASCII)


class BlobLost(Exception):
    """A blob is not there, or its bytes are no longer those it is named by; the message names the file."""


def digest(data: bytes) -> str:
    """The name a blob has: the SHA-256 of its bytes, 64 hex digits."""
    import hashlib  # loads OpenSSL, which nothing needs before the first request

    return hashlib.sha256(data).hexdigest()


def put(blobs: Path, data: bytes) -> tuple[Path, bool]:
    """Keep `data`; its path, and whether it had to be written. One that is there already, and whole, is left alone.
    Raises `OSError`."""
    path = blobs / digest(data)
    try:
        if regular.read(path, len(data)) == data:
            return path, False
    except (regular.NotRegular, regular.TooLarge):
        pass  # it is put in place of what stands there
    except FileNotFoundError:
        folder.make_private(blobs)
    folder.write_private(path, data)
    return path, True


def get(blobs: Path, name: str) -> bytes:
    """The bytes of a blob, checked against its name. Raises `BlobLost`."""
    if not _NAME.fullmatch(name):
        raise BlobLost(f"{name[:80]!r} names no blob")
    path = blobs / name
    try:
        data = regular.read(path, MOST)
    except OSError as error:
        raise BlobLost(f"{path} is gone: {error.strerror}") from None
    if digest(data) != name:
        raise BlobLost(f"{path} is damaged: its bytes do not have the hash that is its name")
    return data


def find(blobs: Path, start: str) -> str:
    """The name of the one blob whose name begins with `start` (8 hex digits or more). Raises `BlobLost`."""
    if not _START.fullmatch(start):
        raise BlobLost(f"{start[:80]!r} names no blob")
    found = sorted(path.name for path in blobs.glob(f"{start}*") if _NAME.fullmatch(path.name))
    if len(found) != 1:
        raise BlobLost(f"{blobs / start}… is {'not there' if not found else 'the beginning of several blobs'}")
    return found[0]

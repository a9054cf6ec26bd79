"""Blobs, `.agent/blobs/<sha256>`: prompt parts that manifests name, kept once by content."""

from __future__ import annotations

from pathlib import Path

from agentmem.memory.stores import folder


def digest(data: bytes) -> str:
    """The name a blob has: the SHA-256 of its bytes, 64 hex digits."""
    import hashlib  # loads OpenSSL, which nothing needs before the first request

    return hashlib.sha256(data).hexdigest()


def put(blobs: Path, data: bytes) -> Path:
    """Keep `data`; a blob that is there already is left alone. Raises `OSError`."""
    path = blobs / digest(data)
    if not path.exists():
        folder.make_private(blobs)
        folder.write_private(path, data)
    return path

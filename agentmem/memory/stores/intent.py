"""Intent: a durable write, on disk before it begins and gone once it is done, `.agent/intent/<work tree>.json`.

5f0c… {"at":"2026-11-30T09:14:03Z","admitted":[{"op":"ADD","fact":"m7f…","text":"…","section":"Facts","replaces":null,
 "record":{…}}],"file":true}

Whoever takes the memory lock next finishes what it finds: what was killed half-way becomes whole. A seal made with the
person's own key says that the gate wrote it: a file that came with a clone, or that a tool put there, does nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder, lines

_MOST = 1 << 26


def declare(path: Path, body: Mapping[str, Any], key: bytes) -> None:
    """Say what is about to be written; it is durable when this returns. The caller holds the memory lock. Raises
    `OSError`."""
    folder.make_private(path.parent)
    staged = path.with_name(f".{path.name}.new")
    data = lines.dump(lines.sound(body))
    folder.write_new(staged, _seal(data, key) + b" " + data, 0o600, durable=True)
    os.replace(staged, path)
    folder.sync_folder(path.parent)


def pending(path: Path, key: bytes) -> Mapping[str, Any] | None:
    """What was begun and not finished, None where nothing was. One without our seal goes. Raises `OSError`."""
    try:
        seal, _, data = regular.read(path, _MOST).partition(b" ")
    except FileNotFoundError:
        return None
    if seal != _seal(data, key):
        done(path)
        return None
    body: Mapping[str, Any] = json.loads(data)
    return body


def done(path: Path) -> None:
    """It is written. Raises `OSError`."""
    path.unlink(missing_ok=True)


def _seal(data: bytes, key: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(data, key=key[:64], digest_size=16).hexdigest().encode()

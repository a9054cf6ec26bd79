"""The ledger, `memory/ledger.jsonl`: why each belief is held, one line a change.

{"id":"l4c1f09ab3e02","at":"2026-11-30T09:14:03Z","op":"ADD","fact":"m7f3a2c9d01b8","category":"decision","text":"…",
 "principal":"user","origin":{"session":"…","entry":"c3…","quote":"…"},"confidence":1.0,"supersedes":null,
 "valid_from":"2026-11-30","valid_to":null,"reason":"explicit"}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder, lines


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Write one line and make it durable; the caller holds the memory lock. Raises `OSError`: the line is not there,
    or, after a disk that filled up, a fragment is that the next append keeps apart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = regular.opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        folder.write_all(handle, (b"\n" if torn else b"") + lines.dump(lines.sound(record)))
        os.fsync(handle)
    finally:
        os.close(handle)


def facts_in_order(path: Path) -> list[str]:
    """The ids of the facts the ledger names, oldest first; none where there is no ledger. Raises `OSError`."""
    if not path.exists():
        return []
    found, _ = lines.read(path)
    return [fact for _, record in found if isinstance(fact := record.get("fact"), str)]

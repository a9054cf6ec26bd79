"""The ledger, `memory/ledger.jsonl`: why each belief is held, one line a change.

{"id":"l4c1f09ab3e02","at":"2026-11-30T09:14:03Z","op":"ADD","fact":"m7f3a2c9d01b8","category":"decision","text":"…",
 "principal":"user","origin":{"session":"…","entry":"c3…","quote":"…"},"confidence":1.0,"supersedes":null,
 "valid_from":"2026-11-30","valid_to":null,"reason":"explicit"}
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.domain.claim import Admitted
from agentmem.memory.stores import folder, lines

_TAIL = 1 << 18


def append(path: Path, admitted: Sequence[Admitted]) -> None:
    """Write their lines and make them durable; the caller holds the memory lock. A line that stands near the end
    already is not written again. Raises `OSError`: they are not there, or, after a disk that filled up, a fragment is
    that the next append keeps apart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = regular.opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(handle).st_size
        tail = os.pread(handle, _TAIL, max(0, size - _TAIL))
        torn = size > 0 and not tail.endswith(b"\n")
        new = [one.record for one in admitted if f'"{one.record["id"]}"'.encode() not in tail]
        if new:
            folder.write_all(handle, (b"\n" if torn else b"") + b"".join(lines.dump(lines.sound(one)) for one in new))
            os.fsync(handle)
    finally:
        os.close(handle)


def records(path: Path) -> list[Mapping[str, Any]]:
    """Every line that can be read, oldest first; none where there is no ledger. Raises `OSError`."""
    if not path.exists():
        return []
    return [record for _, record in lines.read(path)[0]]

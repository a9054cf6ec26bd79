"""Offload files, `.agent/offload/<session>/<id><suffix>`: tool output too big for the prompt, whole."""

from __future__ import annotations

from pathlib import Path

from agentmem.memory.stores import folder


def put(offload: Path, session: str, name: str, data: bytes) -> Path:
    """Keep `data` under the session's folder; gives the file's path. Raises `OSError`."""
    path = offload / session / name
    folder.make_private(path.parent)
    folder.write_private(path, data)
    return path

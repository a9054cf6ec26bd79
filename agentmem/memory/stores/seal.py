"""Seal: the person's own key, `~/.agentmem/hmac.key`, under which secrets are recognised without being kept."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from agentmem import regular
from agentmem.memory.stores import folder

NAME = "hmac.key"
_SIZE = 32


def key(home: Path) -> bytes:
    """The key, made at first use and readable by its owner alone. Where it can be neither read nor kept it is random,
    and lasts as long as the caller keeps it."""
    path = home / NAME
    with suppress(OSError):
        if len(found := regular.read(path, 4096)) >= _SIZE:
            return found
    made = os.urandom(_SIZE)
    try:
        folder.make_private(home)
        staged = path.with_name(f".{NAME}.{threading.get_native_id()}.{os.getpid()}.new")
        folder.write_new(staged, made, 0o600, durable=True)
        try:
            os.link(staged, path)  # another process may have made one meanwhile: the first one counts
        except FileExistsError:
            return regular.read(path, 4096) if path.stat().st_size >= _SIZE else _instead(staged, path, made)
        finally:
            staged.unlink(missing_ok=True)
    except OSError:
        return made
    return made


def _instead(staged: Path, path: Path, made: bytes) -> bytes:
    """Put the key in place of a file too short to be one."""
    os.replace(staged, path)
    return made

"""Seal: the person's own key, `~/.agentmem/hmac.key`, under which secrets are recognised without being kept."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

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


def sealed(value: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """The object with a `seal` over all of it, made with the key."""
    bare = {name: one for name, one in value.items() if name != "seal"}
    return {**bare, "seal": _seal(bare, home)}


def intact(value: Mapping[str, Any], home: Path) -> bool:
    """Whether an object bears the seal that `sealed` gave it, so that nothing in it was changed since."""
    import hmac  # loads OpenSSL, which nothing needs before the first refusal

    found = value.get("seal")
    bare = {name: one for name, one in value.items() if name != "seal"}
    return isinstance(found, str) and hmac.compare_digest(found.encode(), _seal(bare, home).encode())


def _seal(value: Mapping[str, Any], home: Path) -> str:
    import hashlib
    import hmac

    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hmac.new(key(home), text.encode(), hashlib.sha256).hexdigest()[:32]


def _instead(staged: Path, path: Path, made: bytes) -> bytes:
    """Put the key in place of a file too short to be one."""
    os.replace(staged, path)
    return made

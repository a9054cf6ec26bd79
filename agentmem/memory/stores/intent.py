"""Intent: a durable write, on disk before it begins and gone once it is done, `.agent/intent/<work tree>.json`.

{"at":"2026-11-30T09:14:03Z","admitted":[{"op":"ADD","fact":"m7f…","text":"…","section":"Facts","replaces":null,
 "record":{…}}],"file":true}

Whoever takes the memory lock next finishes what it finds: what was killed half-way becomes whole.
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


def declare(path: Path, body: Mapping[str, Any]) -> None:
    """Say what is about to be written; it is durable when this returns. The caller holds the memory lock. Raises
    `OSError`."""
    folder.make_private(path.parent)
    staged = path.with_name(f".{path.name}.new")
    folder.write_new(staged, lines.dump(lines.sound(body)), 0o600, durable=True)
    os.replace(staged, path)
    folder.sync_folder(path.parent)


def pending(path: Path) -> Mapping[str, Any] | None:
    """What was begun and not finished, None where nothing was. One that cannot be read was never declared whole: it
    goes. Raises `OSError`."""
    try:
        body = json.loads(regular.read(path, _MOST))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, Mapping):
        return body
    done(path)
    return None


def done(path: Path) -> None:
    """It is written. Raises `OSError`."""
    path.unlink(missing_ok=True)

"""Whereabouts, `marks.json`: where the secrets of a MEMORY.md stand and the marks that stand for them, by its hash.

{"key":"…","places":[[31,51,"[redacted: aws key 8f3a]","aws key"]],"seal":"…"}

Looking for them costs more than reading the file does. It holds no secret, is derived, and sealed with the person's
key: a repository that brings such a file along cannot pass off a line as harmless.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentmem import __version__, regular
from agentmem.memory.stores import folder, seal

NAME = "marks.json"
_MOST = 1 << 24

Place = tuple[int, int, str, str]
"""From where to where a secret stands in the text, in characters, its mark, and its kind."""


def key_of(data: bytes) -> str:
    """A key for these bytes; another version may know more of secrets."""
    from hashlib import sha256

    return sha256(__version__.encode() + b"\0" + data).hexdigest()


def read(path: Path, key: str, home: Path) -> list[Place] | None:
    """What was found in the same bytes before, None where they were not looked through or it is not ours."""
    try:
        held = json.loads(regular.read(path, _MOST))
        if held["key"] != key or not seal.intact(held, home):
            return None
        return [(int(start), int(end), str(mark), str(kind)) for start, end, mark, kind in held["places"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def write(path: Path, key: str, places: Sequence[Place], home: Path) -> None:
    """Keep what was found; what cannot be kept is looked for again."""
    held: dict[str, Any] = seal.sealed({"key": key, "places": [list(one) for one in places]}, home)
    with suppress(OSError):
        if path.parent.is_dir():
            folder.write_private(path, json.dumps(held, separators=(",", ":")).encode())

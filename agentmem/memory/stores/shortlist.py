"""The shortlist, `.agent/shortlist.json`: which lines of a long MEMORY.md were chosen, so that a start need not rank.

{"key":"…","rows":[[[0,8,false],[40,93,false]]],"notes":["…"],"seal":"…"}

`key` stands for all that the choice was made from. It is derived, and sealed with the person's key: a repository that
brings such a file along cannot choose what is shown.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder

NAME = "shortlist.json"
_MOST = 1 << 20


Span = tuple[int, int, bool]
"""From where to where a line stands in its text, in characters, and whether it is the project's word."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The chosen lines of each file, and what is said of those left out, a line a file."""

    rows: tuple[tuple[Span, ...], ...]
    notes: tuple[str, ...]


def key_of(parts: list[bytes]) -> str:
    """A key for these inputs."""
    from hashlib import sha256  # of all the quickest where the processor knows it

    made = sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.hexdigest()


def read(path: Path, key: str, secret: bytes) -> Shortlist | None:
    """The choice made from the same inputs before, None where there is none or it is not ours."""
    try:
        held = json.loads(regular.read(path, _MOST))
        if held["key"] != key or held["seal"] != _seal(held, secret):
            return None
        rows = tuple(tuple((int(a), int(b), bool(word)) for a, b, word in of) for of in held["rows"])
        return Shortlist(rows, tuple(map(str, held["notes"])))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def write(path: Path, key: str, chosen: Shortlist, secret: bytes) -> None:
    """Keep a choice; one that cannot be kept is made again."""
    held: dict[str, Any] = {"key": key, "rows": chosen.rows, "notes": chosen.notes}
    held["seal"] = _seal(held, secret)
    with suppress(OSError):
        folder.write_private(path, json.dumps(held, separators=(",", ":")).encode())


def _seal(held: dict[str, Any], secret: bytes) -> str:
    from hashlib import blake2b

    said = json.dumps([held["key"], held["rows"], held["notes"]], separators=(",", ":")).encode()
    return blake2b(said, key=secret[:64], digest_size=16).hexdigest()

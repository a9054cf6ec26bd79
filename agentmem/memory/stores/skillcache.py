"""Skill cache: what the front matter of known files said, by the file's mark; one JSON file of the person's level.

Delete it, and the next start reads the files again. A file that changed has another mark, and is read again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from agentmem import __version__, regular
from agentmem.domain.skill import Found, Skill
from agentmem.memory.stores import folder
from agentmem.memory.stores.skillroots import Spot

FEWEST = 20
"""Below as many files reading them costs no more than reading the cache."""
_MOST = 1 << 26


class Cache:
    """The cache of one project's skills, below `home`. A failure to read or write it is none of the caller's."""

    def __init__(self, home: Path, name: str) -> None:
        self.home = home
        self._path = (
            home / "cache" / "skills" / f"{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"
        )
        self._held: Mapping[str, Any] = {}
        self._used: dict[str, Any] = {}
        self._grown = False

    def load(self) -> None:
        """Read it."""
        with suppress(OSError, ValueError, RecursionError):
            value = json.loads(regular.read(self._path, _MOST))
            if isinstance(value, dict) and value.get("by") == __version__ and isinstance(value.get("files"), dict):
                self._held = value["files"]

    def get(self, spot: Spot) -> Found | None:
        """What a file said when it had this mark, None for not known."""
        held = self._held.get(spot.path)
        if not isinstance(held, list) or len(held) != 2 or held[0] != list(spot.mark):
            return None
        with suppress(TypeError, KeyError, ValueError):
            found = _found(held[1], spot)
            self._used[spot.path] = held
            return found
        return None

    def put(self, spot: Spot, found: Found) -> None:
        """Keep what a file says."""
        skill = found.skill
        said = None if skill is None else [skill.id, skill.name, skill.description, skill.fields, skill.warnings]
        self._used[spot.path] = [spot.mark, [found.reason, said]]
        self._grown = True

    def save(self) -> None:
        """Write it, where something in it is new and there are files enough."""
        if not self._grown or len(self._used) < FEWEST:
            return
        with suppress(OSError, ValueError):
            data = json.dumps({"by": __version__, "files": self._used}).encode()
            folder.make_private(self._path.parent)
            folder.write_private(self._path, data)


def _found(value: Any, spot: Spot) -> Found:
    reason, said = value
    if said is None:
        return Found(spot.path, spot.root.level, reason=str(reason))
    own, name, description, fields, warnings = said
    skill = Skill(own, name, description, spot.path, spot.root.level, dict(fields), tuple(warnings))
    return Found(spot.path, spot.root.level, skill)

"""Admissions: what this machine's gate let in, `.agent/admitted`, one seal a line.

    5f0c…  (32 hex digits: a hash of a belief, on whose word it is held and who approved it, under the person's own key)

MEMORY.md and its ledger travel with a repository and can say anything; this file does not travel, and a seal can only
be made with the key. A belief without one came from elsewhere: it is the word of the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agentmem import regular
from agentmem.memory.stores import folder, seal

NAME = "admitted"
_MOST = 1 << 28
_SIZE = 16  # bytes of a seal


class Held(NamedTuple):
    """A belief and on whose word it is held; `approved_by` is empty where nobody approved it."""

    fact: str
    text: str
    principal: str
    approved_by: str = ""


@dataclass(slots=True)
class Admissions:
    """The seals in the file `path`, made with the key of the person's level `home`."""

    path: Path
    home: Path
    _key: bytes = b""
    _seals: set[bytes] = field(default_factory=set)
    _read: bool = False

    def __contains__(self, held: Held) -> bool:
        """Whether this machine let it in. Raises `OSError`."""
        if not self._read:
            self._load()
        return bool(self._seals) and self.seal(held) in self._seals

    def seal(self, held: Held) -> bytes:
        """The seal of a belief, as the file holds it."""
        from hashlib import blake2b

        if not self._key:
            self._key = seal.key(self.home)
        said = "\0".join(held).encode("utf-8", "replace")
        return blake2b(said, key=self._key[:64], digest_size=_SIZE).hexdigest().encode()

    def add(self, held: Iterable[Held]) -> list[str]:
        """Let beliefs in for good; gives all their seals. The caller holds the memory lock. Raises `OSError`."""
        if not self._read:
            self._load()
        seals = [self.seal(one) for one in held]
        self._append([one for one in dict.fromkeys(seals) if one not in self._seals])
        return [one.decode() for one in seals]

    def restore(self, seals: Iterable[str]) -> None:
        """Take seals over that the history holds, after this file was lost. Raises `OSError`."""
        if not self._read:
            self._load()
        self._append([one for seal in seals if (one := seal.encode()) not in self._seals])

    def _append(self, seals: list[bytes]) -> None:
        if not seals:
            return
        folder.make_private(self.path.parent)
        folder.append_private(self.path, b"".join(one + b"\n" for one in seals), durable=True)
        self._seals.update(seals)

    def _load(self) -> None:
        try:
            self._seals = set(regular.read(self.path, _MOST).split(b"\n"))
        except FileNotFoundError:
            self._seals = set()
        self._seals.discard(b"")
        self._read = True

"""Veil: a file's name that holds a secret stands as a mark in the log; the name itself lies with the kept bytes.

{"type":"checkpoint","kind":"before","files":[{"path":"[redacted: github token 8f3a]","name":"3b…", …}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from agentmem.domain.checkpoint import TYPE, State
from agentmem.domain.entry import Entry
from agentmem.memory.memory import Session

if TYPE_CHECKING:
    from agentmem.workspace.checkpoints.vault import Vault

_OBJECT = re.compile(r"[0-9a-f]{40}")
LOST = "its name, which held a secret, is no longer kept"


@dataclass(slots=True)
class Veil:
    """Hides the names of one session's files."""

    session: Session
    vault: Vault
    _names: dict[bytes, str] = field(default_factory=dict)

    def over(self, files: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The files of a checkpoint as its log may tell them. Raises `OSError`."""
        return [self._one(dict(file)) for file in files]

    def _one(self, file: dict[str, Any]) -> dict[str, Any]:
        path = bytes.fromhex(file["path_hex"]) if "path_hex" in file else str(file["path"]).encode()
        text = path.decode("utf-8", "backslashreplace")
        clean = self.session.redacted(text)
        if clean is text:
            return file
        if path not in self._names:
            self._names[path] = self.vault.keep_name(path)
        file.pop("path_hex", None)
        return {**file, "path": clean, "name": self._names[path]}


def lifted(entries: Sequence[Entry], vault: Vault) -> tuple[tuple[Entry, ...], tuple[tuple[bytes, str], ...]]:
    """The entries with the names of their files, and the files whose name is lost: those are left out."""
    lost: dict[bytes, str] = {}

    def file(value: Any) -> dict[str, Any] | None:
        if not isinstance(value, dict) or "name" not in value:
            return value if isinstance(value, dict) else None
        name = value["name"]
        path = vault.find(State("file", name)) if isinstance(name, str) and _OBJECT.fullmatch(name) else None
        if path is None:
            lost[str(value.get("path")).encode("utf-8", "replace")] = LOST
            return None
        return {**{key: item for key, item in value.items() if key not in ("path", "name")}, "path_hex": path.hex()}

    def entry(one: Entry) -> Entry:
        files = one.body.get("files") if one.type == TYPE else None
        if not isinstance(files, list) or not any(isinstance(value, dict) and "name" in value for value in files):
            return one
        return replace(one, body={**one.body, "files": [found for value in files if (found := file(value))]})

    return tuple(map(entry, entries)), tuple(lost.items())

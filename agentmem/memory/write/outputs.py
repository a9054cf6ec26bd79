"""Outputs: whole outputs of a session's tools beside its log, their secrets aside."""

from __future__ import annotations

import os

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.stores import folder, offload
from agentmem.memory.write.redact import Redactor


class Outputs:
    """What is kept in the folder of the session `own`."""

    def __init__(self, places: Places, own: str, clock: Clock, redactor: Redactor) -> None:
        self._places = places
        self._own = own
        self._clock = clock
        self._redactor = redactor

    @property
    def folder(self) -> str:
        """Where they lie, from the root."""
        return os.path.relpath(self._places.offload / self._own, self._places.root)

    def keep(self, data: bytes, suffix: str) -> str:
        """Keep a whole output, its secrets aside; gives its path from the root. Raises `OSError`."""
        path = os.path.join(self.folder, self._clock.new_id() + suffix.replace("/", "_"))
        self.put(path, self._redactor.data(data))
        return path

    def put(self, path: str, data: bytes) -> None:
        """Keep what was recorded before at a path from the root, below the folder. Raises `OSError`."""
        folder.make_agent_folder(self._places.shared)
        offload.put(self._places.offload, self._own, os.path.basename(path), data)
